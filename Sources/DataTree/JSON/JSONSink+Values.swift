// What the serializers have in common, beyond the hot path.

extension JSONSink {
    /// Strings up to this many bytes are written in one piece.
    static let wholeTextBytes = 4096

    mutating func priority(_ priority: Priority) {
        switch priority {
        case .none: raw("null")
        case .number(let value): double(value)
        case .string(let text): text.withUTF8 { quoted($0) }
        case .deferred(let value): serverValue(value)
        }
    }

    mutating func serverValue(_ value: ServerValue) {
        switch value {
        case .timestamp: raw(#"{".sv":"timestamp"}"#)
        case .increment(let delta):
            raw(#"{".sv":{"increment":"#)
            double(delta)
            raw("}}")
        }
    }

    /// Writes a string, whose opening quote is written, from byte `start` on, in pieces until `count` reaches `end`; then
    /// the closing quote. Returns where it stopped, between UTF-8 sequences, or nil at the end of the string.
    mutating func text(_ text: Text, from start: Int, until end: Int) -> Int? {
        let stop = text.withUTF8 { bytes in
            var start = start
            repeat {
                var stop = min(start + Self.wholeTextBytes, bytes.count)
                // Not in the middle of a UTF-8 sequence.
                while stop < bytes.count, stop > start, bytes[stop] & 0xC0 == 0x80 { stop -= 1 }
                escaped(UnsafeRawBufferPointer(rebasing: bytes[start..<stop]))
                start = stop
            } while start < bytes.count && count < end
            return start
        }
        guard stop == text.utf8Count else { return stop }
        byte(0x22)
        return nil
    }
}
