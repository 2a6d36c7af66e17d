import DataTree
import Gateway
import Glibc
import HubEngine
import Storage

/// A hub with its gateway, from its files to its sockets.
struct RunningHub {
    let hub: Hub
    let gateway: Gateway
    private let live: Monitor<LiveSettings>

    /// What the hub takes over while it runs.
    private struct LiveSettings: Sendable {
        var trustedProxies: [AddressRange]
        var metricsOpen: Bool

        init(_ configuration: ServeConfiguration) {
            trustedProxies = configuration.trustedProxies
            metricsOpen = configuration.isDevelopment || configuration.metricsOpen
        }
    }

    /// Recovers what is stored and binds the ports; nobody is served before `gateway.start`.
    init(_ configuration: ServeConfiguration, log: Logger, fail: @escaping @Sendable (String) -> Void) throws {
        let metrics = Metrics()
        let rules = try configuration.rulesPath.map { try ConfiguredRulesFile(path: $0).configured() }
        let storage = try HubFiles(configuration)
        hub = Hub(
            configuration: HubConfiguration(
                mode: configuration.isDevelopment ? .development : .production,
                namespaces: configuration.namespaces, maxNamespaces: configuration.maxNamespaces,
                presencePath: configuration.presencePath.map { Path($0) }, publicHost: configuration.publicHost,
                administratorSecret: storage.administratorSecret, rules: rules),
            storage: storage.storage, metrics: metrics, log: log, fail: { fail("\($0)") })
        try hub.start()
        let hub = hub
        live = Monitor(LiveSettings(configuration))
        gateway = try Gateway(
            Self.gatewayConfiguration(configuration, live, secret: storage.administratorSecret), router: hub,
            metrics: metrics, logger: log,
            routes: HTTPRoute.management(
                hub, version: Version.current, isDevelopment: configuration.isDevelopment),
            attach: { loop, outlet in hub.attach(outlet, loop: loop) })
    }

    private static func gatewayConfiguration(
        _ configuration: ServeConfiguration, _ live: Monitor<LiveSettings>, secret: String?
    ) -> GatewayConfiguration {
        var gateway = GatewayConfiguration()
        gateway.endpoint = GatewayConfiguration.Endpoint(host: configuration.host, port: configuration.port)
        gateway.tls = configuration.tls.map { GatewayConfiguration.TLS(certificate: $0.certificate, key: $0.key) }
        gateway.loops = configuration.loops ?? defaultLoops
        gateway.deadPeerSeconds = configuration.deadPeerSeconds
        gateway.keepAliveSeconds = configuration.keepAliveSeconds
        gateway.administrativeEndpoint = configuration.administrativeAddress.map {
            GatewayConfiguration.Endpoint(host: $0.host, port: $0.port)
        }
        gateway.maxConnections = configuration.maxConnections
        gateway.namespaces = NamespaceChoice(suffixes: configuration.namespaceSuffix.map { [$0] } ?? [])
        gateway.isTrustedProxy = { address in
            live.with { $0.trustedProxies }.contains { $0.contains(address: address) }
        }
        if !configuration.isDevelopment {
            let authenticator = Authenticator(mode: .production, administratorSecret: secret)
            gateway.isTrusted = { access, isAdministrative in
                let identity = try? authenticator.identity(of: access, now: 0, isAdministrative: isAdministrative)
                return identity?.isAdministrator ?? false
            }
            gateway.mayReadMetrics = { credential in
                live.with { $0.metricsOpen } || credential.map(authenticator.isAdministrator) ?? false
            }
        }
        return gateway
    }

    /// Half of the cores, at least one and at most four: the log and the kernel's network work need the others, and every further
    /// loop is one more thread to wake for a fan-out.
    private static var defaultLoops: Int { min(4, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) / 2)) }

    /// Takes over what `ServeConfiguration.changesForRestart` does not name, and loads the certificates again.
    /// - Throws: what is wrong with the rules file; nothing is changed then.
    func reload(_ configuration: ServeConfiguration) throws {
        let rules = try configuration.rulesPath.map { try ConfiguredRulesFile(path: $0).configured() }
        live.with { $0 = LiveSettings(configuration) }
        gateway.reloadCertificates()
        if let rules { hub.configure(rules) }
    }

    /// Tells clients by closing their sockets, runs what they registered, stores everything.
    /// - Returns: whether no thread is left that the process would have to wait for.
    func stop() -> Bool {
        gateway.drain(over: .milliseconds(500))
        let isQuiet = hub.stop()
        gateway.stop()
        return isQuiet
    }
}
