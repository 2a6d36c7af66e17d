import HubEngine

/// A request that has been read.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Decoded by libwebsockets, without the query.
    package var path: String
    package var arguments: [(name: String, value: String)]
    package var host: String
    package var remoteAddress: String
    /// The bearer token or the `auth` argument.
    package var credential: String?
    /// It came in on the administrators' listener.
    package var isAdministrative: Bool
}

/// Answers the requests for certain paths.
///
/// Called on a loop's thread, which serves nobody else meanwhile: what takes long belongs elsewhere.
package struct HTTPRoute: Sendable {
    package var matches: @Sendable (_ path: String) -> Bool
    package var answer: @Sendable (HTTPRequest) -> HTTPResponse

    package init(
        matches: @escaping @Sendable (_ path: String) -> Bool,
        answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) {
        self.matches = matches
        self.answer = answer
    }

    /// A route for exactly one path.
    package init(_ path: String, answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        self.init(matches: { $0.utf8.elementsEqual(path.utf8) }, answer: answer)
    }
}

/// The table of routes; the first that matches answers.
struct HTTPRoutes: Sendable {
    var routes: [HTTPRoute]

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        for route in routes where route.matches(request.path) { return route.answer(request) }
        return .notFound(request.path)
    }
}

extension HTTPRoute {
    /// `/healthz`: answered for as long as the loops run.
    static let health = HTTPRoute("/healthz") { request in
        guard isRead(request) else { return .text(405, "use GET") }
        return HTTPResponse(status: 200, contentType: "application/json; charset=utf-8", body: "{\"status\":\"ok\"}")
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
