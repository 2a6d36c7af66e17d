import DataTree
import TestSupport
import Testing
import WireProtocol

@testable import HubEngine

@Suite("Calls")
struct CallTests {
    private let hub = EngineHarness()

    private func put(_ path: String, _ json: String, hash: String? = nil) throws -> CallAnswer? {
        hub.call(.write(CallWrite(path: Path(path), change: .put(try Node(json: json)), expectedHash: hash)))
    }

    private func value(_ path: String) -> Node? {
        guard case .value(let node, _)? = hub.call(.read(CallRead(path: Path(path)))) else { return nil }
        return node
    }

    @Test("a put is answered with what was written, server values resolved")
    func putIsAnswered() throws {
        guard case .written(.node(let node), nil)? = try put("a", #"{"t":{".sv":"timestamp"},"n":1}"#) else {
            Issue.record("not written")
            return
        }
        #expect(node == (try Node(json: #"{"t":\#(hub.time),"n":1}"#)))
        #expect(value("a") == node)
    }

    @Test("listeners hear of a call's write")
    func listenersHear() throws {
        let ada = hub.connect()
        ada.send(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#)
        _ = try put("a/b", "5")
        #expect(ada.received.last == #"{"t":"d","d":{"a":"d","b":{"p":"a/b","d":5}}}"#)
    }

    @Test("a push adds a child under the key that came with it")
    func push() throws {
        guard
            case .written(.name(let key), _)? = hub.call(
                .write(CallWrite(path: Path("l"), change: .push(try Node(json: "1")))))
        else {
            Issue.record("not written")
            return
        }
        #expect(value("l")?[key] == (try Node(json: "1")))
    }

    @Test("an update tells what its values came to, removals included")
    func update() throws {
        _ = try put("a", #"{"x":1,"n":2}"#)
        let changes = [(Path("x"), Node.empty), (Path("n"), try Node(json: #"{".sv":{"increment":3}}"#))]
        guard
            case .written(.changes(let written), _)? = hub.call(
                .write(CallWrite(path: Path("a"), change: .update(changes))))
        else {
            Issue.record("not written")
            return
        }
        #expect(written.map(\.0) == [Path("x"), Path("n")])
        #expect(written.map(\.1) == [.empty, try Node(json: "5")])
        #expect(value("a") == (try Node(json: #"{"n":5}"#)))
    }

    @Test("a conditional write with a wrong hash changes nothing and tells what is there")
    func conflict() throws {
        _ = try put("a", "1")
        let there = try Node(json: "1")
        guard case .conflict(let node, let hash)? = try put("a", "2", hash: "wrong") else {
            Issue.record("no conflict")
            return
        }
        #expect(node == there)
        #expect(hash == there.hash())
        #expect(value("a") == there)
        _ = try put("a", "2", hash: hash)
        #expect(value("a") == (try Node(json: "2")))
    }

    @Test(
        "a conditional write on a large node is compared away from the engine, and what changed meanwhile is a conflict"
    )
    func largeConflict() throws {
        let children = (0..<3000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        _ = try put("a", "{\(children)}")
        let hash = try #require(value("a")?.hash())
        hub.worksAtOnce = false
        #expect(try put("a", "1", hash: hash) == nil)
        hub.connect().send(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/a/k1","d":0}}}"#)
        hub.work()
        // What is there now is hashed, again elsewhere.
        hub.work()
        guard case .conflict(let node, let newHash)? = hub.lastAnswer else {
            Issue.record("no conflict: \(String(describing: hub.lastAnswer))")
            return
        }
        #expect(node[Key("k1")] == (try Node(json: "0")))
        #expect(newHash == node.hash())
    }

    @Test("rules are asked as for everybody")
    func rules() throws {
        _ = try hub.changeRules(#"{"rules":{"open":{".read":true,".write":true}}}"#)
        let nobody = CallCredential()
        guard case .refused(.denied)? = hub.call(.read(CallRead(path: Path("shut"))), credential: nobody),
            case .refused(.denied)? = hub.call(
                .write(CallWrite(path: Path("shut"), change: .put(.empty))), credential: nobody),
            case .value? = hub.call(.read(CallRead(path: Path("open"))), credential: nobody)
        else {
            Issue.record("rules are not asked")
            return
        }
    }

    @Test("a call whose commit the log refuses is answered once, with unavailable, and leaves nothing")
    func refused() throws {
        hub.durability = .refusing("no space left")
        guard case .refused(.unavailable(let text))? = try put("a", "1") else {
            Issue.record("not refused: \(String(describing: hub.lastAnswer))")
            return
        }
        #expect(text.contains("no space left"))
        #expect(hub.lastAnswerCount == 1)
        hub.durability = .atOnce
        #expect(value("a") == .empty)
    }

    @Test("a call that waits for work when the log refuses something begins anew")
    func refusedWhileWaiting() throws {
        let children = (0..<3000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        _ = try put("a", "{\(children)}")
        hub.durability = .held
        _ = try put("b", "1")
        hub.worksAtOnce = false
        #expect(hub.call(.read(CallRead(path: Path("a"), wantsHash: true))) == nil)
        hub.refuseHeld()
        hub.durability = .atOnce
        hub.work()
        guard case .value(_, let hash)? = hub.lastAnswer else {
            Issue.record("no answer")
            return
        }
        #expect(hash == value("a")?.hash())
        #expect(hub.lastAnswerCount == 1)
        #expect(value("b") == .empty)
    }

    @Test("a write above its size limit is refused whole")
    func sizeLimit() throws {
        let children = (0..<100).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        _ = try put("a", "{\(children)}")
        guard
            case .written? = hub.call(
                .write(CallWrite(path: Path("a"), change: .put(.empty), sizeLimit: .tiny)))
        else {
            Issue.record("100 leaves are no large write")
            return
        }
    }

    @Test("only an administrator may act as somebody else")
    func override() throws {
        _ = try hub.changeRules(#"{"rules":{".read":"auth.uid == 'ada'"}}"#)
        let ada = try Node(json: #"{"uid":"ada"}"#)
        guard
            case .value? = hub.call(
                .read(CallRead(path: .root)), credential: CallCredential(bearer: "owner", override: .variable(ada))),
            case .refused(.denied)? = hub.call(
                .read(CallRead(path: .root)), credential: CallCredential(bearer: "owner", override: .nobody)),
            case .refused(.unauthenticated)? = hub.call(
                .read(CallRead(path: .root)), credential: CallCredential(override: .variable(ada)))
        else {
            Issue.record("the override is not heeded")
            return
        }
    }
}
