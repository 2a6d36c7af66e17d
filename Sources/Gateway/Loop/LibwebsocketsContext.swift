import CLibwebsockets
import Glibc
import HubEngine

/// Memory that a libwebsockets context points into for as long as it lives.
final class LibwebsocketsResources {
    let protocols: UnsafeMutablePointer<lws_protocols>
    let retryPolicy: UnsafeMutablePointer<lws_retry_bo_t>
    let foreignLoops: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var strings: [UnsafeMutablePointer<CChar>] = []

    init(loop: UnsafeMutablePointer<uv_loop_t>) {
        protocols = .allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        // Zeroed: with libwebsockets' own keep-alive every connection sits in a sorted list, and n of them cost n² steps.
        retryPolicy = .allocate(capacity: 1)
        retryPolicy.initialize(to: lws_retry_bo_t())
        foreignLoops = .allocate(capacity: 1)
        foreignLoops.initialize(to: UnsafeMutableRawPointer(loop))
    }

    deinit {
        protocols.deallocate()
        retryPolicy.deallocate()
        foreignLoops.deallocate()
        for string in strings { free(string) }
    }

    /// A C string that lives as long as this object.
    func string(_ text: String) -> UnsafePointer<CChar>? {
        guard let copy = strdup(text) else { return nil }
        strings.append(copy)
        return UnsafePointer(copy)
    }
}

extension Loop {
    /// Bytes of one read from a socket, and of libwebsockets' buffer for each connection: the default is 4 KiB for each.
    private static let receiveBuffer = 512
    /// Request line and headers together; a longer head is cut off by libwebsockets without an answer.
    private static let headLimit: UInt32 = 16_384
    /// Seconds for a handshake, and for a request's head.
    private static let handshakeSeconds: UInt32 = 10
    /// Seconds that a connection may wait for its next request: longer than proxies keep theirs.
    private static let idleSeconds: Int32 = 75

    func openContext() throws(GatewayError) {
        LibwebsocketsLog.start(settings.logger)
        let library = LibwebsocketsResources(loop: uvLoop)
        self.library = library
        library.protocols[0].name = library.string("hearth")
        library.protocols[0].callback = libwebsocketsCallback
        library.protocols[0].rx_buffer_size = Loop.receiveBuffer
        library.protocols[0].tx_packet_size = Loop.sendLimit
        var info = contextInfo(library)
        info.options = UInt64(LWS_SERVER_OPTION_LIBUV) | UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
        if settings.tls != nil { info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) }
        guard let context = lws_create_context(&info) else {
            throw .eventLoop(reason: "libwebsockets refuses its context")
        }
        self.context = context
        info.vhost_name = library.string("plain")
        plainHost = lws_create_vhost(context, &info)
        guard plainHost != nil else { throw .eventLoop(reason: "libwebsockets refuses its host") }
        try openSecureHost(&info, library)
    }

    private func contextInfo(_ library: LibwebsocketsResources) -> lws_context_creation_info {
        var info = lws_context_creation_info()
        // We listen ourselves. With plain `CONTEXT_PORT_NO_LISTEN` a host has no TLS.
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.protocols = UnsafePointer(library.protocols)
        info.retry_and_idle_policy = UnsafePointer(library.retryPolicy)
        info.foreign_loops = library.foreignLoops
        info.user = Unmanaged.passUnretained(self).toOpaque()
        info.gid = -1
        info.uid = -1
        info.max_http_header_data2 = Loop.headLimit
        // One for each socket: a head is kept while its request is being read, so a lower number would be the number of slow
        // clients that it takes to shut everybody else out.
        info.max_http_header_pool2 = UInt32(clamping: settings.admission.socketLimit + 1)
        info.timeout_secs = Loop.handshakeSeconds
        info.timeout_secs_ah_idle = Loop.handshakeSeconds
        info.keepalive_timeout = Loop.idleSeconds
        return info
    }

    private func openSecureHost(
        _ info: inout lws_context_creation_info, _ library: LibwebsocketsResources
    ) throws(GatewayError) {
        guard let tls = settings.tls else { return }
        if let reason = hearth_tls_reload(nil, tls.certificate, tls.key) {
            throw .certificate(reason: String(cString: reason), certificate: tls.certificate, key: tls.key)
        }
        info.vhost_name = library.string("secure")
        info.ssl_cert_filepath = library.string(tls.certificate)
        info.ssl_private_key_filepath = library.string(tls.key)
        // Frames are written as they are, which HTTP/2 would not allow.
        info.alpn = library.string("http/1.1")
        secureHost = lws_create_vhost(context, &info)
        guard secureHost != nil else {
            throw .certificate(reason: "OpenSSL refuses them", certificate: tls.certificate, key: tls.key)
        }
    }

    /// Loads the certificate and key files again, for the connections to come. Files that do not work leave all as it is.
    func reloadCertificate() {
        guard let tls = settings.tls else { return }
        if let reason = hearth_tls_reload(tlsContext, tls.certificate, tls.key) {
            settings.logger.error(
                "certificate-not-reloaded",
                [
                    "loop": .integer(Int(index)), "file": .text(tls.certificate),
                    "reason": .text(String(cString: reason)),
                ])
        } else {
            settings.logger.info(
                "certificate-reloaded", ["loop": .integer(Int(index)), "file": .text(tls.certificate)])
        }
    }
}
