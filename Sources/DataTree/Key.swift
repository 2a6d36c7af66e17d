/// The name of a child, ordered as the protocol orders names: keys that read as 32-bit integers first, by value,
/// then all others by UTF-16 code unit.
///
/// Origin of the order: `nameCompare` in the JavaScript SDK's `packages/database/src/core/util/util.ts`. Where that
/// function calls two different keys equal (`-0` and `00`), the one with the sign comes first, so the order is total.
///
/// Keys are bytes: composed and decomposed spellings of a letter are two keys.
package struct Key: Hashable, Sendable {
    let packed: PackedKey
    /// The collated bytes of a key too long to be packed.
    let long: [UInt8]?

    init(packed: PackedKey, long: [UInt8]?) {
        self.packed = packed
        self.long = long
    }

    /// Makes a key of any text. Whether a client may use it as a key is for validation to say.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { Key(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Makes a key of bytes that the caller knows to be valid UTF-8.
    package init(utf8 bytes: UnsafeRawBufferPointer) {
        if let packed = PackedKey(integerLike: bytes) ?? PackedKey(pushIdentifier: bytes) ?? PackedKey(short: bytes) {
            self.init(packed: packed, long: nil)
        } else {
            let collated = bytes.map(collate)
            self.init(packed: PackedKey(prefixOf: collated), long: collated)
        }
    }

    /// The length of the key's text in UTF-8 bytes.
    package var utf8Count: Int { long?.count ?? packed.utf8Count }

    /// Appends the key's text as UTF-8.
    package func append(to bytes: inout [UInt8]) {
        if let long {
            bytes.reserveCapacity(bytes.count + long.count)
            for byte in long { bytes.append(restore(byte)) }
        } else {
            for index in 0..<packed.utf8Count { bytes.append(packed.byte(at: index)) }
        }
    }

    /// Lends the key's text as UTF-8 bytes for the time of the call.
    package func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let count = utf8Count
        return try withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            for index in 0..<count {
                buffer[index] = if let long { restore(long[index]) } else { packed.byte(at: index) }
            }
            return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Whether the key reads as a signed 32-bit integer and so sorts before all other keys.
    package var isIntegerLike: Bool { packed.form == .integer }

    package static func == (left: Key, right: Key) -> Bool {
        left.packed == right.packed && (left.packed.form != .long || left.long == right.long)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(packed)
        if let long { hasher.combine(long) }
    }
}

extension Key: Comparable {
    package static func < (left: Key, right: Key) -> Bool {
        left.packed.precedes(left.long, right.packed, right.long)
    }
}

extension Key: CustomStringConvertible {
    package var description: String {
        let count = utf8Count
        // The closure writes `count` bytes, all inside the buffer it is given.
        return String(unsafeUninitializedCapacity: count) { buffer in
            for index in 0..<count {
                buffer[index] = if let long { restore(long[index]) } else { packed.byte(at: index) }
            }
            return count
        }
    }
}

extension Key: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

/// Maps a UTF-8 byte so that byte order becomes UTF-16 code unit order: U+E000 to U+FFFF (lead bytes EE and EF) sort
/// behind the supplementary characters (F0 to F4), whose UTF-16 form begins with a surrogate.
@inline(__always)
func collate(_ byte: UInt8) -> UInt8 { byte & 0xFE == 0xEE ? byte + 10 : byte }

/// The inverse of `collate`.
@inline(__always)
func restore(_ byte: UInt8) -> UInt8 { byte & 0xFE == 0xF8 ? byte - 10 : byte }
