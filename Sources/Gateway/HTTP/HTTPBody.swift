import DataTree
import WireProtocol

/// What becomes of the body of a request.
package enum BodyForm: Sendable, Equatable {
    /// Nobody wants it.
    case discarded
    /// Kept as it is, up to so many bytes.
    case bytes(limit: Int)
    /// Data in JSON, decoded as it arrives.
    case data
    /// An update in JSON: names and data.
    case update
    /// Data in JSON behind one line of other JSON.
    case export
}

/// A body that has arrived.
package enum ReceivedBody: Sendable {
    case none
    case bytes([UInt8])
    /// How deep the data is, in keys.
    case data(Node, depth: Int)
    case update(UpdateBody, depth: Int)
    case export(head: [UInt8], Node, depth: Int)
    /// No JSON, or no data.
    case malformed(JSONError, LineCounter.Position?)
    /// Above the limit of its form.
    case tooLarge(limit: Int)
    /// More nodes than who sends it may write at once.
    case tooManyNodes
    /// The compression or the chunks around it are broken.
    case undecodable(String)
}

/// Takes a body in as it arrives. Confined to the loop's thread.
///
/// Memory is bounded by what the data becomes: text is decoded slice by slice and not kept. After an error the rest is only
/// counted, so that the client gets to read its answer.
final class HTTPBody {
    /// How much a body may hold, after decompression.
    struct Limits: Sendable, Equatable {
        var bytes: Int
        /// A byte or two of JSON can become a node, which takes fifty times as much.
        var nodes: Int

        /// Who holds the whole hub in their hands anyway.
        static let administrators = Limits(bytes: 256 << 20, nodes: .max)
        /// As much as over a socket.
        static let others = Limits(bytes: 16 << 20, nodes: 2_000_000)
    }

    private enum Reader {
        case nothing
        case bytes(limit: Int)
        case data
        case update
        /// In the first line of an export.
        case exportHead
        case failed(ReceivedBody)
    }

    private var reader: Reader
    private let isExport: Bool
    private let limits: Limits
    private var bytes: [UInt8] = []
    private var data: NodeDecoder?
    private var update: UpdateDecoder?
    private var chunks: ChunkedBody?
    private var inflater: Inflater?
    private var lines = LineCounter()
    private var pendingMark = true
    /// Bytes after decoding.
    private(set) var count = 0
    /// Bytes before decompression.
    private var compressedCount = 0
    /// How often what arrived compressed may be longer than it was. JSON of people becomes ten times as long; what is made to
    /// fill the hub's memory, a thousand times.
    private static let greatestExpansion = 100
    /// Below this many bytes nobody looks.
    private static let harmlessExpansion = 1 << 20

    init(_ form: BodyForm, limits: Limits = .administrators, isChunked: Bool, isCompressed: Bool) {
        self.limits = limits
        isExport = form == .export
        switch form {
        case .discarded: reader = .nothing
        case .bytes(let limit): reader = .bytes(limit: limit)
        case .data:
            reader = .data
            data = NodeDecoder()
        case .update:
            reader = .update
            update = UpdateDecoder()
        case .export: reader = .exportHead
        }
        if isChunked { chunks = ChunkedBody() }
        if isCompressed { inflater = Inflater() }
    }

    /// The most bytes that are taken.
    var limit: Int { limits.bytes }

    /// Whether the end has come that chunks tell.
    var isComplete: Bool { chunks?.isFinished ?? false }

    /// Takes the next part as it came over the network.
    func receive(_ slice: UnsafeRawBufferPointer) {
        guard var chunks else { return inflate(slice) }
        self.chunks = nil
        do throws(ChunkedError) {
            try chunks.decode(slice) { inflate($0) }
        } catch {
            fail(.undecodable("the chunks of the body are broken"))
            hasBrokenFraming = true
        }
        self.chunks = chunks
    }

    /// Nobody knows where the body ends.
    private(set) var hasBrokenFraming = false

    private func inflate(_ slice: UnsafeRawBufferPointer) {
        guard let inflater else { return take(slice) }
        if case .failed = reader { return }
        if case .nothing = reader { return }
        compressedCount += slice.count
        do throws(InflaterError) {
            try inflater.inflate(slice) { take($0) }
        } catch {
            fail(.undecodable("the body is no gzip data, although Content-Encoding says so"))
        }
    }

    private func take(_ slice: UnsafeRawBufferPointer) {
        if case .failed = reader { return }
        count += slice.count
        guard count <= limits.bytes else { return fail(.tooLarge(limit: limits.bytes)) }
        if inflater != nil, count > HTTPBody.harmlessExpansion, count / HTTPBody.greatestExpansion > compressedCount {
            return fail(.tooLarge(limit: limits.bytes))
        }
        var slice = slice
        if pendingMark { slice = withoutMark(slice) }
        switch reader {
        case .nothing, .failed: return
        case .bytes(let limit):
            guard bytes.count + slice.count <= limit else { return fail(.tooLarge(limit: limit)) }
            bytes.append(contentsOf: slice)
        case .exportHead: takeHead(slice)
        case .data, .update: decode(slice)
        }
    }

    private func takeHead(_ slice: UnsafeRawBufferPointer) {
        guard let end = slice.firstIndex(of: 0x0A) else {
            bytes.append(contentsOf: slice)
            if bytes.count > HTTPBody.headLimit { fail(.tooLarge(limit: HTTPBody.headLimit)) }
            return
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: slice[..<end]))
        reader = .data
        data = NodeDecoder()
        decode(UnsafeRawBufferPointer(rebasing: slice[(end + 1)...]))
    }

    /// Bytes of the first line of an export: it holds rules.
    private static let headLimit = 4 << 20

    private func decode(_ slice: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            if case .data = reader {
                try data?.feed(slice)
            } else {
                try update?.feed(slice)
            }
            guard (data?.nodeCount ?? update?.nodeCount ?? 0) <= limits.nodes else { return fail(.tooManyNodes) }
            lines.advance(over: slice)
        } catch {
            fail(.malformed(error, lines.position(of: error.offset, in: slice)))
        }
    }

    /// A byte order mark is not part of the text; some editors write one.
    private func withoutMark(_ slice: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        pendingMark = false
        return slice.starts(with: [0xEF, 0xBB, 0xBF]) ? UnsafeRawBufferPointer(rebasing: slice[3...]) : slice
    }

    private func fail(_ body: ReceivedBody) {
        if case .failed = reader { return }
        reader = .failed(body)
        bytes = []
        data = nil
        update = nil
    }

    /// The body, once it has arrived.
    func finish() -> ReceivedBody {
        if let inflater, compressedCount > 0, !inflater.isAtEnd {
            fail(.undecodable("the gzip data of the body ends too early"))
        }
        switch reader {
        case .failed(let body): return body
        case .nothing: return .none
        case .bytes: return .bytes(bytes)
        case .exportHead: return .undecodable("the body ends within its first line")
        case .data, .update: break
        }
        guard count > 0 else { return .none }
        do throws(JSONError) {
            if let decoder = update.take() {
                let depth = decoder.depth
                return .update(try decoder.finish(), depth: depth)
            }
            guard let decoder = data.take() else { return .none }
            // The depth is known only when all is read; a decoder that is consumed cannot be asked.
            let depth = decoder.depth
            let node = try decoder.finish()
            return isExport ? .export(head: bytes, node, depth: depth) : .data(node, depth: depth)
        } catch {
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            return .malformed(error, lines.position(of: error.offset, in: nothing))
        }
    }
}
