import WireProtocol

/// One thing that the engine asks a gateway loop to do. Outputs for one connection take effect in the order posted.
package enum LoopOutput: Sendable {
    /// Sends one frame to one connection.
    case frame(Frame, to: ConnectionID)
    /// Sends the very same bytes to many connections of the loop.
    case fanOut(Frame, to: ConnectionList)
    /// Sends a large answer that is generated as the socket drains. Frames posted later wait behind it.
    case stream(any SegmentStream, to: ConnectionID)
    /// Closes a connection after what is queued for it, with the close code of the reason.
    ///
    /// The loop answers with `SessionEvent.closed` like for every other end.
    case close(ConnectionID, LeaveReason)
    /// Answers a call.
    case answer(CallAnswer, to: ConnectionID)
}

/// Where the engine puts the outputs for the connections of one loop.
package protocol LoopOutlet: AnyObject, Sendable {
    /// Appends outputs and wakes the loop. Callable from any thread; never blocks on the network.
    func post(_ outputs: [LoopOutput])
}

/// A large answer that is produced piece by piece, so that it never lies in memory as a whole.
package protocol SegmentStream: AnyObject, Sendable {
    /// Appends complete server-to-client WebSocket frames to `bytes`: about `byteCount` bytes, more only by the rest of
    /// one frame, and at least one frame unless the stream is finished.
    ///
    /// Called on the thread of the loop that owns the connection, never twice at once.
    /// - Returns: `false` when nothing will follow.
    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool
}
