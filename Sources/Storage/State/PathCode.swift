import DataTree

/// The binary form of paths by which rows of the state are sorted: comparing bytes gives the order of paths, and all
/// that is below a place comes right after it.
///
/// - Keys are separated by 01; the root is the empty form.
/// - A text key is its UTF-8 with the lead bytes EE and EF written as F8 and F9, so that byte order is UTF-16 order.
///   Bytes 00 to 03 are written as 03 10 to 03 13; an empty key is 03 0F.
/// - A key that reads as an integer begins with 02. A letter says how many digits follow, `a` for one to `j` for ten;
///   for a negative number it is `Y` for one down to `P` for ten, and each digit is subtracted from 9. A key with more
///   characters than its number needs (`007`, `-0`) goes on with 02, its length in three bytes, and for zero 00 with a
///   minus sign or 01 without.
///
/// Common keys are readable as they are: the view `readable` of the state shows `list/#b42/name`.
enum PathCode {
    static let separator: UInt8 = 0x01
    private static let integerMark: UInt8 = 0x02
    private static let escape: UInt8 = 0x03
    private static let escapedBase: UInt8 = 0x10
    private static let emptyKey: UInt8 = 0x0F

    struct Malformed: Error {
        /// Where in the form decoding stopped.
        var offset: Int
    }

    // MARK: - Writing

    static func encode(_ path: Path) -> [UInt8] {
        var bytes: [UInt8] = []
        for key in path.keys { append(key, to: &bytes) }
        return bytes
    }

    /// Appends a key below what `bytes` holds.
    static func append(_ key: Key, to bytes: inout [UInt8]) {
        if !bytes.isEmpty { bytes.append(separator) }
        let start = bytes.count
        if key.isIntegerLike {
            var text: [UInt8] = []
            key.append(to: &text)
            appendInteger(text, to: &bytes)
            return
        }
        key.append(to: &bytes)
        guard bytes.count > start else {
            bytes.append(contentsOf: [escape, emptyKey])
            return
        }
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte <= escape {
                bytes[index] = escape
                index += 1
                bytes.insert(escapedBase + byte, at: index)
            } else if byte & 0xFE == 0xEE {
                bytes[index] = byte + 10
            }
            index += 1
        }
    }

    private static func appendInteger(_ text: [UInt8], to bytes: inout [UInt8]) {
        let isNegative = text.first == UInt8(ascii: "-")
        let unsigned = isNegative ? text.dropFirst() : text[...]
        let significant = unsigned.drop { $0 == UInt8(ascii: "0") }
        let isZero = significant.isEmpty
        let digits = isZero ? [UInt8(ascii: "0")] : Array(significant)
        bytes.append(integerMark)
        if isNegative, !isZero {
            bytes.append(UInt8(ascii: "Z") - UInt8(digits.count))
            for digit in digits { bytes.append(UInt8(ascii: "0") + UInt8(ascii: "9") - digit) }
        } else {
            bytes.append(UInt8(ascii: "a") - 1 + UInt8(digits.count))
            bytes.append(contentsOf: digits)
        }
        guard text.count > digits.count + (isNegative && !isZero ? 1 : 0) else { return }
        bytes.append(integerMark)
        for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
        if isZero { bytes.append(isNegative ? 0 : 1) }
    }

    // MARK: - Reading

    static func decode(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Path {
        var keys: [Key] = []
        var offset = 0
        while offset < bytes.count { keys.append(try key(in: bytes, at: &offset)) }
        return Path(keys: keys)
    }

    /// Reads the key at `offset` and moves behind it and its separator.
    static func key(in bytes: UnsafeRawBufferPointer, at offset: inout Int) throws(Malformed) -> Key {
        let start = offset
        var end = start
        var isPlain = true
        guard end < bytes.count, bytes[end] != integerMark else {
            return try integer(in: bytes, at: &offset)
        }
        while end < bytes.count, bytes[end] != separator {
            let byte = bytes[end]
            if byte <= escape || byte >= 0x80 { isPlain = false }
            end += 1
        }
        guard end > start else { throw Malformed(offset: start) }
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        let key = isPlain ? Key(utf8: piece) : try unescaped(piece, at: start)
        offset = try behind(end, in: bytes)
        return key
    }

    private static func behind(_ end: Int, in bytes: UnsafeRawBufferPointer) throws(Malformed) -> Int {
        if end == bytes.count { return end }
        // A separator with nothing behind it would make two forms of one path.
        guard bytes[end] == separator, end + 1 < bytes.count else { throw Malformed(offset: end) }
        return end + 1
    }

    private static func unescaped(_ piece: UnsafeRawBufferPointer, at start: Int) throws(Malformed) -> Key {
        if piece.elementsEqual([escape, emptyKey]) { return Key("") }
        var text: [UInt8] = []
        text.reserveCapacity(piece.count)
        var index = 0
        while index < piece.count {
            let byte = piece[index]
            if byte == escape {
                index += 1
                guard index < piece.count, (escapedBase...escapedBase + escape).contains(piece[index]) else {
                    throw Malformed(offset: start + index)
                }
                text.append(piece[index] - escapedBase)
            } else if byte < escape {
                throw Malformed(offset: start + index)
            } else {
                text.append(byte & 0xFE == 0xF8 ? byte - 10 : byte)
            }
            index += 1
        }
        guard String(validating: text, as: UTF8.self) != nil else { throw Malformed(offset: start) }
        return text.withUnsafeBytes { Key(utf8: $0) }
    }

    private static func integer(
        in bytes: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(Malformed) -> Key {
        let start = offset
        var index = start + 1
        func next() throws(Malformed) -> UInt8 {
            guard index < bytes.count else { throw Malformed(offset: start) }
            defer { index += 1 }
            return bytes[index]
        }
        let letter = try next()
        let isNegative = (UInt8(ascii: "P")...UInt8(ascii: "Y")).contains(letter)
        guard isNegative || (UInt8(ascii: "a")...UInt8(ascii: "j")).contains(letter) else {
            throw Malformed(offset: start)
        }
        let count = isNegative ? UInt8(ascii: "Z") - letter : letter - UInt8(ascii: "a") + 1
        var digits: [UInt8] = []
        for _ in 0..<count {
            let digit = try next()
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw Malformed(offset: start) }
            digits.append(isNegative ? UInt8(ascii: "0") + UInt8(ascii: "9") - digit : digit)
        }
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        if index < bytes.count, bytes[index] == integerMark {
            index += 1
            var length = 0
            for _ in 0..<3 { length = length << 8 | Int(try next()) }
            if digits == [UInt8(ascii: "0")], try next() == 0 { text = [UInt8(ascii: "-")] }
            let zeros = length - text.count - digits.count
            guard zeros >= 0 else { throw Malformed(offset: start) }
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: zeros))
        }
        text.append(contentsOf: digits)
        let key = text.withUnsafeBytes { Key(utf8: $0) }
        guard key.isIntegerLike else { throw Malformed(offset: start) }
        offset = try behind(index, in: bytes)
        return key
    }
}
