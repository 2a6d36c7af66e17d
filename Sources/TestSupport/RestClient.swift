/// Speaks REST to a hub by hand, over one connection for as long as the hub keeps it. For tests only; confined to one
/// thread at a time.
///
/// ```swift
/// let rest = RestClient(port: hub.port, namespace: "demo")
/// #expect(try rest.put("/a.json", #"{"x":1}"#).outcome == #"200 {"x":1}"#)
/// ```
package final class RestClient {
    package typealias Headers = KeyValuePairs<String, String>

    package let port: Int
    /// Sent as `ns` with each request; nil sends none.
    package let namespace: String?
    /// Sent as the bearer's token with each request; nil sends none.
    package let bearer: String?
    private let patience: Duration
    private var connection: (socket: RawSocket, reader: AnswerReader)?

    package init(port: Int, namespace: String?, bearer: String? = "owner", patience: Duration = .seconds(60)) {
        self.port = port
        self.namespace = namespace
        self.bearer = bearer
        self.patience = patience
    }

    /// A client like this one on a connection of its own.
    package func another(bearer: String?) -> RestClient {
        RestClient(port: port, namespace: namespace, bearer: bearer, patience: patience)
    }

    package var anonymous: RestClient { another(bearer: nil) }

    // MARK: Requests

    package func get(_ target: String, _ headers: Headers = [:]) throws -> ReceivedAnswer {
        try request("GET", target, nil, headers)
    }

    package func put(_ target: String, _ body: String, _ headers: Headers = [:]) throws -> ReceivedAnswer {
        try request("PUT", target, body, headers)
    }

    package func patch(_ target: String, _ body: String, _ headers: Headers = [:]) throws -> ReceivedAnswer {
        try request("PATCH", target, body, headers)
    }

    package func post(_ target: String, _ body: String, _ headers: Headers = [:]) throws -> ReceivedAnswer {
        try request("POST", target, body, headers)
    }

    package func delete(_ target: String, _ headers: Headers = [:]) throws -> ReceivedAnswer {
        try request("DELETE", target, nil, headers)
    }

    /// - Parameters:
    ///   - target: goes out as it is, with `ns` behind it.
    ///   - body: goes out with its length; nil sends neither.
    package func request(
        _ method: String, _ target: String, _ body: String? = nil, _ headers: Headers = [:]
    ) throws -> ReceivedAnswer {
        try send(text(method, target, body, headers))
        return try receive(isHead: method == "HEAD")
    }

    /// The text of a request.
    package func text(
        _ method: String, _ target: String, _ body: String? = nil, _ headers: Headers = [:]
    ) -> String {
        var text = "\(method) \(self.target(target)) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        if let bearer { text += "Authorization: Bearer \(bearer)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        return text + "\r\n" + (body ?? "")
    }

    /// The target with the namespace.
    package func target(_ target: String) -> String {
        guard let namespace else { return target }
        return target + (target.contains("?") ? "&" : "?") + "ns=" + namespace
    }

    // MARK: The connection

    /// Sends bytes as they are, on the connection of the requests.
    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        if connection == nil {
            let socket = try RawSocket(port: port)
            connection = (socket, AnswerReader(socket))
        }
        try connection?.socket.send(bytes, within: patience)
    }

    /// The next answer on the connection.
    package func receive(isHead: Bool = false) throws -> ReceivedAnswer {
        guard let connection else { throw RawSocketError.ended }
        let answer = try connection.reader.answer(isHead: isHead, until: .now + patience)
        if answer.header("connection") == "close" { close() }
        return answer
    }

    /// Everything that still comes before the hub ends the connection.
    package func receiveRest() throws -> [UInt8] {
        try connection?.reader.rest(until: .now + patience) ?? []
    }

    package var isConnected: Bool { connection != nil }

    /// The next request goes over a new connection.
    package func close() {
        connection?.socket.close()
        connection = nil
    }
}
