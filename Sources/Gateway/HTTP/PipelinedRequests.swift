import CLibwebsockets

/// Requests that arrive before the one in front of them is answered.
///
/// libwebsockets 4.1 keeps what it has read too early, and takes it up after the answer. For a request with a body it then goes
/// wrong: it reads what it kept from its beginning, the head, as the body, and after that for ever (`lws_http_action`, from
/// `deal_body` on). So such a request must not reach that place. It is told from others by the kernel: what has been kept was
/// read from the socket before the request in front was complete.
extension Loop {
    /// Notes what has been read so far: all of one request is there.
    func markRead(_ connection: UnsafeMutablePointer<Connection>) {
        connection.pointee.introduction?.readBytes = hearth_read_bytes(connection.pointee.descriptor)
    }

    /// Whether the request that begins now was kept. Also true where the kernel does not tell.
    func isKept(_ connection: UnsafeMutablePointer<Connection>) -> Bool {
        guard let before = connection.pointee.introduction?.readBytes else { return false }
        let now = hearth_read_bytes(connection.pointee.descriptor)
        return now == 0 || now == before
    }
}

extension HTTPResponse {
    /// The request was not looked at. SDKs and proxies take 503 for that.
    static let pipelinedBody = HTTPResponse.text(
        503,
        "a request with a body is read after the answer to the one before it: wait for that, or use another connection"
    ).closing
}
