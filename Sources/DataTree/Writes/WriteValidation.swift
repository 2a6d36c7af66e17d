/// The limits of what clients may write.
package struct WriteLimits: Equatable, Sendable {
    /// How many keys may stand above a leaf, those of the write's path included.
    package var depth: Int
    /// The longest key in UTF-8 bytes.
    package var keyBytes: Int
    /// The longest string in UTF-8 bytes.
    package var stringBytes: Int

    /// The limits of the official service.
    package init(depth: Int = 32, keyBytes: Int = 768, stringBytes: Int = 10_485_760) {
        self.depth = depth
        self.keyBytes = keyBytes
        self.stringBytes = stringBytes
    }
}

/// Why a write is refused before rules are asked.
package enum WriteError: Error, Equatable {
    case emptyKey(in: Path)
    case keyCharacter(UInt8, Path)
    case keyTooLong(in: Path, limit: Int)
    case tooDeep(Path, limit: Int)
    case stringTooLong(Path, limit: Int)
    case notAPriority(Path)
    case reservedPath(Path)
    case overlappingPaths(Path, Path)
}

extension WriteError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .emptyKey(let path): "A key under \"/\(path)\" is empty; give it at least one character"
        case .keyCharacter(let byte, let path):
            "A key of \"/\(path)\" has \(KeyCharacters.name(of: byte)); leave out . # $ [ ] / and control characters"
        case .keyTooLong(let path, let limit):
            "A key under \"/\(path)\" is longer than \(limit) bytes; use a shorter one"
        case .tooDeep(let path, let limit):
            "The write at \"/\(path)\" reaches more than \(limit) keys deep; store the data flatter"
        case .stringTooLong(let path, let limit):
            "The string at \"/\(path)\" is longer than \(limit) bytes; store it in smaller pieces"
        case .notAPriority(let path): "The value for \"/\(path)\" is no priority; send null, a number or a string"
        case .reservedPath(let path): "\"/\(path)\" belongs to the client; write somewhere else"
        case .overlappingPaths(let ancestor, let path):
            "The update names \"/\(ancestor)\" and \"/\(path)\" below it; name each place once"
        }
    }
}

/// Checks writes against what any database may hold.
///
/// `JSONCursor.readNode` has checked keys and strings of decoded values already; for those `validate(depth:at:)` is the
/// rest, in constant time. The walk is for values that were made elsewhere.
package struct WriteValidation: Sendable {
    package var limits: WriteLimits

    package init(limits: WriteLimits = WriteLimits()) { self.limits = limits }

    /// Checks the keys of a path that is written to. Its last key may be `.priority`.
    package func validate(path: Path) throws(WriteError) {
        for (index, key) in path.keys.enumerated() {
            if index == 0, key == .info { throw .reservedPath(path) }
            if key == .priority, index == path.count - 1 { break }
            try validate(key, in: path.prefix(index))
        }
        try validate(depth: 0, at: path)
    }

    /// Checks that a value with `depth` keys on its longest way down fits at `path`.
    package func validate(depth: Int, at path: Path) throws(WriteError) {
        let keys = path.last == .priority ? path.count - 1 : path.count
        guard keys + depth <= limits.depth else { throw .tooDeep(path, limit: limits.depth) }
    }

    /// Checks a whole write: the path, and every key, string and level of the value.
    package func validate(_ node: Node, at path: Path) throws(WriteError) {
        try validate(path: path)
        if path.last == .priority {
            guard let priority = Priority(node) else { throw .notAPriority(path) }
            return try validate(priority, at: path)
        }
        try validateValue(node, at: path)
    }

    /// Checks a multi-path update: each change, and that no path is at or below another.
    package func validate(changes: [(Path, Node)], at path: Path) throws(WriteError) {
        for (relative, node) in changes { try validate(node, at: path.appending(relative)) }
        try validateDistinct(changes.map { $0.0 }, at: path)
    }

    /// Checks that no path of a multi-path update is at or below another (`validateFirebaseMergePaths` in
    /// `validation.ts` of the JavaScript SDK).
    package func validateDistinct(_ paths: [Path], at path: Path = .root) throws(WriteError) {
        guard paths.count > 1 else { return }
        // In path order whatever is below a path follows it at once.
        let sorted = paths.sorted()
        for (ancestor, descendant) in zip(sorted, sorted.dropFirst()) where descendant.hasPrefix(ancestor) {
            throw .overlappingPaths(path.appending(ancestor), path.appending(descendant))
        }
    }

    private func validateValue(_ node: Node, at path: Path) throws(WriteError) {
        try validate(node.priority, at: path)
        if case .string(let text)? = node.leaf { return try validate(text, at: path) }
        guard node.childCount > 0 else { return }
        guard path.count < limits.depth else { throw .tooDeep(path, limit: limits.depth) }
        var failure: WriteError?
        node.forEachChild { key, child in
            do throws(WriteError) {
                try validate(key, in: path)
                try validateValue(child, at: path.appending(key))
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
    }

    private func validate(_ priority: Priority, at path: Path) throws(WriteError) {
        if case .string(let text) = priority { try validate(text, at: path) }
    }

    private func validate(_ text: Text, at path: Path) throws(WriteError) {
        guard text.utf8Count <= limits.stringBytes else { throw .stringTooLong(path, limit: limits.stringBytes) }
    }

    private func validate(_ key: Key, in path: Path) throws(WriteError) {
        let count = key.utf8Count
        guard count > 0 else { throw .emptyKey(in: path) }
        guard count <= limits.keyBytes else { throw .keyTooLong(in: path, limit: limits.keyBytes) }
        var bytes: [UInt8] = []
        key.append(to: &bytes)
        if let byte = bytes.withUnsafeBytes(KeyCharacters.firstForbidden) {
            throw .keyCharacter(byte, path.appending(key))
        }
    }
}

extension Key {
    /// The last key of a path that names a node's priority.
    package static let priority = Key(".priority")
    /// The first key of the paths that clients keep to themselves.
    package static let info = Key(".info")
}
