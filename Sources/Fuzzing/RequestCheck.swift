import DataTree
import WireProtocol

/// A client's WebSocket texts, through the assembler and the decoder.
enum RequestCheck {
    /// What one WebSocket text led to.
    private enum Step: Equatable {
        case nothing
        case message([UInt8])
        case oversized(byteCount: Int)
        case refused
    }

    private static let limit = 2048

    /// `bytes` are texts with a byte between them that no UTF-8 has.
    static func disagreement(over bytes: UnsafeRawBufferPointer) -> String? {
        var whole = SegmentAssembler(limit: limit)
        var fragmented = SegmentAssembler(limit: limit)
        for text in bytes.split(separator: 0xff, omittingEmptySubsequences: false) {
            // The gateway lets no other text through.
            guard String(validating: text, as: UTF8.self) != nil else { return nil }
            let text = Array(text)
            let step = receive([text], &whole)
            let half = text.count / 2
            let other = receive([Array(text[..<half]), [], Array(text[half...])], &fragmented)
            guard step == other else { return "whole: \(step), in fragments: \(other)" }
            if case .refused = step { return nil }
            if case .message(let message) = step, let disagreement = decode(message) { return disagreement }
            guard whole.heldBytes <= limit else { return "holds \(whole.heldBytes) bytes" }
        }
        return nil
    }

    /// Hands one text to an assembler in fragments.
    private static func receive(_ fragments: [[UInt8]], _ assembler: inout SegmentAssembler) -> Step {
        for (index, fragment) in fragments.enumerated() {
            let result = fragment.withUnsafeBytes { bytes -> SegmentAssembler.Assembled? in
                try? assembler.receive(fragment: bytes, isFinal: index == fragments.count - 1)
            }
            switch result {
            case .partial?, .keepAlive?: continue
            case .whole?: return .message(fragment)
            case .message(let message)?: return .message(message)
            case .oversized(let head, let byteCount)?:
                _ = RequestDecoder.oversized(head: head, byteCount: byteCount)
                return .oversized(byteCount: byteCount)
            case nil: return .refused
            }
        }
        return .nothing
    }

    /// A request that can be read must hold a query that reads the same when it is written again.
    private static func decode(_ message: [UInt8]) -> String? {
        let decoded = message.withUnsafeBytes { try? RequestDecoder.decode($0) }
        guard case .request(let request)? = decoded else { return nil }
        let query: Query
        switch request.action {
        case .listen(let listen): query = listen.query
        case .unlisten(_, let asked, _), .get(_, let asked): query = asked
        default: return nil
        }
        var writer = JSONWriter()
        query.write(to: &writer)
        let again = writer.bytes.withUnsafeBytes { bytes -> Query? in
            var cursor = JSONCursor(bytes)
            return try? Query(cursor: &cursor)
        }
        return again == query ? nil : "query \(query) is written as \(String(decoding: writer.bytes, as: UTF8.self))"
    }
}
