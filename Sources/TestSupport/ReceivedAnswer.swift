/// An answer over HTTP with its whole body, taken out of its chunks.
package struct ReceivedAnswer: Sendable {
    package var status: Int
    /// Names in lower case, in the order received.
    package var headers: [(name: String, value: String)]
    package var bytes: [UInt8]

    /// The first header of that name, which is in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Status and body in one line, for comparisons: `200 {"a":1}`, `401 error: Permission denied`, `204`.
    package var outcome: String {
        if let error { return "\(status) error: \(error)" }
        return bytes.isEmpty ? "\(status)" : "\(status) \(text)"
    }

    /// The text of a REST error (`protocol/rest.md`, "Errors"), if the body is one to the byte.
    package var error: String? {
        let (head, tail) = ("{\n  \"error\" : \"", "\"\n}\n")
        let body = text
        guard status >= 400, body.hasPrefix(head), body.hasSuffix(tail) else { return nil }
        let text = String(body.dropFirst(head.count).dropLast(tail.count))
        return text.replacing("\\n", with: "\n").replacing("\\\"", with: "\"")
    }
}

/// Takes the answers of one connection apart, as they come. For tests only; confined to one thread at a time.
package final class AnswerReader {
    private let socket: RawSocket
    private var buffer: [UInt8] = []
    private var start = 0
    /// The chunks whose data the buffer holds, while they are taken apart.
    private var chunks: ChunkReader?
    /// What each call of the kernel gave, while somebody wants to know.
    package var pieces: [[UInt8]]?

    package init(_ socket: RawSocket) { self.socket = socket }

    /// The head of the next answer; the body is still to come.
    package func head(until deadline: ContinuousClock.Instant) throws(RawSocketError) -> ReceivedAnswer {
        let line = try self.line(until: deadline)
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw .unexpected("the head of an answer: \(line)")
        }
        var answer = ReceivedAnswer(status: status, headers: [], bytes: [])
        while true {
            let line = try self.line(until: deadline)
            if line.isEmpty { return answer }
            guard let colon = line.firstIndex(of: ":") else { throw .unexpected("a header: \(line)") }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            answer.headers.append((line[..<colon].lowercased(), String(value)))
        }
    }

    /// The next answer with its body. Interim ones, of a status below 200, have none and are answers of their own.
    ///
    /// - Parameter isHead: it answers a HEAD request and has no body, whatever its head says.
    package func answer(
        isHead: Bool = false, until deadline: ContinuousClock.Instant
    ) throws(RawSocketError) -> ReceivedAnswer {
        var answer = try head(until: deadline)
        if isHead || answer.status < 200 || answer.status == 204 || answer.status == 304 { return answer }
        if answer.header("transfer-encoding") == "chunked" {
            while true {
                let line = try self.line(until: deadline)
                guard let count = Int(line, radix: 16) else { throw .unexpected("the size of a chunk: \(line)") }
                answer.bytes += try bytes(count, until: deadline)
                guard try bytes(2, until: deadline) == [13, 10] else { throw .unexpected("the end of a chunk") }
                if count == 0 { return answer }
            }
        } else if let length = answer.header("content-length").flatMap({ Int($0) }) {
            answer.bytes = try bytes(length, until: deadline)
        } else {
            answer.bytes = try rest(until: deadline)
        }
        return answer
    }

    /// Everything up to the end of the connection.
    package func rest(until deadline: ContinuousClock.Instant) throws(RawSocketError) -> [UInt8] {
        while true {
            do {
                try fill(until: deadline)
            } catch {
                guard error == .ended else { throw error }
                defer { start = buffer.count }
                return Array(buffer[start...])
            }
        }
    }

    /// A line without its end, which is a line feed with or without a carriage return.
    package func line(until deadline: ContinuousClock.Instant) throws(RawSocketError) -> String {
        var looked = start
        while true {
            if let end = buffer[looked...].firstIndex(of: 0x0A) {
                var line = buffer[start..<end]
                start = end + 1
                if line.last == 0x0D { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            let unread = buffer.count - start
            try fill(until: deadline)
            looked = start + unread
        }
    }

    private func bytes(_ count: Int, until deadline: ContinuousClock.Instant) throws(RawSocketError) -> [UInt8] {
        while buffer.count - start < count { try fill(until: deadline) }
        defer { start += count }
        return Array(buffer[start..<(start + count)])
    }

    private func fill(until deadline: ContinuousClock.Instant) throws(RawSocketError) {
        if start == buffer.count || start > 1 << 20 {
            buffer.removeFirst(start)
            start = 0
        }
        if var reader = chunks {
            chunks = nil
            defer { chunks = reader }
            while true {
                let isOver = try reader.take(into: &buffer)
                if buffer.count > start { return }
                if isOver { throw .ended }
                reader.add(try socket.receive(until: deadline))
            }
        }
        let piece = try socket.receive(until: deadline)
        pieces?.append(piece)
        buffer += piece
    }

    /// From here on everything is in chunks, which are taken apart as they come.
    package func beginChunks() {
        chunks = ChunkReader(Array(buffer[start...]))
        buffer = []
        start = 0
    }
}

/// Takes a body in chunks apart, as a proxy sends event streams.
private struct ChunkReader {
    private var raw: [UInt8]
    private var left = 0

    init(_ raw: [UInt8]) { self.raw = raw }

    mutating func add(_ piece: [UInt8]) { raw += piece }

    /// Appends what is there of the data. True at the end of the last chunk.
    mutating func take(into buffer: inout [UInt8]) throws(RawSocketError) -> Bool {
        while true {
            if left > 0 {
                let count = min(left, raw.count)
                buffer += raw[..<count]
                raw.removeFirst(count)
                left -= count
                if left > 0 { return false }
            }
            // The end of the chunk before, if there was one, and the size of the next.
            let isFirst = raw.first != 0x0D
            guard let end = raw.dropFirst(isFirst ? 0 : 2).firstIndex(of: 0x0A) else { return false }
            let line = String(decoding: raw[(isFirst ? 0 : 2)..<end].dropLast(), as: UTF8.self)
            guard let size = Int(line, radix: 16) else { throw .unexpected("the size of a chunk: \(line)") }
            raw.removeFirst(end + 1)
            if size == 0 { return true }
            left = size
        }
    }
}
