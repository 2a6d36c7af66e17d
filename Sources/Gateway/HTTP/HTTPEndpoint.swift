import CLibwebsockets
import HubEngine
import WireProtocol

/// HTTP requests: from the head to the purpose, the body, and the call for an answer.
///
/// Functions that libwebsockets calls answer it with zero to keep the connection and with -1 to end it.
extension Loop {
    /// The head of a request is complete.
    func serveHTTP(_ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer) -> Int32 {
        settings.metrics.requests.add()
        guard var head = HTTPHead(RequestHead(socket: socket)) else {
            HTTPResponse.text(405, "this method is not served").closing.send(to: socket)
            return -1
        }
        head.remoteAddress = clientAddress(
            connection.pointee.introduction?.remoteAddress ?? "", RequestHead(socket: socket))
        head.isAdministrative = connection.pointee.flags.contains(.isAdministrative)
        let exchange = begin(head)
        connection.pointee.introduction?.exchange = exchange
        if head.framing != .none, isKept(connection) {
            // Nothing more may be read on it, not even to be thrown away.
            exchange.state = .waiting
            return answer(.pipelinedBody, exchange, connection, socket)
        }
        switch head.framing {
        case .none, .unsaid:
            return complete(exchange, connection, socket)
        case .invalid(let reason):
            return answer(.text(400, reason).closing, exchange, connection, socket)
        case .chunked where !head.method.takesBody:
            // libwebsockets would read the chunks as the next request.
            return answer(
                .text(411, "send a body of \(head.method.rawValue) with Content-Length").closing, exchange, connection,
                socket)
        case .length(let count) where count > exchange.body.limit:
            // Not even its length is believed: the rest is thrown away as it comes.
            return answer(HTTPResponse(RestError.payloadTooLarge).closing, exchange, connection, socket)
        case .length, .chunked:
            if head.expectsContinue, case .refused = exchange.purpose {
                return answerPurpose(exchange, connection, socket, closing: true)
            }
            if head.expectsContinue, !sendRaw(Loop.goOn, to: socket) { return -1 }
            return 0
        }
    }

    private static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private func begin(_ head: HTTPHead) -> HTTPExchange {
        exchangeNumber &+= 1
        let (purpose, form) = purpose(of: head)
        var coding = head.contentEncoding?.lowercased()
        if coding == "identity" { coding = nil }
        var decided = purpose
        if let coding, coding != "gzip" {
            decided = .refused(.text(415, "the only Content-Encoding that is understood is gzip"))
        }
        return HTTPExchange(
            number: exchangeNumber, head: head,
            body: HTTPBody(
                form, limits: limits(of: head), isChunked: head.framing == .chunked, isCompressed: coding == "gzip"),
            purpose: decided)
    }

    /// How much is taken of somebody before rules are asked.
    private func limits(of head: HTTPHead) -> HTTPBody.Limits {
        if head.framing == .none { return .others }
        return settings.isTrusted(head.access, head.isAdministrative) ? .administrators : .others
    }

    private func purpose(of head: HTTPHead) -> (HTTPExchange.Purpose, BodyForm) {
        if head.method == .options { return (.refused(.preflight(head.requestedHeaders)), .discarded) }
        if head.path.utf8.count > 1, let route = settings.routes.route(for: head.path) {
            return (.route(route), route.body(head.method.rawValue, head.path, head.contentType))
        }
        if head.path.utf8.elementsEqual(LongPollRequest.path.utf8) {
            // A page that leaves sends a POST without a body.
            guard head.method == .get || head.method == .post else {
                return (.refused(.text(405, "use GET")), .discarded)
            }
            do throws(LongPollProblem) {
                return (.longPoll(try LongPollRequest(head)), .discarded)
            } catch {
                return (.refused(error.response), .discarded)
            }
        }
        do throws(RestError) {
            if head.hasBrokenPath { throw .invalidPath }
            if head.path.hasPrefix(LeaseExchange.prefix) {
                let lease = try LeaseExchange(head)
                return (.lease(lease), lease.bodyForm)
            }
            let rest = try RestExchange(head)
            return (.rest(rest), rest.bodyForm)
        } catch {
            return (.refused(HTTPResponse(error)), .discarded)
        }
    }

