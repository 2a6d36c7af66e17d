import CLibwebsockets
import Glibc

/// Refusals at the limits: with a reason, and with a time after which it is worth trying again.
enum Refusal {
    /// Seconds that a refused client is asked to wait.
    private static let retryAfterSeconds = 10

    /// The hub has as many sessions as it may have.
    static func limit(_ sessions: Int) -> HTTPResponse {
        HTTPResponse(
            status: 503, headers: [("retry-after", "\(retryAfterSeconds)")],
            json: "this hub has reached its limit of \(sessions) connections: try again later; "
                + "--max-connections raises the limit")
    }

    /// Not even a handshake can be afforded: the answer is sent unasked.
    static let overflow = Overflow()

    struct Overflow {
        /// Answers, as far as a socket without TLS can be answered, and closes the socket.
        func send(to socket: AcceptedSocket) {
            if !socket.usesTLS {
                let response = HTTPResponse(
                    status: 503, headers: [("retry-after", "\(retryAfterSeconds)")],
                    json: "this hub has no room for more sockets: try again later")
                let bytes = response.closing.bytes()
                // What the client has sent is read first: bytes left unread turn the close into a reset.
                var unread = [UInt8](repeating: 0, count: 4096)
                _ = recv(socket.descriptor, &unread, unread.count, Int32(MSG_DONTWAIT))
                _ = Glibc.send(
                    socket.descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                hearth_end_sending(socket.descriptor)
            }
            Glibc.close(socket.descriptor)
        }
    }
}
