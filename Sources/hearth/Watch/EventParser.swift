/// An event of a stream as its lines say it.
struct StreamEvent: Equatable {
    /// `message` where no line names it.
    var name: String
    /// The data lines, with a line feed between them.
    var data: [UInt8]
}

/// Reads server-sent events (WHATWG HTML, section 9.2) from bytes that arrive in pieces, cut anywhere.
///
/// Lines end with LF, CR or both. It holds what it has of the event that is not complete yet.
struct EventParser {
    /// Why a stream cannot be read on.
    enum Problem: Error, Equatable {
        case tooLong(limit: Int)
    }

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var endedWithReturn = false
    private var isAtStart = true
    private let limit: Int

    /// `limit` bounds one event, in bytes.
    init(limit: Int = 256 << 20) { self.limit = limit }

    /// The events that end in this piece.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(Problem) -> [StreamEvent] {
        var events: [StreamEvent] = []
        var start = 0
        while start < bytes.count {
            if endedWithReturn {
                endedWithReturn = false
                if bytes[start] == UInt8(ascii: "\n") {
                    start += 1
                    continue
                }
            }
            let rest = bytes[start...]
            guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
                try extend(with: rest)
                break
            }
            try extend(with: bytes[start..<end])
            endedWithReturn = bytes[end] == UInt8(ascii: "\r")
            start = end + 1
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func extend(with piece: Slice<UnsafeRawBufferPointer>) throws(Problem) {
        guard line.count + data.count + piece.count <= limit else { throw .tooLong(limit: limit) }
        line.append(contentsOf: piece)
    }

    /// Takes the line in; an empty one ends the event.
    private mutating func endLine() -> StreamEvent? {
        defer { line.removeAll(keepingCapacity: line.capacity < 65_536) }
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else {
            defer {
                name = ""
                data = []
                hasData = false
            }
            return hasData ? StreamEvent(name: name.isEmpty ? "message" : name, data: data) : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        // A line that begins with a colon is a comment; `id` and `retry` mean nothing here.
        switch line[..<(colon ?? line.endIndex)] {
        case let field where field.elementsEqual("event".utf8): name = String(decoding: value, as: UTF8.self)
        case let field where field.elementsEqual("data".utf8):
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data.append(contentsOf: value)
        default: break
        }
        return nil
    }
}
