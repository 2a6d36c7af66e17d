import DataTree

/// The text around a value, for messages whose value is generated piece by piece.
extension ServerMessage {
    /// A data push without its value.
    package static func dataEnvelope(path: Path, tag: Int?) -> (head: [UInt8], tail: [UInt8]) {
        let head = push(#"{"t":"d","d":{"a":"d","b":{"p":"#, path)
        return envelope(head, tag: tag)
    }

    /// An `ok` without its payload.
    package static func responseEnvelope(number: Int) -> (head: [UInt8], tail: [UInt8]) {
        envelope(response(number, .ok), tag: nil)
    }

    private static func envelope(_ head: JSONWriter, tag: Int?) -> (head: [UInt8], tail: [UInt8]) {
        var tail = JSONWriter()
        close(&tail, tag: tag)
        return (Array(head.bytes[Frame.headerRoom...]), tail.bytes)
    }
}
