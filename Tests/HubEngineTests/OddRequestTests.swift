import DataTree
import HubEngine
import TestSupport
import Testing

/// Requests put together at random from odd parts: whatever they mean, each is answered once, in order, and the engine stays
/// sound.
@Suite("Odd requests")
struct OddRequestTests {
    private static let paths = [
        "", "/", "//", "/.info", "/.info/x", "/a", "a/", "/a/b", "/a//b", "/a/.priority", "/.priority",
        "/a/.priority/x",
        "/.value", "/.sv", "/é", "/e\u{301}", "/0", "/00", "/-1", "/2147483648", "/ ", "/a.b", "/$x", "/online",
        "/online/users/ada", "/online/.priority", "/a/\u{1}", String(repeating: "/k", count: 33),
        "/" + String(repeating: "k", count: 769), "/🦊/a",
    ]
    private static let values = [
        "null", "0", "-0", "1e308", "1e-400", "9007199254740993", "true", #""""#, #""x""#, "[]", "[null,1]", "{}",
        #"{"a":null}"#, #"{".value":1}"#, #"{".value":null,".priority":1}"#, #"{".value":{"a":1}}"#,
        #"{".priority":1}"#,
        #"{".priority":{"a":1},"a":1}"#, #"{".sv":"timestamp"}"#, #"{".sv":{"increment":1}}"#,
        #"{".sv":{"increment":1e308}}"#,
        #"{".sv":"x"}"#, #"{"a":{".sv":"timestamp"},".priority":{".sv":{"increment":2}}}"#, #"{"a/b":1}"#, #"{"":1}"#,
        #"{"a":1,"a":2}"#, #"{"b":{"c":{"d":1}},"a":[1,[2]]}"#, #""\ud800""#,
    ]
    private static let updates = [
        "{}", #"{"a":1,"b":null}"#, #"{"a/b":1,"a/c":{".sv":{"increment":1}}}"#, #"{"a":1,"a/b":2}"#,
        #"{".priority":1,"a":2}"#,
        #"{"a/.priority":1}"#, #"{"a/.priority":true}"#, #"{".info/x":1}"#, #"{"":1}"#, #"{"/":1}"#, #"{"online/x":1}"#,
        "[]", "1",
        #"{"a":[1,null,2],"//b//":3}"#, "null",
    ]
    private static let queries = [
        "{}", #"{"l":1,"vf":"l"}"#, #"{"l":2,"vf":"r","i":"a"}"#, #"{"i":".key","sp":"a","ep":"k"}"#,
        #"{"i":".value","sp":null}"#,
        #"{"sp":1,"sn":"[MIN_NAME]","sin":false}"#, #"{"ep":"x","en":"[MAX_NAME]"}"#, #"{"l":0}"#,
        #"{"l":-1,"vf":"l"}"#,
        #"{"l":1.5,"vf":"l"}"#, #"{"i":".key","sp":1}"#, #"{"i":"","l":1,"vf":"l"}"#,
        #"{"i":"a/b/c","ep":true,"ein":false}"#,
        #"{"l":99999999999,"vf":"l"}"#, #"{"i":5}"#, "1", "null", #"{"i":"$x","l":1,"vf":"l"}"#,
    ]
    private static let tags = ["1", "2", "9223372036854775807", "0", "1.5", "null", #""1""#]
    private static let hashes = [#""""#, #""x""#, #""YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=""#, "null", "5"]

    @Test("each has one answer, in its turn", arguments: 1...4)
    func answered(seed: Int) throws {
        var values = RandomValues(seed: UInt64(seed) + 700)
        var limits = Limits()
        limits.inlineLeaves = 3
        limits.listensPerSession = 20
        limits.onDisconnectOperationsPerSession = 10
        limits.rememberedWriteIDs = 5
        let hub = EngineHarness(presence: "online", limits: limits)
        for _ in 0..<2 {
            let devices = (0..<3).map { _ in hub.connect() }
            for number in 0..<250 {
                for device in devices { device.request("\(Self.action(&values))", Self.body(&values)) }
                if number % 50 == 49 { try expectAnswers(devices, count: number + 1) }
            }
            for device in devices { device.close() }
            try hub.crash()
        }
        #expect(hub.engine.listenPlaces == 0)
        #expect(try hub.durableImage().tree == hub.content.tree)
        #expect(hub.content.tree[Key("online")].isEmpty)
        #expect(hub.content.tree[Key(".info")].isEmpty)
    }

    private static func action(_ values: inout RandomValues) -> String {
        values.pick([
            "q", "q", "n", "g", "p", "p", "p", "m", "m", "o", "om", "oc", "auth", "gauth", "unauth", "s", "echo", "zz",
        ])
    }

    private static func body(_ values: inout RandomValues) -> String {
        var fields: [String] = []
        func path(_ values: inout RandomValues) -> String { values.pick(paths).replacingControlCharacters }
        if values.chance(95) { fields.append(#""p":"\#(path(&values))""#) }
        if values.chance(80) { fields.append(#""d":\#(values.pick(values.chance(60) ? Self.values : updates))"#) }
        if values.chance(50) { fields.append(#""q":\#(values.pick(queries))"#) }
        if values.chance(60) { fields.append(#""t":\#(values.pick(tags))"#) }
        if values.chance(30) { fields.append(#""h":\#(values.pick(hashes))"#) }
        if values.chance(10) { fields.append(#""w":"w\#(values.number(0...9))""#) }
        if values.chance(40) {
            let token = values.pick(["owner", "x", UnsignedTokens.user("ada"), UnsignedTokens.user("b.ob")])
            fields.append(#""cred":"\#(token)""#)
        }
        if values.chance(10) { fields.append(#""authvar":\#(values.pick(Self.values))"#) }
        if values.chance(5) { fields.append(#""noauth":true"#) }
        return "{\(fields.joined(separator: ","))}"
    }

    private func expectAnswers(_ devices: [EngineHarness.Device], count: Int) throws {
        for device in devices {
            let numbers = try device.received.compactMap { text -> Int? in
                if case .response(let response) = try DeviceMessage(text) { return response.number }
                return nil
            }
            #expect(numbers == Array(1...count))
            #expect(device.isOpen)
        }
    }
}

extension String {
    fileprivate var replacingControlCharacters: String {
        unicodeScalars.reduce(into: "") { $0 += $1.value < 0x20 ? "\\u000\($1.value)" : String($1) }
    }
}
