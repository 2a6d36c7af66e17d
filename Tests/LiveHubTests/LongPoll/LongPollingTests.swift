import DataTree
import TestSupport
import Testing

@Suite("clients that poll", .blocking, .serialized)
struct LongPollingTests {
    @Test("are present and are counted as what they are, and are gone when no poll comes any more")
    func presence() throws {
        let hub = try HubProcess("--dev", "--memory", "--dead-peer-seconds", "10", "--presence", "online")
        let observer = try TestDevice(hub)
        try observer.listen("/online")
        try observer.listen("/left")
        let ada = try PollingDevice(port: hub.port)
        try ada.ask("auth", #"{"cred":"\#(UnsignedTokens.user("ada"))"}"#)
        try ada.ask("o", #"{"p":"/left","d":true}"#)
        try observer.pump("ada comes") { observer.view.node(at: "online/users").childCount == 1 }
        #expect(observer.view.node(at: "online/users/ada").json.contains("longpoll"))
        #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"longpoll\"}"] == 1)
        ada.goSilent()
        try observer.pump("ada is missed") { observer.view.node(at: "online/lastSeen/ada").childCount > 0 }
        #expect(observer.view.node(at: "online/lastSeen/ada/reason").json == #""timed out""#)
        try observer.expectValue(at: "/left", "true")
        #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"longpoll\"}"] == 0)
    }

    @Test("go on with a WebSocket in the middle of traffic: nothing is lost or doubled, and the order is kept")
    func upgrade() throws {
        let hub = try HubProcess("--dev", "--memory", "--loops", "3")
        let observer = try TestDevice(hub)
        try observer.listen("/from")
        let rounds = TestScale.pick(12, short: 4)
        for round in 0..<rounds {
            let device = try PollingDevice(port: hub.port)
            try device.ask("q", #"{"p":"/to/\#(round)","h":""}"#)
            try device.ask("o", #"{"p":"/from/\#(round)/left","d":true}"#)
            let count = 120
            for number in 0..<count {
                switch number {
                case 30: try device.offerSocket()
                case 60: try device.switchToSocket()
                default: break
                }
                let key = 1000 + number
                try observer.send("p", #"{"p":"/to/\#(round)/\#(key)","d":\#(number)}"#)
                try device.send("p", #"{"p":"/from/\#(round)/\#(key)","d":\#(number)}"#)
            }
            // Every write is answered once and in order, and every push comes once and in order, over both ways together.
            try device.wait { device.answers.count == count + 2 && device.pushed.count == count }
            #expect(device.answers == Array(1...(count + 2)))
            #expect(device.pushed == Array(0..<count))
            #expect(device.isSwitched)
            var written: [Int] = []
            try observer.pump("all writes") { observer.view.node(at: Path("from/\(round)")).childCount == count }
            for push in try observer.takePushes() {
                guard push.path?.hasPrefix("from/\(round)/") == true, let number = push.data.flatMap({ Int($0) }) else {
                    continue
                }
                written.append(number)
            }
            #expect(written == Array(0..<count))
            #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"longpoll\"}"] == 0)
            try device.leave()
            try observer.pump("its end") { !observer.view.node(at: Path("from/\(round)/left")).isEmpty }
            _ = try observer.takePushes()
        }
        #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"websocket\"}"] == 1)
    }

    @Test("get values of many megabytes, which the hub makes as they are taken")
    func large() throws {
        let hub = try HubProcess("--dev", "--memory")
        let writer = try TestDevice(hub)
        writer.patience = .seconds(60)
        let part = String(repeating: "aé漢😀'\\\\", count: 20_000)
        let parts = TestScale.pick(100, short: 20)
        for number in 0..<parts { try writer.put("/many/m\(number)", "\"\(part)\"") }
        let device = try PollingDevice(port: hub.port)
        try device.ask("q", #"{"p":"/many","h":""}"#, within: .seconds(60))
        let longest = device.texts.max { $0.utf8.count < $1.utf8.count } ?? ""
        #expect(longest.utf8.count > parts * 20_000 * 10)
        let value = try ConversationJSON(longest)["d"]?["b"]?["d"]?["m\(parts - 1)"]?.text
        #expect(value == String(repeating: "aé漢😀'\\", count: 20_000))
    }
}
