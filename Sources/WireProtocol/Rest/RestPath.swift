import DataTree

/// The path of a REST request (`protocol/rest.md`, "Paths").
enum RestPath {
    static let missingSuffix = "append .json to your request URI to use the REST API."

    /// - Parameter isRead: `.info` may come first, and a missing suffix is "not found" instead of "not allowed".
    static func parse(
        _ text: String, isRead: Bool, mayEndInPriority: Bool, limits: WriteLimits
    ) throws(RestError) -> Path {
        let suffix = ".json"
        guard text.utf8.count >= suffix.utf8.count, text.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        else { throw RestError(status: isRead ? 404 : 405, text: missingSuffix, isPlainText: true) }
        let path = Path(String(decoding: text.utf8.dropLast(suffix.utf8.count), as: UTF8.self))
        let isSpecial = path.last == .priority
        if isSpecial, !mayEndInPriority { throw .invalidPath }
        var keys = path.keys[...]
        if isSpecial { keys = keys.dropLast() }
        guard keys.count <= limits.depth else {
            throw RestError(text: "Invalid path: more than \(limits.depth) keys; store the data flatter")
        }
        if isRead, keys.first == .info { keys = keys.dropFirst() }
        for key in keys {
            guard key.utf8Count <= limits.keyBytes else {
                throw RestError(text: "Invalid path: a key is longer than \(limits.keyBytes) bytes; use a shorter one")
            }
            guard key.withUTF8({ !$0.contains(where: isForbidden) }) else { throw .invalidPath }
        }
        return path
    }

    /// What no key may contain, and the backslash, which keys may contain but URLs may not.
    static func isForbidden(_ byte: UInt8) -> Bool { isForbiddenInKeys(byte) || byte == UInt8(ascii: "\\") }

    static func isForbiddenInKeys(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x1F, 0x7F, UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
