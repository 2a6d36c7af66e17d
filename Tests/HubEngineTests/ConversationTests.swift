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

    @Test(
        "the engine reproduces the conversation",
        arguments: conversations.filter { !$0.needs.contains("locked") && $0.rules == nil })
    func open(conversation: Conversation) throws {
        let outcome = try ConversationReplayer(host: ConversationEngineHost()).replay(conversation)
        // There is no HTTP in memory.
        #expect(outcome == .passed || !conversation.needs.isDisjoint(with: ["upgrade", "hosts", "longpoll"]))
    }

    @Test(
        "an engine that permits nothing reproduces the conversation",
        arguments: conversations.filter { $0.needs.contains("locked") })
    func locked(conversation: Conversation) throws {
        let host = ConversationEngineHost(capabilities: ["locked"], secret: "a secret") {
            EngineHarness(mode: .production, defaultRules: .locked, secret: "a secret")
        }
        let outcome = try ConversationReplayer(host: host).replay(conversation)
        #expect(outcome == .passed)
    }

    @Test("an engine with rules reproduces the conversation", arguments: conversations.filter { $0.rules != nil })
    func ruled(conversation: Conversation) throws {
        let rules = try ConfiguredRules(Array((conversation.rulesText ?? "").utf8), author: "test")
        let host = ConversationEngineHost { EngineHarness(rules: rules) }
        let outcome = try ConversationReplayer(host: host).replay(conversation)
        #expect(outcome == .passed)
    }
}
