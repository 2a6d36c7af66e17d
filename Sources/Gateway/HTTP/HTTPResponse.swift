import CLibwebsockets

/// A complete answer to an HTTP request.
package struct HTTPResponse: Sendable, Equatable {
    package var status: Int
    /// Names in lower case; `content-type` and `content-length` are added.
    package var headers: [Header]
    package var contentType: String
    package var body: String
    /// The connection ends after the answer.
    package var closes = false

    package struct Header: Sendable, Equatable {
        package var name: String
        package var value: String
    }

    package init(status: Int, headers: [(String, String)] = [], contentType: String, body: String) {
        self.status = status
        self.headers = headers.map { Header(name: $0.0, value: $0.1) }
        self.contentType = contentType
        self.body = body
    }

    /// An answer in JSON with one `error` text, as the SDKs and the REST interface have it.
    package init(status: Int, headers: [(String, String)] = [], json error: String) {
        self.init(
            status: status, headers: headers, contentType: "application/json; charset=utf-8",
            body: "{\"error\":\(JSONText.quoted(error))}\n")
    }

    package static func text(_ status: Int, _ error: String) -> HTTPResponse {
        HTTPResponse(status: status, json: error)
    }

    /// The answer to a path that nothing is served at.
    package static func notFound(_ path: String) -> HTTPResponse {
        .text(
            404,
            "nothing is served at \(path.prefix(200)): clients connect to /.ws, and /healthz and /metrics tell how the hub is"
        )
    }

    /// The same answer, and the connection ends.
    var closing: HTTPResponse {
        var response = self
        response.closes = true
        return response
    }

    /// Head and body as they go out. Without the body for `HEAD`.
    func bytes(withBody: Bool = true) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(HTTPResponse.phrase(status))\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        head += "content-type: \(contentType)\r\ncontent-length: \(body.utf8.count)\r\ncache-control: no-store\r\n"
        if closes { head += "connection: close\r\n" }
        head += "\r\n"
        return Array(head.utf8) + (withBody ? Array(body.utf8) : [])
    }

    /// Writes the answer. `false` when the socket is broken.
    @discardableResult
    func send(to socket: OpaquePointer, withBody: Bool = true) -> Bool {
        var bytes = bytes(withBody: withBody)
        return lws_write(socket, &bytes, bytes.count, LWS_WRITE_HTTP) >= 0
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 411: "Length Required"
        case 426: "Upgrade Required"
        case 503: "Service Unavailable"
        default: "Answer"
        }
    }
}

/// Quotes text for JSON (RFC 8259 section 7).
enum JSONText {
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
