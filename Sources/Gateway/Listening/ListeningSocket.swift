import CLibwebsockets
import Glibc

/// A bound, listening TCP socket that nobody else can share.
///
/// Bound plainly: with `SO_REUSEPORT` a second hub could take half of the connections unnoticed.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    /// The real port.
    let port: Int
    let isAdministrative: Bool
    let usesTLS: Bool

    /// Connections that may wait to be accepted, which spreads a storm; the kernel caps it at `net.core.somaxconn`.
    private static let waitingConnections: Int32 = 4096

    init(_ endpoint: GatewayConfiguration.Endpoint, isAdministrative: Bool, usesTLS: Bool) throws(GatewayError) {
        let (host, wanted) = (endpoint.host, endpoint.port)
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_protocol = Int32(IPPROTO_TCP)
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(wanted), &hints, &found)
        guard status == 0, let address = found else {
            throw .cannotListen(host: host, port: wanted, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(found) }
        let descriptor = hearth_stream_socket(address.pointee.ai_family)
        guard descriptor >= 0 else {
            throw .cannotListen(host: host, port: wanted, reason: String(cString: strerror(errno)))
        }
        // Lets a restarted hub bind while connections of the last one are in TIME_WAIT; it does not share the port.
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if address.pointee.ai_family == AF_INET6 {
            var off: Int32 = 0
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        }
        guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            listen(descriptor, ListeningSocket.waitingConnections) == 0
        else {
            let code = errno
            Glibc.close(descriptor)
            if code == EADDRINUSE { throw .addressInUse(host: host, port: wanted) }
            throw .cannotListen(host: host, port: wanted, reason: String(cString: strerror(code)))
        }
        self.descriptor = descriptor
        self.isAdministrative = isAdministrative
        self.usesTLS = usesTLS
        port = SocketAddress.local(of: descriptor)?.port ?? wanted
    }
}

/// Numeric forms of socket addresses.
enum SocketAddress {
    static func local(of descriptor: Int32) -> (host: String, port: Int)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return status == 0 ? text(storage) : nil
    }

    /// The numeric address and the port; an IPv4 address that came through an IPv6 socket is written as IPv4.
    static func text(_ storage: sockaddr_storage) -> (host: String, port: Int)? {
        var storage = storage
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let size = socklen_t(buffer.count)
        let port: in_port_t
        switch Int32(storage.ss_family) {
        case AF_INET:
            port = withUnsafePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    var bytes = address.pointee.sin_addr
                    inet_ntop(AF_INET, &bytes, &buffer, size)
                    return address.pointee.sin_port
                }
            }
        case AF_INET6:
            port = withUnsafePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    var bytes = address.pointee.sin6_addr
                    inet_ntop(AF_INET6, &bytes, &buffer, size)
                    return address.pointee.sin6_port
                }
            }
        default:
            return nil
        }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let mapped = "::ffff:"
        return (
            text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text,
            Int(in_port_t(bigEndian: port))
        )
    }
}