    /// A part of the body.
    func receiveBody(
        _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer, _ input: UnsafeMutableRawPointer?,
        _ count: Int
    ) -> Int32 {
        guard let exchange = connection.pointee.introduction?.exchange, case .receiving = exchange.state, count > 0
        else { return 0 }
        receivedBytes += count
        exchange.body.receive(UnsafeRawBufferPointer(start: input, count: count))
        if exchange.body.hasBrokenFraming {
            return answer(.text(400, "the chunks of the body are broken").closing, exchange, connection, socket)
        }
        return exchange.body.isComplete ? complete(exchange, connection, socket) : 0
    }

    /// The body has arrived, as far as libwebsockets can tell.
    func finishBody(_ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer) -> Int32 {
        guard let exchange = connection.pointee.introduction?.exchange else { return 0 }
        // What was thrown away is at its end.
        if case .done = exchange.state, exchange.closes { return -1 }
        guard case .receiving = exchange.state else { return 0 }
        if exchange.head.framing == .chunked {
            // libwebsockets gives up counting.
            let text = "a body in chunks is read up to 100 MiB: send Content-Length for a longer one"
            return answer(.text(413, text).closing, exchange, connection, socket)
        }
        return complete(exchange, connection, socket)
    }

    private func complete(
        _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer
    ) -> Int32 {
        exchange.state = .waiting
        markRead(connection)
        // What follows on the connection waits; so does libwebsockets' patience.
        lws_rx_flow_control(socket, 0)
        lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0)
        return answerPurpose(exchange, connection, socket, closing: false)
    }

    private func answerPurpose(
        _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer, closing: Bool
    ) -> Int32 {
        switch exchange.purpose {
        case .refused(var response):
            if closing { response.closes = true }
            return answer(response, exchange, connection, socket)
        case .route(let route):
            let responder = HTTPResponder {
                [inbox, id = connections.id(connection), number = exchange.number] response in
                inbox.post(response, to: id, number: number)
            }
            let namespace = settings.namespaces.name(query: exchange.head.namespaceArgument, host: exchange.head.host)
            route.answer(exchange.request(namespace), responder)
            return 0
        case .rest(let rest):
            return begin(rest, exchange, connection, socket)
        case .lease(let lease):
            return begin(lease, exchange, connection, socket)
        case .longPoll(let request):
            return serveLongPoll(request, exchange, connection, socket)
        }
    }

    /// An answer from elsewhere.
    func answer(_ response: HTTPResponse, to id: ConnectionID, number: UInt32) {
        guard let connection = connections.find(id), let socket = connection.pointee.socket,
            let exchange = connection.pointee.introduction?.exchange, exchange.number == number,
            case .waiting = exchange.state
        else { return }
        endUnlessZero(answer(response, exchange, connection, socket), connection)
    }

    /// Outside of libwebsockets' calls there is no return value that ends a connection, and its timers look at what they were
    /// told here only after the next socket had its turn. So the end of this turn does it.
    func endUnlessZero(_ result: Int32, _ connection: UnsafeMutablePointer<Connection>) {
        if result != 0 { finished.append(connections.id(connection)) }
    }
}

extension HTTPExchange {
    fileprivate func request(_ namespace: Result<String, NamespaceRefusal>) -> HTTPRequest {
        HTTPRequest(
            method: head.method.rawValue, path: head.path, arguments: head.arguments, host: head.host,
            remoteAddress: head.remoteAddress, userAgent: head.userAgent, contentType: head.contentType,
            credential: head.bearer ?? head.token, access: head.access,
            isAdministrative: head.isAdministrative, namespace: namespace, body: body.finish(), bodyBytes: body.count)
    }
}

extension HTTPResponse {
    package init(_ error: RestError) {
        self.init(status: error.status, contentType: error.contentType, body: .bytes(error.body))
        isShared = true
    }

    /// The answer to a page that asks whether it may send a request (Fetch standard, "CORS-preflight fetch").
    static func preflight(_ requested: String?) -> HTTPResponse {
        let usual =
            "content-type, authorization, if-match, if-none-match, x-firebase-etag, x-http-method-override"
        // It goes back into a head, so it must be made of names.
        let isPlain = requested?.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ?? false
        var response = HTTPResponse(
            status: 200,
            headers: [
                Header("access-control-allow-methods", "GET, PUT, POST, PATCH, DELETE, OPTIONS"),
                Header("access-control-allow-headers", isPlain ? requested ?? usual : usual),
                Header("access-control-max-age", "3600"),
            ], contentType: "text/plain; charset=utf-8", body: .bytes([]))
        response.isShared = true
        return response
    }
}
