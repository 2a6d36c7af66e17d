import Glibc

/// Why a raw socket could not do what a test asked of it.
package enum RawSocketError: Error, Equatable, CustomStringConvertible {
    case connectFailed(port: Int, errno: Int32)
    /// Nothing (more) arrived in time.
    case timedOut(String)
    /// The peer ended the stream in order.
    case ended
    /// The peer, or the kernel, cut the connection.
    case reset
    case unexpected(String)

    package var description: String {
        switch self {
        case .connectFailed(let port, let code):
            "could not connect to 127.0.0.1:\(port): \(String(cString: strerror(code)))"
        case .timedOut(let what): "timed out waiting for \(what)"
        case .ended: "the peer closed the connection"
        case .reset: "the connection was reset"
        case .unexpected(let what): "unexpected: \(what)"
        }
    }
}

/// A blocking TCP connection on loopback in which every wait has a deadline. For tests only.
///
/// Confined to one thread at a time.
package final class RawSocket {
    package private(set) var descriptor: Int32

    /// Connects to a port of the loopback interface.
    ///
    /// - Parameters:
    ///   - address: an IPv4 address in dotted form.
    ///   - receiveBuffer: bytes of the kernel's receive buffer; a small one makes a slow reader soon noticed.
    package init(port: Int, address: String = "127.0.0.1", receiveBuffer: Int? = nil) throws(RawSocketError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if let receiveBuffer {
            var bytes = Int32(receiveBuffer)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(UInt16(truncatingIfNeeded: port).bigEndian)
        inet_pton(AF_INET, address, &name.sin_addr)
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            Glibc.close(descriptor)
            descriptor = -1
            throw .connectFailed(port: port, errno: code)
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Takes over a connected descriptor.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    /// Sends all bytes, or fails when the peer takes none of them for `within`.
    package func send(_ bytes: [UInt8], within: Duration = .seconds(10)) throws(RawSocketError) {
        var sent = 0
        while sent < bytes.count {
            guard wait(for: Int16(POLLOUT), until: .now + within) else { throw .timedOut("the peer to take bytes") }
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 {
                sent += count
            } else if errno != EAGAIN && errno != EINTR {
                throw .reset
            }
        }
    }

    /// At least one and at most `count` bytes.
    package func receive(upTo count: Int = 65_536, until deadline: ContinuousClock.Instant) throws(RawSocketError)
        -> [UInt8]
    {
        guard wait(for: Int16(POLLIN), until: deadline) else { throw .timedOut("bytes") }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let received = recv(descriptor, buffer.baseAddress, count, 0)
            failure = received < 0 ? errno : 0
            filled = max(0, received)
        }
        if failure != 0 { throw .reset }
        if bytes.isEmpty { throw .ended }
        return bytes
    }

    /// Tells the peer that nothing more will be sent, and keeps receiving.
    package func halfClose() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Cuts the connection with RST: what a crashed device's kernel or a firewall does.
    package func reset() {
        guard descriptor >= 0 else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Closes with FIN.
    package func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func wait(for events: Int16, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = (deadline - ContinuousClock.Instant.now).milliseconds
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let ready = poll(&entry, 1, Int32(clamping: max(0, left)))
            if ready > 0 { return true }
            if ready == 0 && left <= 0 { return false }
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    /// Whole microseconds, rounded down.
    package var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
