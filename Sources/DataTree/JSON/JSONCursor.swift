/// Reads JSON piece by piece from complete bytes in one place: the pull parser for messages whose shape is known.
///
/// ```swift
/// var cursor = JSONCursor(bytes)
/// try cursor.enterObject()
/// while let name = try cursor.nextName() {
///     switch name {
///     case "p": path = try cursor.readPath()
///     case "d": node = try cursor.readNode()
///     default: _ = try cursor.skipValue()
///     }
/// }
/// try cursor.expectEnd()
/// ```
///
/// The bytes are not copied; they must stay as they are while the cursor lives. Calls that do not fit the text throw;
/// none traps.
package struct JSONCursor: ~Copyable {
    // A pointer without bounds checks; every read is behind a comparison with `count`.
    let bytes: UnsafePointer<UInt8>
    let count: Int
    let limits: JSONLimits
    /// The index of the next byte to read.
    package internal(set) var offset = 0
    /// A container was just entered: a value or its end may follow without a comma.
    private var isAtFirst = false
    private var machine: NodeMachine?
    private var scratch: [UInt8] = []

    /// How many keys stand on the longest way down in the node that `readNode` last read (0 for a scalar), keys of null
    /// children included. The length of its path plus this is what the depth limit of writes counts.
    package private(set) var lastNodeDepth = 0

    package init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()) {
        // Nothing is read from the stand-in for an empty buffer's missing address.
        let placeholder = UnsafePointer<UInt8>(bitPattern: 1)
        self.bytes = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? placeholder.unsafelyUnwrapped
        self.count = bytes.count
        self.limits = limits
    }

    // MARK: - Looking ahead

    /// The kind of the value that comes next, or nil at the end of the bytes.
    package mutating func peek() -> JSONKind? {
        skipWhitespace()
        return offset < count ? JSONText.kind(of: bytes[offset]) : nil
    }

    /// Throws unless nothing but white space is left.
    package mutating func expectEnd() throws(JSONError) {
        skipWhitespace()
        if offset < count { throw JSONError(offset: offset, reason: .trailingBytes) }
    }

    // MARK: - Objects and arrays

    package mutating func enterObject() throws(JSONError) {
        try expect(.object)
        offset += 1
        isAtFirst = true
    }

    /// The next key of the object entered last, or nil at its end. A value must be read after each key.
    package mutating func nextKey() throws(JSONError) -> String? {
        guard let name = try nextName() else { return nil }
        return try text(of: name)
    }

    /// The next key of the object entered last in a form that compares cheaply with literals, or nil at its end.
    package mutating func nextName() throws(JSONError) -> JSONName? {
        guard try beginsAnother(closing: 0x7D) else { return nil }
        guard bytes[offset] == 0x22 else {
            throw JSONError(offset: offset, reason: .expectedKey(found: bytes[offset]))
        }
        let (range, scan) = try scanString()
        skipWhitespace()
        guard offset < count else { throw JSONError(offset: count, reason: .unexpectedEnd) }
        guard bytes[offset] == 0x3A else {
            throw JSONError(offset: offset, reason: .expectedColon(found: bytes[offset]))
        }
        offset += 1
        return JSONName(range: range, scan: scan, bytes: bytes)
    }

    /// The whole text of a key that `nextName` gave.
    package mutating func text(of name: JSONName) throws(JSONError) -> String {
        try decode(name.range, hasEscapes: name.hasEscapes) { String(decoding: $0, as: UTF8.self) }
    }

    package mutating func enterArray() throws(JSONError) {
        try expect(.array)
        offset += 1
        isAtFirst = true
    }

    /// Whether the array entered last has another element; it must be read before the next call.
    package mutating func nextElement() throws(JSONError) -> Bool { try beginsAnother(closing: 0x5D) }

    /// Steps over a comma; false at the closing bracket, which is stepped over too.
    private mutating func beginsAnother(closing: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        guard offset < count else { throw JSONError(offset: count, reason: .unexpectedEnd) }
        let wasAtFirst = isAtFirst
        isAtFirst = false
        if bytes[offset] == closing {
            offset += 1
            return false
        }
        if wasAtFirst { return true }
        guard bytes[offset] == 0x2C else {
            throw JSONError(offset: offset, reason: .expectedCommaOrEnd(found: bytes[offset]))
        }
        offset += 1
        skipWhitespace()
        guard offset < count else { throw JSONError(offset: count, reason: .unexpectedEnd) }
        return true
    }

    // MARK: - Scalars

    package mutating func readString() throws(JSONError) -> String {
        try readText { String(decoding: $0, as: UTF8.self) }
    }

    /// A string as a path; slashes separate its keys.
    package mutating func readPath() throws(JSONError) -> Path {
        try readText { Path(utf8: $0) }
    }

    /// Reads a string and lends its UTF-8 (valid, unescaped) to `body` for the time of the call.
    package mutating func readText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(JSONError) -> Result {
        try expect(.string)
        let (range, scan) = try scanString()
        return try decode(range, hasEscapes: scan.hasEscapes, body)
    }

    package mutating func readBool() throws(JSONError) -> Bool {
        skipWhitespace()
        let isTrue = offset < count && bytes[offset] == 0x74
        try expect(isTrue ? .true : .false)
        try readLiteral()
        return isTrue
    }

    package mutating func readNull() throws(JSONError) {
        try expect(.null)
        try readLiteral()
    }

    /// A number: `.integer` if it is whole and fits 64 bits, else `.double`.
    package mutating func readNumber() throws(JSONError) -> Leaf {
        try expect(.number)
        switch NumberText.parse(bytes, from: offset, to: count) {
        case .number(let leaf, let end):
            offset = end
            return leaf
        case .invalid(let index): throw JSONError(offset: index, reason: .invalidNumber)
        case .outOfRange: throw JSONError(offset: offset, reason: .numberOutOfRange)
        case .tooLong: throw JSONError(offset: offset, reason: .numberTooLong)
        }
    }

    /// A whole number; one with a fraction, or beyond 64 bits, is an error.
    package mutating func readInteger() throws(JSONError) -> Int64 {
        let start = offset
        guard case .integer(let value) = try readNumber() else {
            throw JSONError(offset: start, reason: .notAnInteger)
        }
        return value
    }

    // MARK: - Whole values

    /// Reads any value in export form as a node; `null` and what has nothing in it become the empty node.
    ///
    /// When it throws an error that is not a syntax error, the value has been skipped and reading may go on behind it.
    package mutating func readNode() throws(JSONError) -> Node {
        let start = offset
        do {
            return try decodeNode()
        } catch {
            guard !error.isSyntax else { throw error }
            offset = start
            _ = try skipValue()
            throw error
        }
    }

    /// `readNode` without the skipping.
    mutating func decodeNode() throws(JSONError) -> Node {
        isAtFirst = false
        var machine = self.machine.take() ?? NodeMachine(limits: limits)
        machine.reset()
        offset = try machine.consume(bytes, from: offset, to: count, offset: 0, isFinal: true)
        lastNodeDepth = machine.deepest
        let node = machine.result
        machine.result = .empty
        self.machine = consume machine
        return node
    }

    /// Steps over any value, however deep, checking its syntax but not its meaning. Returns where it stands in the
    /// bytes.
    package mutating func skipValue() throws(JSONError) -> Range<Int> {
        skipWhitespace()
        isAtFirst = false
        let start = offset
        offset = try JSONSkip.value(bytes, from: offset, to: count)
        return start..<offset
    }

    // MARK: - Tokens

    @inline(__always)
    private mutating func skipWhitespace() {
        while offset < count, JSONText.isWhitespace(bytes[offset]) { offset += 1 }
    }

    private mutating func expect(_ kind: JSONKind) throws(JSONError) {
        guard let found = peek() else { throw JSONError(offset: count, reason: .unexpectedEnd) }
        guard found != kind else { return }
        throw JSONError(
            offset: offset,
            reason: found == .invalid ? .expectedValue(found: bytes[offset]) : .unexpectedKind(expected: kind))
    }

    /// Scans the string whose opening quote is next and steps behind it; the range is what stands between the quotes.
    private mutating func scanString() throws(JSONError) -> (Range<Int>, JSONString.Scan) {
        var scan = JSONString.Scan(from: offset + 1)
        JSONString.advance(&scan, in: bytes, to: count)
        guard scan.end < count else { throw JSONError(offset: count, reason: .unexpectedEnd) }
        guard bytes[scan.end] == 0x22 else {
            throw JSONError(offset: scan.end, reason: .controlCharacter(bytes[scan.end]))
        }
        let range = offset + 1..<scan.end
        if !scan.isASCII, let invalid = UTF8Validation.firstInvalid(bytes, from: range.lowerBound, to: range.upperBound)
        {
            throw JSONError(offset: invalid, reason: .invalidUTF8)
        }
        isAtFirst = false
        offset = scan.end + 1
        return (range, scan)
    }

    private mutating func decode<Result>(
        _ range: Range<Int>, hasEscapes: Bool, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(JSONError) -> Result {
        guard hasEscapes else {
            return body(UnsafeRawBufferPointer(start: bytes + range.lowerBound, count: range.count))
        }
        scratch.removeAll(keepingCapacity: true)
        if let invalid = JSONString.unescape(bytes, from: range.lowerBound, to: range.upperBound, into: &scratch) {
            throw JSONError(offset: invalid, reason: .invalidEscape)
        }
        return scratch.withUnsafeBytes(body)
    }

    private mutating func readLiteral() throws(JSONError) {
        let (end, isComplete) = JSONText.matchLiteral(bytes, from: offset, to: count)
        guard isComplete else {
            throw JSONError(offset: end, reason: end < count ? .invalidLiteral : .unexpectedEnd)
        }
        offset = end
    }
}

