/// A place in the tree: the keys from the root down. The root's path has none.
package struct Path: Hashable, Sendable {
    package var keys: [Key]

    package static let root = Path(keys: [])

    package init(keys: [Key]) { self.keys = keys }

    /// Reads `a/b/c`. Empty pieces are dropped, so slashes at either end or in a row mean nothing.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { Path(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Reads `a/b/c` from bytes that the caller knows to be valid UTF-8.
    package init(utf8 bytes: UnsafeRawBufferPointer) {
        keys = []
        var start = 0
        for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "/") {
            if index > start { keys.append(Key(utf8: UnsafeRawBufferPointer(rebasing: bytes[start..<index]))) }
            start = index + 1
        }
    }

    package var count: Int { keys.count }
    package var isRoot: Bool { keys.isEmpty }
    package var last: Key? { keys.last }

    /// The path without its last key; nil for the root.
    package var parent: Path? { isRoot ? nil : prefix(count - 1) }

    package func appending(_ key: Key) -> Path { Path(keys: keys + [key]) }

    package func appending(_ path: Path) -> Path { isRoot ? path : Path(keys: keys + path.keys) }

    /// Whether `ancestor` is this path or above it.
    package func hasPrefix(_ ancestor: Path) -> Bool {
        ancestor.count <= count && ancestor.keys.elementsEqual(keys.prefix(ancestor.count))
    }

    /// The first `length` keys, or all of them when there are fewer.
    package func prefix(_ length: Int) -> Path { length >= count ? self : Path(keys: Array(keys.prefix(length))) }

    /// The path without its first `length` keys.
    package func dropFirst(_ length: Int) -> Path { length == 0 ? self : Path(keys: Array(keys.dropFirst(length))) }

    /// Appends `a/b/c` as UTF-8, without a slash in front; nothing for the root.
    package func append(to bytes: inout [UInt8]) {
        for (index, key) in keys.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "/")) }
            key.append(to: &bytes)
        }
    }
}

extension Path: Comparable {
    /// Piece by piece in key order, a prefix before what is longer.
    package static func < (left: Path, right: Path) -> Bool {
        for (leftKey, rightKey) in zip(left.keys, right.keys) where leftKey != rightKey {
            return leftKey < rightKey
        }
        return left.count < right.count
    }
}

extension Path: CustomStringConvertible, ExpressibleByStringLiteral {
    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package init(stringLiteral text: String) { self.init(text) }
}
