import DataTree

/// Reads the paths of requests and refuses those that can name nothing.
enum PathCheck {
    enum Use {
        /// `.info` may come first: clients ask for it and get nothing.
        case read
        /// Nothing below `.info`; `.priority` may come last if it says so.
        case write(mayEndInPriority: Bool)
    }

    /// Splits `bytes`, which are valid UTF-8, at slashes.
    ///
    /// Almost every path has no suspicious byte at all and is short; only the others are looked at key by key.
    static func path(utf8 bytes: UnsafeRawBufferPointer, use: Use, limits: WriteLimits) -> Result<Path, WriteError> {
        let path = Path(utf8: bytes)
        guard path.count > limits.depth || bytes.count > limits.keyBytes || bytes.contains(where: isSuspicious) else {
            return .success(path)
        }
        do throws(WriteError) {
            try validate(path, use: use, limits: limits)
            return .success(path)
        } catch {
            return .failure(error)
        }
    }

    private static func validate(_ path: Path, use: Use, limits: WriteLimits) throws(WriteError) {
        let validation = WriteValidation(limits: limits)
        switch use {
        case .write(mayEndInPriority: true):
            try validation.validate(path: path)
        case .write(mayEndInPriority: false):
            if path.last == .priority { throw .keyCharacter(UInt8(ascii: "."), path) }
            try validation.validate(path: path)
        case .read:
            if path.last == .priority { throw .keyCharacter(UInt8(ascii: "."), path) }
            try validation.validate(path: path.keys.first == .info ? path.dropFirst(1) : path)
        }
    }

    /// Bytes that a key may not have, but for the slash.
    @inline(__always)
    private static func isSuspicious(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x1F, 0x7F, UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
