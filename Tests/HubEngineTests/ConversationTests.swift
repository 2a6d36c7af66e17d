import HubEngine
import TestSupport
import Testing

@Suite("Conversations with an engine in memory")
struct ConversationTests {
    static let conversations = (try? ConversationFiles.all()) ?? []

    @Test("the conversations can be read")
    func readable() throws {
        #expect(try ConversationFiles.all().count > 100)
    }

    @Test("the engine reproduces the conversation", arguments: conversations.filter { !$0.needs.contains("locked") })
    func open(conversation: Conversation) throws {
        _ = try ConversationReplayer(host: ConversationEngineHost()).replay(conversation)
    }

    @Test(
        "an engine that permits nothing reproduces the conversation",
        arguments: conversations.filter { $0.needs.contains("locked") })
    func locked(conversation: Conversation) throws {
        let host = ConversationEngineHost(capabilities: ["locked"]) {
            EngineHarness(mode: .production, access: .administratorOnly)
        }
        _ = try ConversationReplayer(host: host).replay(conversation)
    }
}
