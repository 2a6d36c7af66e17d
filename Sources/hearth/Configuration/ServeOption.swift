/// One option of `hearth serve`: `--name` on the command line, `"name"` in a configuration file.
struct ServeOption: Sendable {
    /// Without the dashes.
    let name: String
    /// How the help calls the argument; nil for a flag.
    let argument: String?
    /// Whether it may be given more than once; the values add up.
    var isRepeatable = false
    /// One or more lines for the help.
    let help: String
    /// Whether the contract names it but this version cannot do it yet.
    var isPlanned = false

    var isFlag: Bool { argument == nil }

    /// The option called `name`, planned ones included.
    static func named(_ name: some StringProtocol) -> ServeOption? {
        (all + planned).first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// What this version understands, in the order of the help.
    static let all: [ServeOption] = [
        ServeOption(name: "host", argument: "ADDR", help: "address to listen on (127.0.0.1)"),
        ServeOption(name: "port", argument: "N", help: "port to listen on (9000); 0 picks a free one"),
        ServeOption(name: "data", argument: "DIR", help: "folder that holds all state (./hearth-data)"),
        ServeOption(name: "memory", argument: nil, help: "keep everything in memory: nothing survives a stop"),
        ServeOption(
            name: "dev", argument: nil,
            help: "development: namespaces appear when first used, open to\n"
                + "everybody; the token 'owner' is an administrator; unsigned\n"
                + "ID tokens count"),
        ServeOption(
            name: "dev-allow-remote", argument: nil,
            help: "let --dev listen on an address that other machines reach"),
        ServeOption(
            name: "namespace", argument: "NAME", isRepeatable: true,
            help: "create this namespace if it is not there; repeatable"),
        ServeOption(
            name: "presence", argument: "PATH",
            help: "keep who is online under PATH of every namespace, for clients to read"),
        ServeOption(name: "loops", argument: "N", help: "threads that serve sockets (one for two cores, at most 4)"),
        ServeOption(
            name: "dead-peer-seconds", argument: "N",
            help: "a client silent for so long is gone (45; 10 to 3600)"),
        ServeOption(
            name: "keep-alive-seconds", argument: "N",
            help: "the longest silence on an event stream (25; 1 to 3600)"),
        ServeOption(
            name: "public-host", argument: "HOST[:PORT]",
            help: "the address that clients are told to come back to (the one they used)"),
        ServeOption(
            name: "namespace-suffix", argument: "SUFFIX",
            help: "take the namespace from the host name: NAME.SUFFIX"),
        ServeOption(
            name: "trusted-proxy", argument: "CIDR", isRepeatable: true,
            help: "believe X-Forwarded-For of these addresses; repeatable"),
        ServeOption(name: "tls-cert", argument: "FILE", help: "serve TLS with this certificate chain (PEM)"),
        ServeOption(name: "tls-key", argument: "FILE", help: "the certificate's private key (PEM)"),
        ServeOption(
            name: "admin-listen", argument: "ADDR:PORT",
            help: "a second port, on a loopback or private address, where\n"
                + "the token 'owner' is an administrator: for Admin SDKs"),
        ServeOption(
            name: "max-connections", argument: "N",
            help: "connections at once (as many as the descriptor limit allows)"),
        ServeOption(name: "max-namespaces", argument: "N", help: "namespaces at once (64)"),
        ServeOption(
            name: "metrics-open", argument: nil,
            help: "serve /metrics without the administrator's secret"),
        ServeOption(
            name: "rules", argument: "FILE",
            help: "security rules of every namespace; read again at SIGHUP"),
        ServeOption(name: "config", argument: "FILE", help: "read options from a JSON object; the command line wins"),
        ServeOption(name: "log-level", argument: "LEVEL", help: "debug, info, warning or error (info)"),
    ]

    /// Options that the contract promises for later; they are refused with a sentence of their own.
    static let planned: [ServeOption] = [
        ServeOption(name: "project", argument: "ID", help: "", isPlanned: true),
        ServeOption(name: "api-key", argument: "KEY", isRepeatable: true, help: "", isPlanned: true),
        ServeOption(name: "site", argument: "DIR", help: "", isPlanned: true),
        ServeOption(name: "console", argument: "WHERE", help: "", isPlanned: true),
        ServeOption(name: "console-dir", argument: "DIR", help: "", isPlanned: true),
    ]
}
