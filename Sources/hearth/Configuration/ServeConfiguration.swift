import HubEngine

/// Everything that `hearth serve` can be told, checked: what the hub is built from.
struct ServeConfiguration: Equatable, Sendable {
    /// Where state lives.
    enum Storage: Equatable, Sendable {
        case directory(String)
        case memory
    }

    /// PEM files.
    struct TLS: Equatable, Sendable {
        var certificate: String
        var key: String
    }

    /// A host name or numeric address, without brackets.
    var host = "127.0.0.1"
    /// 0 to 65535; 0 picks a free one.
    var port = 9000
    var storage = Storage.directory("./hearth-data")
    var isDevelopment = false
    /// Created at start if they are not there; none twice.
    var namespaces: [String] = []
    /// The presence node, as `a/b`; nil keeps none.
    var presencePath: String?
    /// Threads that serve sockets; nil leaves it to the machine.
    var loops: Int?
    var deadPeerSeconds = 45
    /// The longest silence on an event stream.
    var keepAliveSeconds = 25
    /// Where `owner` is an administrator.
    var administrativeAddress: ListenAddress?
    /// What clients are told to come back to, `HOST` or `HOST:PORT`; nil tells them the `Host` they used.
    var publicHost: String?
    /// Without a leading dot.
    var namespaceSuffix: String?
    /// Address ranges, `ADDRESS/BITS`.
    var trustedProxies: [AddressRange] = []
    var tls: TLS?
    /// nil allows as many as there are descriptors.
    var maxConnections: Int?
    var maxNamespaces = 64
    var metricsOpen = false
    /// The file with the security rules of all namespaces; nil leaves each with its own.
    var rulesPath: String?
    var logLevel = Logger.Level.info

    init() {}

    /// Checks settings one by one and against each other.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        let read = SettingReader(settings)
        host = try read.text("host", wanted: "an address such as 127.0.0.1 or ::1", SettingReader.host) ?? host
        port = try read.number("port", in: 0...65_535, note: " (0 picks a free port)") ?? port
        if let directory = try read.text("data", wanted: "the path of a folder", SettingReader.filled) {
            storage = .directory(directory)
            if settings.isOn("memory") {
                throw .contradiction("--memory and --data exclude each other; leave one of them out")
            }
        } else if settings.isOn("memory") {
            storage = .memory
        }
        isDevelopment = settings.isOn("dev")
        for name in try read.texts("namespace", wanted: SettingReader.namespaceRule, SettingReader.namespace)
        where !namespaces.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            namespaces.append(name)
        }
        presencePath = try read.text("presence", wanted: SettingReader.presenceRule, SettingReader.presencePath)
        loops = try read.number("loops", in: 1...64)
        deadPeerSeconds = try read.number("dead-peer-seconds", in: 10...3600) ?? deadPeerSeconds
        keepAliveSeconds = try read.number("keep-alive-seconds", in: 1...3600) ?? keepAliveSeconds
        administrativeAddress = try read.text(
            "admin-listen", wanted: "a loopback or private address and a port, such as 127.0.0.1:9001",
            ListenAddress.init(private:))
        publicHost = try read.text("public-host", wanted: "HOST or HOST:PORT", SettingReader.publicHost)
        namespaceSuffix = try read.text(
            "namespace-suffix", wanted: "a host name such as db.example.org", SettingReader.suffix)
        trustedProxies = try read.texts(
            "trusted-proxy", wanted: "an address range such as 10.0.0.0/8 or fd00::/8", AddressRange.init)
        maxConnections = try read.number("max-connections", in: 1...1_000_000)
        maxNamespaces = try read.number("max-namespaces", in: 1...10_000) ?? maxNamespaces
        metricsOpen = settings.isOn("metrics-open")
        rulesPath = try read.text("rules", wanted: "the path of a rules file", SettingReader.filled)
        logLevel =
            try read.text("log-level", wanted: "debug, info, warning or error", Logger.Level.init(name:)) ?? logLevel
        tls = try ServeConfiguration.tls(read)
        try checkTogether(settings)
    }

    private static func tls(_ read: SettingReader) throws(ConfigurationProblem) -> TLS? {
        let certificate = try read.text("tls-cert", wanted: "the path of a PEM file", SettingReader.filled)
        let key = try read.text("tls-key", wanted: "the path of a PEM file", SettingReader.filled)
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLS(certificate: certificate, key: key)
        case (_?, nil): throw .contradiction("--tls-cert needs the certificate's key; add --tls-key FILE")
        case (nil, _?): throw .contradiction("--tls-key needs the certificate; add --tls-cert FILE")
        }
    }

    private func checkTogether(_ settings: Settings) throws(ConfigurationProblem) {
        if settings.isOn("dev-allow-remote") && !isDevelopment {
            throw .contradiction("--dev-allow-remote is about --dev only; add --dev or leave it out")
        }
        if isDevelopment && !AddressRange.isLoopback(host: host) && !settings.isOn("dev-allow-remote") {
            throw .contradiction(
                "--dev is open to everybody who reaches \(host); use --host 127.0.0.1, or add --dev-allow-remote "
                    + "if that is meant")
        }
        if namespaces.count > maxNamespaces {
            throw .contradiction(
                "--namespace names \(namespaces.count) namespaces and --max-namespaces allows \(maxNamespaces); "
                    + "raise --max-namespaces")
        }
    }
}

extension ServeConfiguration {
    /// What holds in a namespace that nobody has given rules, in words.
    var rulesOfNewNamespaces: String {
        if let rulesPath { return "those of \(rulesPath)" }
        return isDevelopment
            ? "open: everybody may read and write everything" : "locked: the administrator alone may read and write"
    }

    /// The options in which this configuration differs from `running` and that only a restart can change.
    func changesForRestart(from running: ServeConfiguration) -> [String] {
        var names: [String] = []
        func note<Value: Equatable>(_ name: String, _ value: (ServeConfiguration) -> Value) {
            if value(self) != value(running) { names.append(name) }
        }
        note("host") { $0.host }
        note("port") { $0.port }
        note("data") { $0.storage }
        note("dev") { $0.isDevelopment }
        note("namespace") { $0.namespaces }
        note("presence") { $0.presencePath }
        note("loops") { $0.loops }
        note("dead-peer-seconds") { $0.deadPeerSeconds }
        note("keep-alive-seconds") { $0.keepAliveSeconds }
        note("admin-listen") { $0.administrativeAddress }
        note("public-host") { $0.publicHost }
        note("namespace-suffix") { $0.namespaceSuffix }
        note("tls-cert") { $0.tls?.certificate }
        note("tls-key") { $0.tls?.key }
        note("max-connections") { $0.maxConnections }
        note("max-namespaces") { $0.maxNamespaces }
        note("log-level") { $0.logLevel }
        return names
    }
}
