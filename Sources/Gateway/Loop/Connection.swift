import HubEngine
import WireProtocol

/// What a loop keeps for one socket. One value a slot of the loop's table; libwebsockets holds its address.
///
/// Small on purpose: with tens of thousands of idle clients this is what each of them costs beside libwebsockets' own part.
struct Connection {
    /// `free → http → open → closing → ended → free`; a socket that is never upgraded goes from `http` to `free`.
    enum Phase: UInt8 {
        case free
        /// Accepted; speaks HTTP or is still in its handshake.
        case http
        /// A WebSocket session that the engine knows.
        case open
        /// The session has ended for the engine; what is queued and the close frame still go out.
        case closing
        /// Nothing is sent or heeded any more; libwebsockets will let the socket go.
        case ended
    }

    struct Flags: OptionSet {
        let rawValue: UInt16
        /// The client cannot bear a PING (the Java Admin SDK); the kernel watches its peer instead.
        static let noPing = Flags(rawValue: 1)
        /// A PING went out since the last byte came in.
        static let isAsked = Flags(rawValue: 2)
        /// Reading is stopped until the namespace has caught up.
        static let isPaused = Flags(rawValue: 4)
        /// Counted against the limit of sessions.
        static let isAdmitted = Flags(rawValue: 8)
        static let isAdministrative = Flags(rawValue: 16)
        /// In the list of connections that the end of the turn will cut.
        static let isDoomed = Flags(rawValue: 32)
        static let closeFrameSent = Flags(rawValue: 64)
        static let isTLS = Flags(rawValue: 128)
        /// libwebsockets holds bytes that the socket did not take; nothing may be sent past them.
        static let hasRest = Flags(rawValue: 256)
        /// The session is an event stream: what it is sent is translated.
        static let isEventStream = Flags(rawValue: 512)
        /// The session has no socket; polls stand in for one.
        static let isLongPoll = Flags(rawValue: 1024)
    }

    var phase = Phase.free
    var flags: Flags = []
    var generation: UInt16 = 0
    var descriptor: Int32 = -1
    let slot: UInt32
    /// The tick of the loop's clock at which the last byte or pong came.
    var lastInbound: UInt32 = 0
    /// First and last of what this turn will send: indices into the loop's `PendingFrames`, -1 for none.
    var firstPending: Int32 = -1
    var lastPending: Int32 = -1
    /// libwebsockets' connection; nil as soon as it must not be used.
    var socket: OpaquePointer?
    /// The namespace; held by the loop's table of ports.
    var port: NamespacePort?
    /// What could not be sent yet; nil nearly always.
    var backlog: OutputBacklog?
    /// Until the session opens: what the accepted socket and the upgrade request said.
    var introduction: Introduction?
    var assembler: SegmentAssembler
    var text = UTF8Validation()
    /// Of a WebSocket that goes on with a long-poll session.
    var longPoll: LongPollSocket?
    /// Where in the stream of sent bytes the last PING ends, and what the peer had acknowledged at the last look.
    var pingPosition: UInt64 = 0
    var acknowledged: UInt64 = 0

    init(slot: UInt32) {
        self.slot = slot
        assembler = SegmentAssembler()
    }
}

/// What is known of a client before its session opens, and what serves it for as long as it speaks HTTP.
final class Introduction {
    var remoteAddress: String
    var opening: SessionOpening?
    /// The HTTP request that is being served.
    var exchange: HTTPExchange?
    /// What had been read from the socket when the last request was complete, in bytes; 0 if the kernel does not tell, nil
    /// before the first.
    var readBytes: UInt64?
    /// What the socket did not take of an answer. libwebsockets would send it, but not tell when it is out.
    var unsent: [UInt8] = []
    /// While the socket is full.
    var watch: WritableWatch?
    /// The event stream that the connection has become.
    var events: EventStreamSession?
    /// The long-poll session of a slot without a socket.
    var poll: LongPollSession?
    /// The long-poll session that the WebSocket wants to go on with.
    var continued: ConnectionID?

    init(remoteAddress: String) { self.remoteAddress = remoteAddress }
}
