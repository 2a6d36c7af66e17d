import Glibc
import HubEngine
import Storage

/// Where a hub keeps its state, and the secret that goes with it.
struct HubFiles {
    let storage: any HubStorage
    /// What makes a client the administrator in production; nil in `--dev`, where `owner` does.
    let administratorSecret: String?

    init(_ configuration: ServeConfiguration) throws {
        var random = SystemRandomNumberGenerator()
        switch configuration.storage {
        case .memory:
            storage = MemoryHubStorage()
            guard !configuration.isDevelopment else {
                administratorSecret = nil
                return
            }
            let words = (0..<4).map { _ in String(random.next(), radix: 36) }
            let secret = words.joined()
            administratorSecret = secret
            StandardStreams.error("hearth serve: the administrator's secret of this run is \(secret)\n")
        case .directory(let path):
            let directory = try DataDirectory(path: path)
            var log = LogConfiguration()
            // Under load, commits are this far apart in nanoseconds: a sync costs some 100 us of CPU whatever it holds.
            log.minimumSyncInterval = 500_000
            storage = FileHubStorage(directory: directory, log: log)
            guard !configuration.isDevelopment else {
                administratorSecret = nil
                return
            }
            let (secret, isNew) = try directory.administratorSecret(using: &random)
            administratorSecret = secret
            if isNew {
                StandardStreams.error("hearth serve: the administrator's secret is in \(path)/admin.secret\n")
            }
        }
    }
}
