import Glibc
import HubEngine
import Storage

/// The hub's side towards its clients: sockets, WebSocket and HTTP.
///
/// It runs `loops` threads. Each tells the engine what happens (`SessionRouter`, `SessionEventSink`) and takes the engine's
/// outputs (`LoopOutlet`). Life: `init` binds and starts the loops, `start` accepts clients, `stop` ends all.
package final class Gateway: Sendable {
    private enum Life { case idle, accepting, stopped }

    private let configuration: GatewayConfiguration
    private let inboxes: [LoopInbox]
    private let threads: [LoopThread]
    private let listening: [ListeningSocket]
    private let logger: Logger
    private let life = Monitor(Life.idle)

    /// The port that clients connect to.
    package let port: Int
    /// The port of the administrators' listener.
    package let administrativePort: Int?
    /// The most sessions at a time.
    package let connectionLimit: Int

    /// Descriptors that are not for clients: the store's files, the log, libraries.
    private static let reservedDescriptors = 256
    /// Sockets above the limit of sessions, for handshakes, HTTP and refusals.
    private static let spareSockets = 512
    /// Milliseconds between ticks of the loops' clocks.
    private static let tickMilliseconds: Int64 = 250

    /// Binds the ports and starts the loops; nobody is served before `start`.
    ///
    /// - Parameters:
    ///   - attach: called once for each loop with its outlet.
    ///   - routes: HTTP routes beside `/healthz` and `/metrics`.
    package convenience init(
        _ configuration: GatewayConfiguration, router: any SessionRouter, metrics: Metrics, logger: Logger,
        routes: [HTTPRoute] = [], attach: (_ loop: UInt16, _ outlet: any LoopOutlet) -> Void
    ) throws(GatewayError) {
        try self.init(
            configuration, router: router, metrics: metrics, logger: logger, routes: routes, decode: .standard,
            monotonicMilliseconds: Gateway.monotonicMilliseconds, attach: attach)
    }

    init(
        _ configuration: GatewayConfiguration, router: any SessionRouter, metrics: Metrics, logger: Logger,
        routes: [HTTPRoute], decode: MessageDecoder, monotonicMilliseconds: @escaping @Sendable () -> Int64,
        attach: (_ loop: UInt16, _ outlet: any LoopOutlet) -> Void
    ) throws(GatewayError) {
        self.configuration = configuration
        self.logger = logger
        // A client that went away is no reason to die.
        signal(SIGPIPE, SIG_IGN)
        let reserved = Gateway.reservedDescriptors + Gateway.spareSockets
        let descriptors = FileLimit.set(for: configuration.maxConnections.map { $0 + reserved })
        let afforded = max(16, descriptors - reserved)
        connectionLimit = min(configuration.maxConnections ?? afforded, afforded)
        logger.info("file-limit", ["descriptors": .integer(descriptors), "connections": .integer(connectionLimit)])
        if let wanted = configuration.maxConnections, wanted > connectionLimit {
            logger.warning(
                "file-limit-too-low",
                ["wanted": .integer(wanted), "possible": .integer(connectionLimit), "remedy": "raise ulimit -n"])
        }
        listening = try Gateway.bind(configuration)
        port = listening.first?.port ?? configuration.endpoint.port
        administrativePort = listening.dropFirst().first?.port
        metrics.connectionLimit.set(connectionLimit)
        metrics.startedAt.set(Int(monotonicMilliseconds()) * 1_000_000)
        let inboxes = (0..<max(1, configuration.loops)).map { _ in LoopInbox() }
        self.inboxes = inboxes
        let settings = LoopSettings(
            router: router, metrics: metrics, logger: logger,
            admission: Admission(
                sessionLimit: connectionLimit, socketLimit: connectionLimit + Gateway.spareSockets),
            pressure: OutputPressure(inboxes: inboxes),
            routes: HTTPRoutes(
                routes: [
                    .health,
                    .metrics(
                        metrics, now: { Int(monotonicMilliseconds()) * 1_000_000 },
                        mayRead: configuration.mayReadMetrics),
                    .webSocketWithoutUpgrade,
                ] + routes),
            longPolls: LongPollDirectory(),
            decode: decode, namespaces: configuration.namespaces, isTrustedProxy: configuration.isTrustedProxy,
            tls: configuration.tls, isTrusted: configuration.isTrusted, deadPeerSeconds: configuration.deadPeerSeconds,
            keepAliveSeconds: configuration.keepAliveSeconds,
            queueLimit: configuration.queueLimit, messageLimit: configuration.messageLimit,
            kernelSendBuffer: configuration.kernelSendBuffer, sinkBacklogLimit: configuration.sinkBacklogLimit,
            monotonicMilliseconds: monotonicMilliseconds, tickMilliseconds: Gateway.tickMilliseconds)
        var threads: [LoopThread] = []
        for (index, inbox) in inboxes.enumerated() {
            do {
                threads.append(try LoopThread(index: UInt16(clamping: index), settings: settings, inbox: inbox))
            } catch {
                for inbox in inboxes { inbox.post(.end) }
                for thread in threads { thread.join() }
                for socket in listening { Glibc.close(socket.descriptor) }
                throw error
            }
        }
        self.threads = threads
        for (index, inbox) in inboxes.enumerated() { attach(UInt16(clamping: index), inbox) }
    }

    private static func bind(_ configuration: GatewayConfiguration) throws(GatewayError) -> [ListeningSocket] {
        var sockets = [
            try ListeningSocket(configuration.endpoint, isAdministrative: false, usesTLS: configuration.tls != nil)
        ]
        guard let endpoint = configuration.administrativeEndpoint else { return sockets }
        do {
            sockets.append(try ListeningSocket(endpoint, isAdministrative: true, usesTLS: false))
        } catch {
            Glibc.close(sockets[0].descriptor)
            throw error
        }
        return sockets
    }

    /// Begins to accept clients.
    package func start() {
        let starts = life.with { life in
            guard life == .idle else { return false }
            life = .accepting
            return true
        }
        guard starts else { return }
        inboxes[0].post(.listen(listening))
        logger.info("listening", ["host": .text(configuration.endpoint.host), "port": .integer(port)])
    }

    /// Loads the certificate and key files again; sessions that are open keep what they have.
    package func reloadCertificates() {
        for inbox in inboxes { inbox.post(.reloadCertificate) }
    }

    /// Stops accepting and closes all sessions, spread over `drain`; the ends reach the engine as `serverStopping`.
    ///
    /// Returns at once. The loops go on sending, so that what the engine still has to say gets out, until `stop`.
    package func drain(over drain: Duration) {
        let wasAccepting = life.with { life in
            defer { life = .stopped }
            return life == .accepting
        }
        if wasAccepting {
            inboxes[0].post(.stopAccepting)
        }
        let (seconds, attoseconds) = drain.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        for inbox in inboxes { inbox.post(.drain(milliseconds: milliseconds)) }
    }

    /// Cuts what is left and ends the loops; returns when their threads are gone.
    package func stop() {
        life.with { $0 = .stopped }
        for inbox in inboxes { inbox.post(.end) }
        for thread in threads { thread.join() }
    }

    private static let monotonicMilliseconds: @Sendable () -> Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