/// A key of an object in a message: its place in the bytes, and its first eight bytes for cheap comparison.
///
/// Compares with literals of at most eight ASCII characters; longer or escaped keys equal none of them.
package struct JSONName: Equatable, ExpressibleByStringLiteral {
    private let packed: UInt64
    let range: Range<Int>
    let hasEscapes: Bool

    init(range: Range<Int>, scan: JSONString.Scan, bytes: UnsafePointer<UInt8>) {
        self.range = range
        hasEscapes = scan.hasEscapes
        // No text packs to all ones, so that such keys equal no literal.
        var packed = UInt64.max
        if range.count <= 8, !scan.hasEscapes, scan.isASCII {
            packed = 0
            for index in range { packed = packed << 8 | UInt64(bytes[index]) }
        }
        self.packed = packed
    }

    package init(stringLiteral text: StaticString) {
        range = 0..<0
        hasEscapes = false
        var packed: UInt64 = text.utf8CodeUnitCount <= 8 ? 0 : .max - 1
        if packed == 0 {
            for index in 0..<text.utf8CodeUnitCount { packed = packed << 8 | UInt64(text.utf8Start[index]) }
        }
        self.packed = packed
    }

    package static func == (left: JSONName, right: JSONName) -> Bool { left.packed == right.packed }
}
