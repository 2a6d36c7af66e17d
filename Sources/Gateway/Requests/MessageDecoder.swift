import WireProtocol

/// Turns a client's text into a message of the protocol; throws when the connection must be closed.
struct MessageDecoder: Sendable {
    var decode: @Sendable (UnsafeRawBufferPointer) throws -> ClientMessage

    static let standard = MessageDecoder { text throws in try RequestDecoder.decode(text) }
}
