import CLibwebsockets
import HubEngine

/// Checks upgrades to a WebSocket before libwebsockets answers them, so that a refusal has a status and a text.
extension Loop {
    /// Where clients of the protocol connect (`protocol/websocket.md`).
    static let webSocketPath = "/.ws"

    /// Zero lets libwebsockets go on with the handshake; anything else ends the connection, answered already.
    func confirmUpgrade(
        _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer,
        protocolName: UnsafeMutableRawPointer?
    ) -> Int32 {
        let head = RequestHead(socket: socket)
        let wanted = protocolName.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
        guard wanted.lowercased() == "websocket" else {
            return refuse(.text(400, "the only protocol to upgrade to is websocket"), connection, socket)
        }
        guard let (method, path) = head.target, path.utf8.elementsEqual(Loop.webSocketPath.utf8) else {
            return refuse(.notFound(head.target?.path ?? ""), connection, socket)
        }
        if let problem = UpgradeProblem.find(in: head, method: method) {
            return refuse(problem.response, connection, socket)
        }
        let arguments = head.arguments
        let host = head.header(WSI_TOKEN_HOST) ?? ""
        switch chooseNamespace(arguments, host: host) {
        case .failure(let refusal):
            settings.metrics.refusedConnections["namespace"].add()
            return refuse(.text(refusal.status, refusal.description), connection, socket)
        case .success(let sink):
            if let session = arguments.first(where: { $0.name.utf8.elementsEqual("s".utf8) })?.value, !session.isEmpty {
                // It was admitted when its polls began.
                guard let continued = settings.longPolls.find(session, in: sink), !isDraining else {
                    return refuse(LongPollProblem.unknownSession.response, connection, socket)
                }
                connection.pointee.introduction?.continued = continued
                connection.pointee.port = port(for: sink)
                introduce(connection, head, arguments, host: host)
                return 0
            }
            guard settings.admission.admitSession() else {
                settings.metrics.refusedConnections["limit"].add()
                return refuse(Refusal.limit(settings.admission.sessionLimit), connection, socket)
            }
            connection.pointee.flags.insert(.isAdmitted)
            connection.pointee.port = port(for: sink)
            introduce(connection, head, arguments, host: host)
            return 0
        }
    }

    func chooseNamespace(
        _ arguments: [(name: String, value: String)], host: String
    ) -> Result<any SessionEventSink, NamespaceRefusal> {
        let query = arguments.first { $0.name.utf8.elementsEqual("ns".utf8) }?.value
        return settings.namespaces.name(query: query, host: host).flatMap { settings.router.route(namespace: $0) }
    }

    private func introduce(
        _ connection: UnsafeMutablePointer<Connection>, _ head: RequestHead,
        _ arguments: [(name: String, value: String)], host: String
    ) {
        guard let introduction = connection.pointee.introduction else { return }
        let agent = head.header(WSI_TOKEN_HTTP_USER_AGENT) ?? ""
        let lastSession = arguments.first { $0.name.utf8.elementsEqual("ls".utf8) }?.value
        // The Java Admin SDK closes the connection at any frame that is neither text nor close
        // (firebase-admin-java, NettyWebSocketClient.channelRead0).
        if agent.hasSuffix("AdminJava") { connection.pointee.flags.insert(.noPing) }
        introduction.opening = SessionOpening(
            transport: .webSocket, host: host, userAgent: agent,
            remoteAddress: clientAddress(introduction.remoteAddress, head),
            lastSession: lastSession.flatMap { $0.isEmpty ? nil : $0 },
            isAdministrative: connection.pointee.flags.contains(.isAdministrative))
    }

    /// The client's address: behind trusted proxies the last one in `X-Forwarded-For` that is not itself trusted.
    func clientAddress(_ peer: String, _ head: RequestHead) -> String {
        guard settings.isTrustedProxy(peer), let forwarded = head.header(WSI_TOKEN_X_FORWARDED_FOR) else { return peer }
        let addresses = forwarded.split(separator: ",").map { $0.filter { $0 != " " } }
        return addresses.last { !settings.isTrustedProxy($0) } ?? addresses.first ?? peer
    }

    private func refuse(
        _ response: HTTPResponse, _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer
    ) -> Int32 {
        settings.logger.debug(
            "upgrade-refused",
            [
                "remote": .text(connection.pointee.introduction?.remoteAddress ?? ""),
                "status": .integer(response.status), "text": .text(response.bodyText),
            ])
        response.closing.send(to: socket)
        return -1
    }
}

/// What can be wrong with a handshake (RFC 6455 section 4.2.1).
enum UpgradeProblem: Equatable {
    case notGet, noHost, noKey, version, subprotocol

    static func find(in head: RequestHead, method: HTTPMethod) -> UpgradeProblem? {
        if method != .get { return .notGet }
        if head.header(WSI_TOKEN_HOST) == nil { return .noHost }
        if head.header(WSI_TOKEN_KEY) == nil { return .noKey }
        if let version = head.header(WSI_TOKEN_VERSION), version != "13" { return .version }
        if head.header(WSI_TOKEN_PROTOCOL) != nil { return .subprotocol }
        return nil
    }

    var response: HTTPResponse {
        switch self {
        case .notGet: .text(405, "a WebSocket handshake is a GET request")
        case .noHost: .text(400, "the Host header is missing")
        case .noKey: .text(400, "the Sec-WebSocket-Key header is missing")
        case .version:
            HTTPResponse(
                status: 426, headers: [("sec-websocket-version", "13")],
                json: "the WebSocket version must be 13")
        case .subprotocol: .text(400, "no subprotocol is spoken here: leave out Sec-WebSocket-Protocol")
        }
    }
}

/// Corrects libwebsockets' answer to an upgrade.
enum UpgradeResponse {
    /// Android's client compares `Upgrade: websocket` as it stands, and libwebsockets writes `WebSocket`.
    ///
    /// - Parameter arguments: those of `LWS_CALLBACK_ADD_HEADERS`: a cursor behind the head that was written so far.
    static func correct(_ arguments: UnsafeMutableRawPointer?) {
        guard let end = arguments?.assumingMemoryBound(to: lws_process_html_args.self).pointee.p else { return }
        // The line is the second of the head, which begins at most this far before the cursor; the buffer before the head is
        // longer than that.
        let reach = 400
        let line = Array("Upgrade: WebSocket\r\n".utf8CString.dropLast())
        for distance in line.count...reach {
            let start = end - distance
            guard memcmp(start, line, line.count) == 0 else { continue }
            start[9] = CChar(UInt8(ascii: "w"))
            start[12] = CChar(UInt8(ascii: "s"))
            return
        }
    }
}
