/// A stored string: compared byte for byte, ordered by UTF-16 code unit as the SDKs order strings, and sixteen bytes
/// large; up to fourteen bytes of text need no allocation.
///
/// Swift's own string comparison follows canonical equivalence and would merge values that clients tell apart.
package struct Text: Sendable {
    enum Storage: Sendable {
        case short(ShortText)
        case long([UInt8])
    }

    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    package init(_ string: String) {
        var string = string
        self = string.withUTF8 { Text(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Takes bytes that the caller knows to be valid UTF-8.
    package init(utf8 bytes: UnsafeRawBufferPointer) {
        if let short = ShortText(bytes) {
            storage = .short(short)
        } else {
            storage = .long([UInt8](bytes))
        }
    }

    /// Takes bytes that the caller knows to be valid UTF-8.
    package init(utf8 bytes: [UInt8]) {
        if bytes.count > ShortText.capacity {
            storage = .long(bytes)
        } else {
            self = bytes.withUnsafeBytes { Text(utf8: $0) }
        }
    }

    /// The text as a Swift string, made anew on each call.
    package var string: String {
        // The bytes are valid UTF-8 by the contract of the initialisers.
        withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { buffer in
                UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
                return bytes.count
            }
        }
    }

    package var utf8Count: Int {
        switch storage {
        case .short(let short): short.count
        case .long(let bytes): bytes.count
        }
    }

    /// Lends the UTF-8 bytes for the time of the call.
    package func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        switch storage {
        case .short(let short): try short.withBytes(body)
        case .long(let bytes): try bytes.withUnsafeBytes(body)
        }
    }

    package func append(to bytes: inout [UInt8]) {
        withUTF8 { bytes.append(contentsOf: $0) }
    }
}

extension Text: Hashable, Comparable {
    package static func == (left: Text, right: Text) -> Bool {
        switch (left.storage, right.storage) {
        case (.short(let left), .short(let right)): left == right
        case (.long(let left), .long(let right)): left == right
        default: false
        }
    }

    package static func < (left: Text, right: Text) -> Bool {
        left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                    return collate(left[index]) < collate(right[index])
                }
                return left.count < right.count
            }
        }
    }

    package func hash(into hasher: inout Hasher) {
        withUTF8 { hasher.combine(bytes: $0) }
        hasher.combine(utf8Count)
    }
}

extension Text: CustomStringConvertible, ExpressibleByStringLiteral {
    package var description: String { string }
    package init(stringLiteral string: String) { self.init(string) }
}

/// Up to fourteen bytes of text and their count, in fifteen bytes: with its case number a node stays at sixteen.
struct ShortText: Hashable, Sendable {
    static let capacity = 14

    private let first: UInt64
    private let second: UInt32
    private let third: UInt16
    private let length: UInt8

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= Self.capacity else { return nil }
        var low: UInt64 = 0
        var high: UInt64 = 0
        for index in 0..<min(8, bytes.count) { low |= UInt64(bytes[index]) << UInt64(8 * index) }
        if bytes.count > 8 {
            for index in 8..<bytes.count { high |= UInt64(bytes[index]) << UInt64(8 * (index - 8)) }
        }
        first = low
        second = UInt32(truncatingIfNeeded: high)
        third = UInt16(truncatingIfNeeded: high >> 32)
        length = UInt8(bytes.count)
    }

    var count: Int { Int(length) }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let words = (first.littleEndian, (UInt64(second) | UInt64(third) << 32).littleEndian)
        return try withUnsafeBytes(of: words) { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
