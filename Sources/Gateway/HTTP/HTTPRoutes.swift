import HubEngine

/// A request that has been read, for routes.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Decoded by libwebsockets, without the query.
    package var path: String
    package var arguments: [(name: String, value: String)]
    package var host: String
    package var remoteAddress: String
    package var userAgent: String
    package var contentType: String?
    /// The bearer token or the `auth` argument.
    package var credential: String?
    /// Who asks.
    package var access: CallCredential
    /// It came in on the administrators' listener.
    package var isAdministrative: Bool
    /// The name of the namespace that the request is for.
    package var namespace: Result<String, NamespaceRefusal>
    package var body: ReceivedBody
    /// The length of the body.
    package var bodyBytes: Int

    /// The first argument of that name.
    package func argument(_ name: String) -> String? {
        arguments.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
}

/// Takes the one answer to a request, from any thread.
package struct HTTPResponder: Sendable {
    private let send: @Sendable (HTTPResponse) -> Void

    package init(_ send: @escaping @Sendable (HTTPResponse) -> Void) { self.send = send }

    /// Answers. A client that has gone meanwhile misses it.
    package func callAsFunction(_ response: HTTPResponse) { send(response) }
}

/// Answers the requests for certain paths.
package struct HTTPRoute: Sendable {
    package var matches: @Sendable (_ path: String) -> Bool
    /// What becomes of the body.
    package var body: @Sendable (_ method: String, _ path: String, _ contentType: String?) -> BodyForm
    /// Called on a loop's thread, which serves nobody else meanwhile: what takes long answers later.
    package var answer: @Sendable (HTTPRequest, HTTPResponder) -> Void

    package init(
        matches: @escaping @Sendable (_ path: String) -> Bool,
        body: @escaping @Sendable (String, String, String?) -> BodyForm = { _, _, _ in .discarded },
        answer: @escaping @Sendable (HTTPRequest, HTTPResponder) -> Void
    ) {
        self.matches = matches
        self.body = body
        self.answer = answer
    }

    /// A route that answers at once.
    package init(
        matches: @escaping @Sendable (_ path: String) -> Bool,
        immediately answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) {
        self.init(matches: matches, answer: { request, respond in respond(answer(request)) })
    }

    /// A route for exactly one path that answers at once.
    package init(_ path: String, answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        self.init(matches: { $0.utf8.elementsEqual(path.utf8) }, immediately: answer)
    }
}

/// The table of routes; the first that matches answers.
struct HTTPRoutes: Sendable {
    var routes: [HTTPRoute]

    func route(for path: String) -> HTTPRoute? { routes.first { $0.matches(path) } }
}

extension HTTPRoute {
    /// `/healthz`: answered for as long as the loops run.
    static let health = HTTPRoute("/healthz") { request in
        guard isRead(request) else { return .text(405, "use GET") }
        return HTTPResponse(status: 200, contentType: HTTPResponse.json, body: "{\"status\":\"ok\"}")
    }

    /// `/metrics` in the Prometheus text format.
    static func metrics(
        _ metrics: Metrics, now: @escaping @Sendable () -> Int, mayRead: @escaping @Sendable (String?) -> Bool
    ) -> HTTPRoute {
        HTTPRoute("/metrics") { request in
            guard isRead(request) else { return .text(405, "use GET") }
            guard mayRead(request.credential) else {
                return HTTPResponse(
                    status: 401, headers: [("www-authenticate", "Bearer")],
                    json: "metrics need the administrator's secret: send Authorization: Bearer SECRET, "
                        + "or start the hub with --metrics-open")
            }
            return HTTPResponse(
                status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
                body: metrics.prometheusText(now: now()))
        }
    }

    /// `/.ws` without an upgrade.
    static let webSocketWithoutUpgrade = HTTPRoute(Loop.webSocketPath) { _ in
        HTTPResponse(
            status: 426, headers: [("upgrade", "websocket")],
            json:
                "this is the address of the realtime protocol: connect with a WebSocket; a proxy in between must pass "
                + "the Upgrade and Connection headers on")
    }

    private static func isRead(_ request: HTTPRequest) -> Bool { request.method == "GET" || request.method == "HEAD" }
}
