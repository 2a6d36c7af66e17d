import HubEngine

/// What a gateway is built from.
package struct GatewayConfiguration: Sendable {
    /// A host name or numeric address, without brackets, and a port; 0 picks a free one.
    package struct Endpoint: Sendable, Equatable {
        package var host: String
        package var port: Int

        package init(host: String = "127.0.0.1", port: Int = 9000) {
            self.host = host
            self.port = port
        }
    }

    /// PEM files of the certificate chain and its key.
    package struct TLS: Sendable, Equatable {
        package var certificate: String
        package var key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    package var endpoint = Endpoint()
    /// A second listener, without TLS, whose connections are marked as administrative.
    package var administrativeEndpoint: Endpoint?
    package var tls: TLS?
    /// Threads that serve sockets.
    package var loops = 1
    package var deadPeerSeconds = 45
    /// The longest silence on an event stream; proxies cut one after a minute.
    package var keepAliveSeconds = 25
    /// The most sessions at a time; nil allows as many as there are file descriptors.
    package var maxConnections: Int?
    package var namespaces = NamespaceChoice()
    /// Whether the peer at a numeric address is a proxy whose `X-Forwarded-For` counts.
    package var isTrustedProxy: @Sendable (_ address: String) -> Bool = { _ in false }
    /// Whether a credential may read `/metrics`: the bearer token or the value of `auth`, nil when there is none.
    package var mayReadMetrics: @Sendable (_ credential: String?) -> Bool = { _ in true }
    /// Whether somebody may send bodies as long as the hub takes at all: an administrator, or anybody in `--dev`.
    package var isTrusted: @Sendable (_ access: CallCredential, _ isAdministrative: Bool) -> Bool = { _, _ in true }
    /// Bytes that may wait for one connection; above it the session ends as too slow.
    package var queueLimit = 16 * 1_048_576
    /// Bytes that one request may have.
    package var messageLimit = 16 * 1_048_576
    /// The kernel's send buffer for one connection: what a client that does not read costs before the queue begins.
    package var kernelSendBuffer = 131_072
    /// Events that may wait in a namespace before its clients are no longer read from.
    package var sinkBacklogLimit = 20_000

    package init() {}
}

/// Why a gateway could not start.
package enum GatewayError: Error, Equatable, Sendable, CustomStringConvertible {
    case addressInUse(host: String, port: Int)
    case cannotListen(host: String, port: Int, reason: String)
    case certificate(reason: String, certificate: String, key: String)
    case eventLoop(reason: String)

    package var description: String {
        switch self {
        case .addressInUse(let host, let port):
            "port \(port) on \(host) is in use by another program; stop it or choose another port with --port"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host) port \(port): \(reason); check --host and --port"
        case .certificate(let reason, let certificate, let key):
            "TLS does not work with \(certificate) and \(key): \(reason); check --tls-cert and --tls-key"
        case .eventLoop(let reason):
            "the event loop cannot start: \(reason); "
                + "the packages libwebsockets17 and libwebsockets-evlib-uv must be installed"
        }
    }
}
