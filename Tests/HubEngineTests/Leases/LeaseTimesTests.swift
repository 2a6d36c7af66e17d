import DataTree
import Storage
import TestSupport
import Testing
import WireProtocol

@testable import HubEngine

@Suite("The time of leases")
struct LeaseTimesTests {
    private static let (one, two) = (ConnectionID(lease: 1), ConnectionID(lease: 2))
    private static func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }

    @Test("is up when nothing has prolonged it")
    func expires() {
        var times = LeaseTimes()
        #expect(times.next == .max)
        times.note([.held(Self.one, 500), .held(Self.two, 300)], now: 0)
        #expect(times.next == Self.milliseconds(300))
        #expect(times.takeExpired(now: Self.milliseconds(299)).isEmpty)
        times.note([.held(Self.two, 500)], now: Self.milliseconds(290))
        #expect(times.takeExpired(now: Self.milliseconds(300)).isEmpty)
        #expect(times.next == Self.milliseconds(500))
        #expect(times.takeExpired(now: Self.milliseconds(510)) == [Self.one])
        #expect(times.takeExpired(now: Self.milliseconds(800)) == [Self.two])
        #expect(times.next == .max)
    }

    @Test("of one that has ended does not matter any more")
    func ended() {
        var times = LeaseTimes()
        times.note([.held(Self.one, 500), .ended(Self.one)], now: 0)
        #expect(times.next == .max)
        #expect(times.takeExpired(now: .max).isEmpty)
    }

    @Test("is not up at once when the hub was held up: a renewal may be waiting")
    func late() {
        var times = LeaseTimes()
        times.note([.held(Self.one, 500), .held(Self.two, 500)], now: 0)
        #expect(times.takeExpired(now: Self.milliseconds(30_000)).isEmpty)
        times.note([.held(Self.two, 500)], now: Self.milliseconds(30_900))
        #expect(times.takeExpired(now: times.next) == [Self.one])
        #expect(times.count == 1)
    }

    @Test("is kept by a running hub, which keeps the namespace in memory meanwhile")
    func hub() throws {
        var limits = Limits()
        limits.leaseTimes = 1...1000
        let hub = Hub(
            configuration: HubConfiguration(mode: .development, limits: limits), storage: MemoryHubStorage(),
            log: .silent, fail: { _ in })
        try hub.start()
        let outlet = RecordingOutlet()
        hub.attach(outlet, loop: 0)
        let observer = ConnectionID(loop: 0, slot: 1, generation: 1)
        let sink = try hub.route(namespace: "demo").get()
        sink.post([.opened(observer, SessionOpening(transport: .webSocket, host: "x"))])
        var listen = #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/d","h":""}}}"#
        let message = try listen.withUTF8 { try RequestDecoder.decode(UnsafeRawBufferPointer($0)) }
        sink.post([.message(observer, message)])
        #expect(outlet.wait(for: 2, observer).count >= 2)
        let terms = LeaseRequest.Terms(
            timeToLive: 50, online: try Node(json: #""on""#), onDisconnect: try Node(json: #""off""#))
        sink.post([
            .call(
                ConnectionID(loop: 0, slot: 2, generation: 1),
                Call(
                    credential: CallCredential(bearer: "owner"),
                    operation: .lease(LeaseRequest(path: Path("d"), kind: .hold(terms)))))
        ])
        let heard = outlet.wait(for: 5, observer)
        #expect(heard.contains(#"{"t":"d","d":{"a":"d","b":{"p":"d","d":"on"}}}"#))
        #expect(heard.last == #"{"t":"d","d":{"a":"d","b":{"p":"d","d":"off"}}}"#)
        #expect(hub.metrics.connections(.lease).value == 0)
        hub.stop()
    }
}
