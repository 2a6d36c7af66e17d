import DataTree
import TestSupport
import Testing
import WireProtocol

@testable import HubEngine

@Suite("Calls of those who may not read")
struct CallSecrecyTests {
    private let hub = EngineHarness()
    private let nobody = CallCredential()

    private func put(
        _ path: String, _ json: String, hash: String? = nil, limit: WriteSizeLimit? = nil, bytes: Int = 0,
        as credential: CallCredential
    ) throws -> CallAnswer? {
        hub.call(
            .write(
                CallWrite(
                    path: Path(path), change: .put(try Node(json: json)), expectedHash: hash, sizeLimit: limit,
                    bodyBytes: bytes)),
            credential: credential)
    }

    private func isDenied(_ answer: CallAnswer?) -> Bool {
        if case .refused(.denied)? = answer { return true }
        return false
    }

    @Test("are answered alike whether they guess what is there or not, even where they may write")
    func guesses() throws {
        _ = try hub.changeRules(#"{"rules":{"box":{".write":true},"shut":{}}}"#)
        let secret = try Node(json: "1234")
        for place in ["box", "shut"] {
            _ = try put(place, "1234", as: CallCredential(bearer: "owner"))
            #expect(isDenied(try put(place, "0", hash: secret.hash(), as: nobody)))
            #expect(isDenied(try put(place, "0", hash: "wrong", as: nobody)))
        }
        _ = try put("box", "0", as: nobody)
        guard case .value(let node, _)? = hub.call(.read(CallRead(path: Path("box")))) else {
            Issue.record("nothing was read")
            return
        }
        #expect(node == (try Node(json: "0")))
    }

    @Test("are not told how much is there")
    func sizes() throws {
        _ = try hub.changeRules(#"{"rules":{"shut":{}}}"#)
        let children = (0..<600).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        _ = try put("shut/full", "{\(children)}", as: CallCredential(bearer: "owner"))
        // So much that a few hundred leaves more decide.
        let almost = (WriteSizeLimit.tiny.greatestCost - 300) * 16
        #expect(isDenied(try put("shut/full", "1", limit: .tiny, bytes: almost, as: nobody)))
        #expect(isDenied(try put("shut/empty", "1", limit: .tiny, bytes: almost, as: nobody)))
        guard
            case .refused(.tooMuch)? = try put(
                "shut/full", "1", limit: .tiny, bytes: almost, as: CallCredential(bearer: "owner"))
        else {
            Issue.record("the limit does not hold")
            return
        }
    }

    @Test("get no answer from a read or a conflict that was worked out while the rules changed")
    func changedMeanwhile() throws {
        let children = (0..<3000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        _ = try put("a", "{\(children)}", as: CallCredential(bearer: "owner"))
        _ = try hub.changeRules(#"{"rules":{".read":true,".write":true}}"#)
        hub.worksAtOnce = false
        #expect(hub.call(.read(CallRead(path: Path("a"), wantsHash: true)), credential: nobody) == nil)
        _ = try hub.changeRules(#"{"rules":{".write":true}}"#)
        hub.work()
        #expect(isDenied(hub.lastAnswer))
    }

    @Test("is answered after a few attempts where a node changes faster than it can be compared")
    func neverStill() throws {
        let children = (0..<3000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        let owner = CallCredential(bearer: "owner")
        _ = try put("a", "{\(children)}", as: owner)
        hub.worksAtOnce = false
        let device = hub.connect()
        #expect(try put("a", "1", hash: "wrong", as: owner) == nil)
        var rounds = 0
        while hub.lastAnswer == nil, rounds < 10 {
            rounds += 1
            device.send(#"{"t":"d","d":{"r":\#(rounds),"a":"p","b":{"p":"/a/k1","d":"\#(rounds)"}}}"#)
            hub.work()
        }
        guard case .conflict? = hub.lastAnswer else {
            Issue.record("no answer after \(rounds) rounds")
            return
        }
    }
}

extension CallAnswer? {
    fileprivate static func == (left: CallAnswer?, right: CallAnswer?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        default: false
        }
    }
}
