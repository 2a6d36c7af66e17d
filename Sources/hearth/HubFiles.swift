import HubEngine
import Storage

/// Where a hub keeps its state, and the secret that goes with it.
struct HubFiles {
    let storage: any HubStorage
    /// What makes a client the administrator in production.
    let administratorSecret: String?

    init(_ configuration: ServeConfiguration) throws {
        storage = MemoryHubStorage()
        administratorSecret = nil
    }
}
