import DataTree

/// Reads the paths of requests and refuses those that can name nothing.
enum PathCheck {
    enum Use {
        /// `.info` may come first: clients ask for it and get nothing.
        case read
        /// Nothing below `.info`; `.priority` may come last if it says so.
        case write(mayEndInPriority: Bool)
    }

    /// Splits `bytes`, which are valid UTF-8, at slashes. Returns the path, or the text of a refusal that ends with the remedy.
    static func path(utf8 bytes: UnsafeRawBufferPointer, use: Use, limits: RequestLimits) -> Result<Path, PathRefusal> {
        let path = Path(utf8: bytes)
        // Almost every path has no forbidden character at all; only the others are looked at key by key.
        if hasForbidden(bytes), let refusal = inspect(path, use: use) { return .failure(refusal) }
        let hasPriority = endsInPriority(path)
        let depth = hasPriority ? path.count - 1 : path.count
        if depth > limits.depth { return .failure(.tooDeep(limit: limits.depth)) }
        if bytes.count > limits.json.keyBytes, case .write = use {
            for key in path.keys where key.utf8Count > limits.json.keyBytes {
                return .failure(.keyTooLong(limit: limits.json.keyBytes))
            }
        }
        return .success(path)
    }

    /// Whether the path names the priority of a node rather than a node.
    static func endsInPriority(_ path: Path) -> Bool { path.last == priorityKey }

    private static let priorityKey = Key(".priority")
    private static let infoKey = Key(".info")

    private static func inspect(_ path: Path, use: Use) -> PathRefusal? {
        for (index, key) in path.keys.enumerated() {
            switch use {
            case .read where index == 0 && key == infoKey: continue
            case .write(mayEndInPriority: true) where index == path.count - 1 && key == priorityKey: continue
            case .write where index == 0 && key == infoKey: return .info
            default: break
            }
            var text: [UInt8] = []
            key.append(to: &text)
            if text.contains(where: isForbidden) { return .character(key) }
        }
        return nil
    }

    private static func hasForbidden(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes where isForbidden(byte) { return true }
        return false
    }

    /// `. # $ [ ]` and control characters (JavaScript SDK, `validation.ts`); slashes separate keys.
    @inline(__always)
    private static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x1F, 0x7F, UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            true
        default: false
        }
    }
}

/// Why a path is refused.
enum PathRefusal: Error, Equatable, CustomStringConvertible {
    case character(Key)
    case tooDeep(limit: Int)
    case keyTooLong(limit: Int)
    case info

    var description: String {
        switch self {
        case .character(let key):
            "The path has the key '\(PathRefusal.shown(key))'; leave out . # $ [ ] and control characters"
        case .tooDeep(let limit):
            "The path is more than \(limit) keys deep; store the data flatter"
        case .keyTooLong(let limit):
            "The path has a key of more than \(limit) bytes; use a shorter one"
        case .info:
            "Nothing can be written below .info, which each client keeps for itself; choose another path"
        }
    }

    /// A key for people: cut, and without raw control characters.
    private static func shown(_ key: Key) -> String {
        String(
            key.description.unicodeScalars.prefix(64).map {
                $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : Character($0)
            })
    }
}
