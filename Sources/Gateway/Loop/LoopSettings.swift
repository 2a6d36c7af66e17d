import HubEngine

/// What all loops of a gateway share. Immutable; its objects are safe from any thread.
struct LoopSettings: Sendable {
    var router: any SessionRouter
    var metrics: Metrics
    var logger: Logger
    var admission: Admission
    var pressure: OutputPressure
    var routes: HTTPRoutes
    var longPolls: LongPollDirectory
    var decode: MessageDecoder
    var namespaces: NamespaceChoice
    var isTrustedProxy: @Sendable (String) -> Bool
    var tls: GatewayConfiguration.TLS?
    /// Whether somebody may send as much as the hub can take at all.
    var isTrusted: @Sendable (CallCredential, _ isAdministrative: Bool) -> Bool
    var deadPeerSeconds: Int
    /// The longest silence on an event stream.
    var keepAliveSeconds: Int
    var queueLimit: Int
    var messageLimit: Int
    var kernelSendBuffer: Int
    var sinkBacklogLimit: Int
    /// Milliseconds of a monotonic clock.
    var monotonicMilliseconds: @Sendable () -> Int64
    /// Milliseconds between ticks of the loop's clock.
    var tickMilliseconds: Int64

    /// Those of all loops.
    var inboxes: [LoopInbox] { pressure.inboxes }
}

/// How far the loops are behind with their sending, all together.
///
/// The engine can produce faster than sockets take. Then loops stop reading from the clients that cause it.
struct OutputPressure: Sendable {
    /// Deliveries waiting in one inbox above which reading stops.
    static let limit = 200_000
    var inboxes: [LoopInbox]

    var isHigh: Bool { inboxes.contains { $0.waitingDeliveries > OutputPressure.limit } }
}
