import Glibc
import TestSupport
import Testing

/// A hub that hostile clients of HTTP come to, and what must be as before when they have gone.
struct HTTPScene {
    let hub: HubProcess
    let rest: RestClient
    private let descriptors: Int
    private let gauges: [String: Double]

    private static let names = [
        #"hearth_connections{transport="sse"}"#, #"hearth_connections{transport="websocket"}"#, "hearth_listens",
        "hearth_send_queue_bytes",
    ]

    init(_ hub: HubProcess) throws {
        self.hub = hub
        rest = RestClient(port: hub.port, namespace: "demo")
        _ = try rest.put("/witness.json", "0")
        rest.close()
        descriptors = try HTTPScene.settled(hub)
        gauges = try HTTPScene.gauges(hub)
    }

    func open(receiveBuffer: Int? = nil) throws -> RawSocket {
        try RawSocket(port: hub.port, receiveBuffer: receiveBuffer)
    }

    /// Sends bytes on a connection of their own and gives what comes back until the hub closes it.
    func exchange(_ text: String, within: Duration = .seconds(30)) throws -> String {
        let socket = try open()
        try socket.send(Array(text.utf8))
        var received: [UInt8] = []
        do {
            while true { received += try socket.receive(until: .now + within) }
        } catch RawSocketError.ended {
        } catch RawSocketError.reset {}
        return String(decoding: received, as: UTF8.self)
    }

    /// Others are served right now, over HTTP and over a WebSocket.
    func expectService(_ round: Int = 1) throws {
        #expect(try rest.put("/witness.json", "\(round)").outcome == "200 \(round)")
        let device = try TestDevice(hub)
        #expect(try device.get("/witness") == "\(round)")
        try device.leave()
    }

    /// Nothing is left of the guests.
    func expectCalm() throws {
        try expectService()
        rest.close()
        let deadline = ContinuousClock.now + .seconds(30)
        while try HTTPScene.descriptors(hub) > descriptors || HTTPScene.gauges(hub) != gauges {
            guard ContinuousClock.now < deadline else {
                throw DeviceError.missing(
                    "the descriptors and gauges from before: \(descriptors) \(gauges), now "
                        + "\(try HTTPScene.descriptors(hub)) \(try HTTPScene.gauges(hub))")
            }
            usleep(20_000)
        }
    }

    private static func gauges(_ hub: HubProcess) throws -> [String: Double] {
        let metrics = try HubMetrics(port: hub.port)
        return Dictionary(uniqueKeysWithValues: names.map { ($0, metrics[$0]) })
    }

    private static func descriptors(_ hub: HubProcess) throws -> Int {
        DataFiles.list("/proc/\(hub.processID)/fd").count
    }

    /// The number of descriptors once connections of the past are gone: the least that is seen for a while.
    private static func settled(_ hub: HubProcess) throws -> Int {
        var least = Int.max
        for _ in 0..<20 {
            least = min(least, try descriptors(hub))
            usleep(5000)
        }
        return least
    }
}
