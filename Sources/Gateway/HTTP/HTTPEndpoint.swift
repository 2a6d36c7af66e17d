import CLibwebsockets
import HubEngine

/// Plain HTTP requests.
extension Loop {
    /// The head of a request is complete. Zero keeps the connection for the next request.
    func serveHTTP(_ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer) -> Int32 {
        let head = RequestHead(socket: socket)
        guard let (method, path) = head.target else {
            HTTPResponse.text(405, "this method is not served").closing.send(to: socket)
            return -1
        }
        var response = answer(method, path, head, connection)
        // libwebsockets cannot find the end of such a body, and so not the next request.
        if head.header(WSI_TOKEN_HTTP_TRANSFER_ENCODING) != nil {
            response = .text(411, "a body in chunks is not read here: send Content-Length").closing
        } else if [.post, .put, .patch].contains(method), head.header(WSI_TOKEN_HTTP_CONTENT_LENGTH) == nil {
            response.closes = true
        }
        guard response.send(to: socket, withBody: method != .head), !response.closes else { return -1 }
        return lws_http_transaction_completed(socket) == 0 ? 0 : -1
    }

    private func answer(
        _ method: HTTPMethod, _ path: String, _ head: RequestHead, _ connection: UnsafeMutablePointer<Connection>
    ) -> HTTPResponse {
        let arguments = head.arguments
        return settings.routes.answer(
            HTTPRequest(
                method: method.rawValue, path: path, arguments: arguments, host: head.header(WSI_TOKEN_HOST) ?? "",
                remoteAddress: clientAddress(connection.pointee.introduction?.remoteAddress ?? "", head),
                credential: head.credential(arguments),
                isAdministrative: connection.pointee.flags.contains(.isAdministrative)))
    }
}

extension Loop {
    func answer(_ answer: CallAnswer, to id: ConnectionID) {}
}
