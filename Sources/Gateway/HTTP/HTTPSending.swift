import CLibwebsockets
import Glibc
import HubEngine
import WireProtocol

/// Sending answers, at once or as the socket drains, and what comes after them.
extension Loop {
    /// Bodies above this many bytes are worth compressing.
    private static let leastCompressed = 1024
    /// Bytes of one piece of a long answer.
    private static let pieceBytes = 32_768
    /// Seconds that a client may take none of its answer.
    private static let stuckSeconds: Int32 = 60
    /// Seconds that a client may go on sending what nobody reads.
    private static let lingerSeconds: Int32 = 5

    /// Sends an answer, or begins to. Zero keeps the connection.
    func answer(
        _ response: HTTPResponse, _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>,
        _ socket: OpaquePointer
    ) -> Int32 {
        var response = response
        // What follows could not be told from what was read too early (PipelinedRequests.swift).
        let isBlind = connection.pointee.introduction?.readBytes == 0
        if exchange.endsConnection || isBlind { response.closes = true }
        exchange.closes = response.closes
        if case .receiving = exchange.state { exchange.isBodyUnread = exchange.head.hasKnownBody }
        let withBody = exchange.head.method != .head
        let mayCompress = withBody && exchange.head.acceptsGzip
        switch response.body {
        case .none:
            return finish(response.head(length: nil), exchange, connection, socket)
        case .bytes(let bytes):
            if mayCompress, bytes.count > Loop.leastCompressed, let compressed = Loop.compressed(bytes) {
                response.headers += Loop.gzipHeaders
                let head = response.head(length: compressed.count)
                return finish(head + compressed, exchange, connection, socket)
            }
            return finish(response.bytes(withBody: withBody), exchange, connection, socket)
        case .stream(let stream):
            let isChunked = exchange.head.isHTTP11
            if !isChunked {
                response.closes = true
                exchange.closes = true
            }
            if mayCompress { response.headers += Loop.gzipHeaders }
            let head = response.head(length: nil, isChunked: isChunked)
            guard withBody else { return finish(head, exchange, connection, socket) }
            guard sendRaw(head, connection, socket) else { return -1 }
            // The head is of no more use, and the client may take its time.
            lws_http_headers_detach(socket)
            exchange.state = .sending(ResponseStream(stream, isCompressed: mayCompress, isChunked: isChunked))
            return continueAnswer(connection, socket)
        }
    }

    private static let gzipHeaders = [
        HTTPResponse.Header("content-encoding", "gzip"), HTTPResponse.Header("vary", "accept-encoding"),
    ]

    private static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let deflater = Deflater() else { return nil }
        var compressed: [UInt8] = []
        deflater.deflate(bytes, isLast: true, into: &compressed)
        return compressed
    }

    private func finish(
        _ bytes: [UInt8], _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>,
        _ socket: OpaquePointer
    ) -> Int32 {
        guard sendRaw(bytes, connection, socket) else { return -1 }
        return endExchange(exchange, connection, socket)
    }

    /// The answer is out, or with libwebsockets: the connection is free for the next request, or ends.
    private func endExchange(
        _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer
    ) -> Int32 {
        if connection.pointee.introduction?.unsent.isEmpty == false {
            exchange.state = .flushing
            lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, Loop.stuckSeconds)
            return 0
        }
        exchange.state = .done
        lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0)
        if exchange.closes {
            // What libwebsockets still has to send it sends only where it may read.
            lws_rx_flow_control(socket, 1)
            guard exchange.isBodyUnread else { return -1 }
            // To close on bytes that are on their way resets the connection, and the client may lose the answer to that. What
            // comes is thrown away for a while.
            hearth_end_sending(connection.pointee.descriptor)
            lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, Loop.lingerSeconds)
            return 0
        }
        connection.pointee.introduction?.exchange = nil
        lws_rx_flow_control(socket, 1)
        return lws_http_transaction_completed(socket) == 0 ? 0 : -1
    }

    /// The socket takes more of a long answer: one piece, so that no client holds the loop.
    func continueAnswer(_ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer) -> Int32 {
        guard connection.pointee.phase == .http, let exchange = connection.pointee.introduction?.exchange else {
            return 0
        }
        if case .flushing = exchange.state { return endExchange(exchange, connection, socket) }
        guard case .sending(let stream) = exchange.state else { return 0 }
        streamed.removeAll(keepingCapacity: true)
        let goesOn = stream.next(upTo: Loop.pieceBytes, into: &streamed)
        guard sendRaw(streamed, connection, socket) else { return -1 }
        guard goesOn else { return endExchange(exchange, connection, socket) }
        lws_set_timeout(socket, PENDING_TIMEOUT_HTTP_CONTENT, Loop.stuckSeconds)
        awaitWritable(connection)
        return 0
    }

    /// Sends bytes as they are. `false` when the socket is broken.
    func sendRaw(
        _ bytes: [UInt8], _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer
    ) -> Bool {
        if bytes.isEmpty { return true }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { transmit($0, bytes.count, to: connection, socket) } ?? true
        }
    }

    /// The same for a socket that nothing is known of yet.
    func sendRaw(_ bytes: [UInt8], to socket: OpaquePointer) -> Bool {
        var bytes = bytes
        return lws_write(socket, &bytes, bytes.count, LWS_WRITE_HTTP) >= 0
    }
}

extension HTTPResponse {
    /// Writes an answer whose body is all there. `false` when the socket is broken.
    @discardableResult
    func send(to socket: OpaquePointer, withBody: Bool = true) -> Bool {
        var bytes = bytes(withBody: withBody)
        return lws_write(socket, &bytes, bytes.count, LWS_WRITE_HTTP) >= 0
    }
}

extension HTTPHead {
    /// Whether libwebsockets takes what follows for a body, and for nothing else.
    var hasKnownBody: Bool {
        switch framing {
        case .length: true
        case .chunked: method.takesBody
        case .none, .unsaid, .invalid: false
        }
    }

    /// Whether the client takes gzip (RFC 9110 section 12.5.3). A quality of zero refuses it.
    var acceptsGzip: Bool {
        guard let acceptEncoding else { return false }
        return acceptEncoding.lowercased().split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            guard parts.first == "gzip" || parts.first == "*" else { return false }
            return !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" || $0 == "q=0.00" || $0 == "q=0.000" }
        }
    }
}
