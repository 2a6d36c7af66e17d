import TestSupport
import Testing

@Suite("Conversations with a hub on a port", .serialized)
struct ConversationTests {
    static let conversations = (try? ConversationFiles.all()) ?? []

    @Test("a hub with --dev reproduces the conversations")
    func development() throws {
        let hub = try HubProcess("--dev", "--max-namespaces", "1000")
        let host = ConversationHubHost(port: hub.port)
        for conversation in Self.conversations where !conversation.needs.contains("locked") {
            do {
                _ = try ConversationReplayer(host: host, patience: .seconds(20)).replay(conversation)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test("a hub in production mode reproduces the conversations of a database in which nothing is permitted")
    func production() throws {
        let hub = try HubProcess("--namespace", "locked")
        for conversation in Self.conversations where conversation.needs.contains("locked") {
            let host = ConversationHubHost(port: hub.port, capabilities: ["locked"], namespaces: ["locked"])
            do {
                _ = try ConversationReplayer(host: host, patience: .seconds(20)).replay(conversation)
            } catch {
                Issue.record("\(error)")
            }
        }
    }
}
