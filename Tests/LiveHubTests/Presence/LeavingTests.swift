import DataTree
import Glibc
import TestSupport
import Testing

@Suite("a client that leaves", .blocking, .serialized)
struct LeavingTests {
    /// How a connection ends, and what the hub makes of it.
    enum Way: String, CaseIterable, Sendable {
        case closeFrame, fin, reset, halfClose, killedProcess
        case frozen, stoppedProcess, answersNoPing

        var reason: String {
            switch self {
            case .closeFrame: "closed by client"
            case .fin, .reset, .halfClose, .killedProcess: "connection lost"
            case .frozen, .stoppedProcess, .answersNoPing: "timed out"
            }
        }

        var isSilence: Bool { reason == "timed out" }
    }

    /// A client for one way of leaving.
    private enum Client {
        case device(TestDevice)
        case process(ClientProcess)
    }

    @Test("is gone for the others, for whatever reason, at once or within the dead-peer time, and why is told")
    func reasons() throws {
        let hub = try HubProcess("--dev", "--dead-peer-seconds", "10", "--presence", "online")
        let observer = try TestDevice(hub)
        try observer.listen("/left")
        try observer.listen("/online")
        let faithful = try TestDevice(hub)
        try faithful.authenticate(UnsignedTokens.user("faithful"))
        try faithful.onDisconnectPut("/left/faithful", "1")

        var clients: [Way: Client] = [:]
        for way in Way.allCases { clients[way] = try enter(way, hub) }
        try observer.pump("everybody's entry") {
            observer.view.node(at: "online/users").childCount == Way.allCases.count + 1
        }
        let start = ContinuousClock.now
        for way in Way.allCases { try leave(way, clients[way]) }
        var left: [Way: Duration] = [:]
        while left.count < Way.allCases.count, ContinuousClock.now - start < .seconds(25) {
            if case .device(let silent)? = clients[.answersNoPing] { try? silent.drain() }
            try faithful.drain()
            try? observer.pump("a change", within: .milliseconds(50)) { false }
            for way in Way.allCases where left[way] == nil {
                if observer.view.node(at: Path("left/\(way)")).number != nil { left[way] = ContinuousClock.now - start }
            }
        }
        for way in Way.allCases {
            let time = try #require(left[way], "\(way) never left")
            let bounds: ClosedRange<Duration> =
                way.isSilence ? .seconds(8) ... .seconds(14) : .zero ... .seconds(3)
            #expect(bounds.contains(time), "\(way) left after \(time)")
            #expect(observer.view.node(at: Path("left/\(way)")).number == 1)
            #expect(observer.view.node(at: Path("online/users/\(way)")).isEmpty)
            let seen = observer.view.node(at: Path("online/lastSeen/\(way)"))
            #expect(seen[Key("reason")] == Node(leaf: .string(Text(way.reason))), "\(way): \(seen.json)")
            #expect(seen[Key("at")].number != nil)
        }
        // Who only answers pings stays.
        #expect(observer.view.node(at: "left/faithful").isEmpty)
        try observer.expectValue(at: "/online/stats", #"{"connections":1,"users":1}"#)
        let metrics = try HubMetrics(port: hub.port)
        for (reason, count) in [("closed_by_client", 1), ("connection_lost", 4), ("timed_out", 3)] {
            #expect(metrics["hearth_connections_closed_total{reason=\"\(reason)\"}"] == Double(count), "\(reason)")
            #expect(metrics["hearth_ondisconnect_runs_total{reason=\"\(reason)\"}"] == Double(count), "\(reason)")
        }
        #expect(metrics["hearth_connections{transport=\"websocket\"}"] == 2)
    }

    private func enter(_ way: Way, _ hub: HubProcess) throws -> Client {
        let operation = TestDevice.put("/left/\(way)", #"{".sv":{"increment":1}}"#)
        switch way {
        case .killedProcess, .stoppedProcess:
            return .process(
                try ClientProcess(
                    port: hub.port,
                    requests: [("auth", #"{"cred":"\#(UnsignedTokens.user("\(way)"))"}"#), ("o", operation)]))
        default:
            let device = try TestDevice(hub)
            try device.authenticate(UnsignedTokens.user("\(way)"))
            try device.expect("ok", "o", operation)
            return .device(device)
        }
    }

    private func leave(_ way: Way, _ client: Client?) throws {
        switch (way, client) {
        case (.closeFrame, .device(let device)?): try device.leave()
        case (.fin, .device(let device)?): device.vanish()
        case (.reset, .device(let device)?): device.pullPlug()
        case (.halfClose, .device(let device)?): device.socket.halfClose()
        case (.answersNoPing, .device(let device)?): device.goSilent()
        case (.killedProcess, .process(let process)?): process.send(SIGKILL)
        case (.stoppedProcess, .process(let process)?): process.send(SIGSTOP)
        default: break
        }
    }

    @Test(
        "and comes back naming its last session finds the old one's operations run, whatever became of that connection")
    func takeover() throws {
        let hub = try HubProcess("--dev", "--presence", "online")
        let observer = try TestDevice(hub)
        try observer.listen("/status")
        var last = try TestDevice(hub)
        for round in 1...TestScale.pick(20, short: 6) {
            try last.authenticate(UnsignedTokens.user("ada"))
            try last.onDisconnectMerge(
                "/status", #"{"ada":"offline","ends":{".sv":{"increment":1}}}"#)
            try last.put("/status/ada", #""online""#)
            // What the old connection still says is void; its end may come before, with, or after the takeover.
            switch round % 4 {
            case 0: last.pullPlug()
            case 1: last.vanish()
            default: break
            }
            let next = try TestDevice(hub, lastSession: last.session)
            #expect(try next.get("/status/ada") == #""offline""#)
            #expect(try next.get("/status/ends") == "\(round)")
            if round % 4 > 1 {
                let end = try last.waitForClose()
                #expect(end?.code == 4409 && end?.text == "superseded")
            }
            last = next
        }
        #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"websocket\"}"] == 2)
    }

    @Test("in three tabs stays one user until the last tab is gone; a page loaded again and again is one connection")
    func tabs() throws {
        let hub = try HubProcess("--dev", "--presence", "online")
        let observer = try TestDevice(hub)
        try observer.listen("/online")
        let token = UnsignedTokens.user("ada")
        let tabs = try (0..<3).map { _ in
            let tab = try TestDevice(hub)
            try tab.authenticate(token)
            return tab
        }
        try observer.expectValue(at: "/online/stats", #"{"users":1,"connections":3}"#)
        #expect(observer.view.node(at: "online/users/ada/connections").childCount == 3)
        try tabs[0].leave()
        tabs[1].pullPlug()
        try observer.expectValue(at: "/online/stats", #"{"users":1,"connections":1}"#)
        #expect(observer.view.node(at: "online/lastSeen").isEmpty)
        tabs[2].vanish()
        try observer.expectValue(at: "/online/stats", #"{"users":0,"connections":0}"#)
        #expect(observer.view.node(at: "online/users").isEmpty)
        #expect(observer.view.node(at: "online/lastSeen/ada/reason").json == #""connection lost""#)

        _ = try observer.takePushes()
        var most = (connections: 0, users: 0)
        var page = try TestDevice(hub)
        try page.authenticate(token)
        for _ in 0..<10 {
            usleep(UInt32(TestScale.pick(500_000, short: 100_000)))
            let next = try TestDevice(hub)
            page.vanish()
            try next.authenticate(token)
            page = next
            try observer.ping()
            for push in try observer.takePushes() {
                _ = push
                most.users = max(most.users, observer.view.node(at: "online/stats/users").number ?? 0)
                most.connections = max(
                    most.connections, observer.view.node(at: "online/users/ada/connections").childCount)
            }
        }
        #expect(most.connections <= 2 && most.users <= 1, "\(most)")
        try observer.expectValue(at: "/online/stats", #"{"users":1,"connections":1}"#, within: .seconds(2))
    }
}
