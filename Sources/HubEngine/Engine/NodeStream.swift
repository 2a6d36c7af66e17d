import DataTree
import Storage
import WireProtocol

/// A large message generated from a snapshot while the socket drains, so that it never lies in memory as a whole.
package final class NodeStream: SegmentStream {
    /// A message around a large value.
    package enum Message: Sendable {
        case data(path: Path, value: Node, tag: Int?)
        case response(number: Int, value: Node)

        /// The text around the value.
        var envelope: (head: [UInt8], value: Node, tail: [UInt8]) {
            switch self {
            case .data(let path, let value, let tag):
                let (head, tail) = ServerMessage.dataEnvelope(path: path, tag: tag)
                return (head, value, tail)
            case .response(let number, let value):
                let (head, tail) = ServerMessage.responseEnvelope(number: number)
                return (head, value, tail)
            }
        }
    }

    /// The text of a message in pieces of bounded size.
    struct Pieces {
        private enum Stage { case head, value, tail, finished }

        private static let pieceBytes = 16_384
        private let head: [UInt8]
        private let tail: [UInt8]
        private var serializer: NodeSerializer
        private var stage: Stage = .head

        init(_ message: Message) {
            let envelope = message.envelope
            head = envelope.head
            tail = envelope.tail
            serializer = NodeSerializer(envelope.value)
        }

        /// Appends the next piece; false when there was none left.
        mutating func next(into bytes: inout [UInt8]) -> Bool {
            switch stage {
            case .head:
                bytes += head
                stage = .value
            case .value:
                if !serializer.next(upTo: Self.pieceBytes, into: &bytes) { stage = .tail }
            case .tail:
                bytes += tail
                stage = .finished
            case .finished:
                return false
            }
            return true
        }
    }

    private struct State {
        var pieces: Pieces
        var splitter: SegmentSplitter
    }

    /// What it carries, for transports that write it otherwise.
    package let message: Message
    /// One loop's thread uses it; the lock only makes handing it over safe.
    private let state: Monitor<State?>

    init(_ message: Message, segments: Int) {
        self.message = message
        state = Monitor(State(pieces: Pieces(message), splitter: SegmentSplitter(segments: segments)))
    }

    package func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        let start = bytes.count
        return state.with { state in
            guard var current = state.take() else { return false }
            var piece: [UInt8] = []
            while current.pieces.next(into: &piece) {
                current.splitter.feed(piece, into: &bytes)
                piece.removeAll(keepingCapacity: true)
                if bytes.count - start >= byteCount {
                    state = current
                    return true
                }
            }
            _ = current.splitter.finish(into: &bytes)
            return false
        }
    }

    /// The same without the framing of a WebSocket: the text of the message alone. One or the other is used, not both.
    package func nextText(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        let start = bytes.count
        return state.with { state in
            guard var current = state.take() else { return false }
            while current.pieces.next(into: &bytes) {
                if bytes.count - start >= byteCount {
                    state = current
                    return true
                }
            }
            return false
        }
    }
}
