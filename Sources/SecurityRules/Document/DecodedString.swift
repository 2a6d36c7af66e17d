/// The text of a JSON string without its escapes, as UTF-8, and where in the file each byte of it came from.
///
/// A `\u` escape of half a surrogate pair reads as U+FFFD, as it does in stored data, so texts are always valid UTF-8.
struct DecodedString: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where stretches begin that stand in the file as they are; escapes break them.
    private var stretches: [(decoded: Int, file: Int)] = []

    init() {}

    /// A word that stands in the file as it is.
    init(_ word: String, at offset: Int) {
        for (place, byte) in word.utf8.enumerated() { append(byte, at: offset + place) }
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends a byte that stands at `offset` in the file.
    mutating func append(_ byte: UInt8, at offset: Int) {
        let last = stretches.last
        if last.map({ offset - $0.file != bytes.count - $0.decoded }) ?? true {
            stretches.append((bytes.count, offset))
        }
        bytes.append(byte)
    }

    /// Appends a character that is written as an escape at `offset` in the file.
    mutating func append(_ scalar: Unicode.Scalar, escapedAt offset: Int) {
        for byte in String(scalar).utf8 {
            stretches.append((bytes.count, offset))
            bytes.append(byte)
        }
    }

    /// Notes where the string ends in the file, so that errors at the end of the text have a place.
    mutating func end(at offset: Int) { stretches.append((bytes.count, offset)) }

    /// Where in the file the byte at `offset` came from.
    func fileOffset(of offset: Int) -> Int {
        var low = 0
        var high = stretches.count
        while high - low > 1 {
            let middle = (low + high) >> 1
            if stretches[middle].decoded <= offset { low = middle } else { high = middle }
        }
        guard low < stretches.count else { return 0 }
        return stretches[low].file + offset - stretches[low].decoded
    }
}
