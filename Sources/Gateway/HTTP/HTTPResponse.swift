import CLibwebsockets
import DataTree

/// An answer to an HTTP request.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// Names in lower case; `content-type`, `content-length`, `cache-control` and what ends the connection are added.
    package var headers: [Header]
    package var contentType: String
    package var body: Body
    /// The connection ends after the answer.
    package var closes = false
    /// Pages of any origin may read it: what needs no cookie has nothing to fear from them.
    package var isShared = false

    package struct Header: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package enum Body: Sendable {
        /// No body, and no word about one: 204, 304.
        case none
        case bytes([UInt8])
        /// Made as the socket drains.
        case stream(any BodyStream)
    }

    package init(status: Int, headers: [Header] = [], contentType: String, body: Body) {
        self.status = status
        self.headers = headers
        self.contentType = contentType
        self.body = body
    }

    package init(status: Int, headers: [(String, String)] = [], contentType: String, body: String) {
        self.init(
            status: status, headers: headers.map { Header($0.0, $0.1) }, contentType: contentType,
            body: .bytes(Array(body.utf8)))
    }

    package static let json = "application/json; charset=utf-8"

    /// An answer in JSON with one `error` text, as the SDKs and the REST interface have it.
    package init(status: Int, headers: [(String, String)] = [], json error: String) {
        var writer = JSONWriter()
        writer.raw("{\"error\":")
        writer.string(error)
        writer.raw("}\n")
        self.init(
            status: status, headers: headers.map { Header($0.0, $0.1) }, contentType: HTTPResponse.json,
            body: .bytes(writer.bytes))
    }

    package static func text(_ status: Int, _ error: String) -> HTTPResponse {
        HTTPResponse(status: status, json: error)
    }

    /// The answer to a path that nothing is served at.
    package static func notFound(_ path: String) -> HTTPResponse {
        .text(
            404,
            "nothing is served at \(path.prefix(200)): clients connect to /.ws, data is at paths that end in .json, and "
                + "/healthz and /metrics tell how the hub is"
        )
    }

    /// The same answer, and the connection ends.
    var closing: HTTPResponse {
        var response = self
        response.closes = true
        return response
    }

    /// The body's text, if it is all there.
    package var bodyText: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Head and body as they go out, for an answer whose body is all there. Without the body for `HEAD`.
    func bytes(withBody: Bool = true) -> [UInt8] {
        var length: Int?
        var text: [UInt8] = []
        if case .bytes(let bytes) = body {
            length = bytes.count
            text = bytes
        }
        return head(length: length) + (withBody ? text : [])
    }

    /// The head with the empty line behind it.
    func head(length: Int?, isChunked: Bool = false) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(HTTPResponse.phrase(status))\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        if case .none = body {} else { head += "content-type: \(contentType)\r\n" }
        if let length { head += "content-length: \(length)\r\n" }
        if isChunked { head += "transfer-encoding: chunked\r\n" }
        head +=
            isShared ? "cache-control: no-cache\r\naccess-control-allow-origin: *\r\n" : "cache-control: no-store\r\n"
        if closes { head += "connection: close\r\n" }
        return Array(head.utf8) + [0x0D, 0x0A]
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 426: "Upgrade Required"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Answer"
        }
    }
}

/// A body that is produced piece by piece, so that it never lies in memory as a whole.
package protocol BodyStream: AnyObject, Sendable {
    /// Appends about `byteCount` bytes, and at least one unless the stream is finished. Called on a loop's thread, never twice
    /// at once.
    /// - Returns: `false` when nothing will follow.
    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool
}
