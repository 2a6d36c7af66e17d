import Glibc
import TestSupport
import Testing

@Suite("Conversations with a hub on a port", .blocking, .serialized)
struct ConversationTests {
    static let conversations = (try? ConversationFiles.all()) ?? []

    @Test("there are conversations to replay")
    func present() { #expect(Self.conversations.count > 100) }

    @Test("a hub with --dev reproduces the conversations")
    func development() throws {
        let hub = try HubProcess("--dev", "--max-namespaces", "1000")
        let host = ConversationHubHost(port: hub.port)
        for conversation in Self.conversations where !conversation.needs.contains("locked") && conversation.rules == nil
        {
            do {
                let outcome = try ConversationReplayer(host: host, patience: .seconds(20)).replay(conversation)
                // Who vanishes is found after a time that is too long here.
                #expect(outcome == .passed || conversation.needs.contains("vanish"), "\(conversation)")
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test("a hub reproduces them with clients that poll, too, whichever of its loops a poll reaches")
    func polling() throws {
        let hub = try HubProcess("--dev", "--memory", "--max-namespaces", "1000", "--loops", "3")
        let host = ConversationHubHost(port: hub.port, polls: true)
        let needless: Set<String> = ["locked", "vanish", "upgrade"]
        for conversation in Self.conversations
        where conversation.rules == nil && conversation.needs.isDisjoint(with: needless) {
            do {
                let outcome = try ConversationReplayer(host: host, patience: .seconds(20)).replay(conversation)
                #expect(outcome == .passed, "\(conversation)")
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test("a hub with a rules file reproduces the conversations that have these rules")
    func ruled() throws {
        let folder = TemporaryFolder()
        let file = folder.path(of: "rules.json")
        let conversations = Self.conversations.filter { $0.rules != nil }
        #expect(conversations.count > 5)
        let groups = Dictionary(grouping: conversations) { $0.rulesText ?? "" }
        // One hub for all: it takes over the file when it is told to.
        _ = folder.write(#"{"rules":{}}"#, to: "rules.json")
        let hub = try HubProcess("--dev", "--memory", "--max-namespaces", "1000", "--rules", file)
        var changes = 0
        let host = ConversationHubHost(port: hub.port)
        for (rules, conversations) in groups.sorted(by: { $0.key < $1.key }) {
            _ = folder.write(rules, to: "rules.json")
            changes += 1
            hub.send(signal: SIGHUP)
            try hub.expectLog("reloaded", count: changes)
            for conversation in conversations {
                do {
                    let outcome = try ConversationReplayer(host: host, patience: .seconds(20)).replay(conversation)
                    #expect(outcome == .passed || conversation.needs.contains("vanish"), "\(conversation)")
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
    }

    @Test("a hub in production mode reproduces the conversations of a database in which nothing is permitted")
    func production() throws {
        let conversations = Self.conversations.filter { $0.needs.contains("locked") }
        let names = conversations.indices.map { "locked\($0)" }
        let hub = try HubProcess(arguments: names.flatMap { ["--namespace", $0] })
        let file = try #require(TemporaryFolder.contents(of: "\(hub.dataPath)/admin.secret"))
        let secret = file.filter { !$0.isWhitespace }
        let host = ConversationHubHost(port: hub.port, capabilities: ["locked"], namespaces: names, secret: secret)
        for conversation in conversations {
            do {
                let outcome = try ConversationReplayer(host: host, patience: .seconds(20)).replay(conversation)
                #expect(outcome == .passed, "\(conversation)")
            } catch {
                Issue.record("\(error)")
            }
        }
    }
}
