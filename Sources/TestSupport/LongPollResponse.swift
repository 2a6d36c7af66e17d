/// An answer over HTTP, complete.
struct LongPollResponse {
    let status: Int
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Nil while something is missing.
    init?(_ bytes: [UInt8]) throws {
        guard let end = LongPollResponse.find("\r\n\r\n", in: bytes, from: 0) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw RawSocketError.unexpected("\(lines)")
        }
        self.status = status
        let start = end + 4
        if lines.contains("transfer-encoding: chunked") {
            guard bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8),
                let body = LongPollResponse.joined(bytes, from: start)
            else { return nil }
            self.body = body
            return
        }
        let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        guard bytes.count >= start + length else { return nil }
        body = Array(bytes[start..<(start + length)])
    }

    private static func joined(_ bytes: [UInt8], from start: Int) -> [UInt8]? {
        var body: [UInt8] = []
        var position = start
        while let line = find("\r\n", in: bytes, from: position) {
            guard let count = Int(String(decoding: bytes[position..<line], as: UTF8.self), radix: 16),
                bytes.count >= line + 4 + count
            else { return nil }
            if count == 0 { return body }
            body += bytes[(line + 2)..<(line + 2 + count)]
            position = line + 4 + count
        }
        return nil
    }

    private static func find(_ text: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
        let wanted = text.withUTF8Buffer { Array($0) }
        guard bytes.count >= start + wanted.count else { return nil }
        return (start...(bytes.count - wanted.count)).first { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
