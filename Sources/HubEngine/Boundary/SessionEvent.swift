import WireProtocol

/// What a gateway loop tells the engine about a connection.
///
/// For each connection: `opened` once, any number of `message`, then `closed` once and nothing after it. `closed` comes
/// for every end, also for one that the engine asked for.
package enum SessionEvent: Sendable {
    case opened(ConnectionID, SessionOpening)
    case message(ConnectionID, ClientMessage)
    case closed(ConnectionID, LeaveReason)
    /// A request without a session, on a connection that has none. Answered by one `LoopOutput.answer`.
    case call(ConnectionID, Call)
}

/// What is known of a client when its connection opens.
package struct SessionOpening: Sendable {
    package var transport: Transport
    /// The `Host` header as sent, with its port: what the hello gives back to the client.
    package var host: String
    /// The `User-Agent` header, empty when absent.
    package var userAgent: String
    /// The peer's numeric address, without port.
    package var remoteAddress: String
    /// The session that the client had before (`ls`), if it names one.
    package var lastSession: String?
    /// The connection came in on the administrators' listener.
    package var isAdministrative: Bool
    /// For transports without a greeting: who opens it. The greeting, and requests to sign in, are left out then.
    package var credential: CallCredential? {
        get { boxed?.credential }
        set { boxed = newValue.map(BoxedCredential.init) }
    }
    /// Most sessions have none, and each keeps its opening: a reference is smaller.
    private var boxed: BoxedCredential?

    package init(
        transport: Transport, host: String, userAgent: String = "", remoteAddress: String = "127.0.0.1",
        lastSession: String? = nil, isAdministrative: Bool = false, credential: CallCredential? = nil
    ) {
        boxed = credential.map(BoxedCredential.init)
        self.transport = transport
        self.host = host
        self.userAgent = userAgent
        self.remoteAddress = remoteAddress
        self.lastSession = lastSession
        self.isAdministrative = isAdministrative
    }
}

private final class BoxedCredential: Sendable {
    let credential: CallCredential

    init(_ credential: CallCredential) { self.credential = credential }
}

/// How a client is connected; the raw values are metric labels.
package enum Transport: String, Sendable, CaseIterable {
    case webSocket = "websocket"
    case longPoll = "longpoll"
    case eventStream = "sse"
    case lease
}
