import DataTree
import HubEngine
import Storage

/// An event with a value too large to be written at once.
final class LargeEvent: SegmentStream {
    private let body: RestBodyStream

    init(head: [UInt8], node: Node, tail: [UInt8]) {
        body = RestBodyStream(begun: head, RestSerializer(node), tail: tail)
    }

    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool { body.next(upTo: byteCount, into: &bytes) }
}
