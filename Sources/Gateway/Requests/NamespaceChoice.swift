import HubEngine

/// Finds the name of the namespace that a request means: `ns`, else the label before a known suffix of the host, else the
/// default one.
package struct NamespaceChoice: Sendable, Equatable {
    /// Suffixes without a leading dot, in lower case. `localhost` always is one.
    package var suffixes: [String]
    package var defaultName: String

    package init(suffixes: [String] = [], defaultName: String = "default") {
        self.suffixes = suffixes.map { $0.lowercased() }.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 }
        self.suffixes.append("localhost")
        self.defaultName = defaultName
    }

    /// - Parameters:
    ///   - query: the value of `ns`, nil when absent.
    ///   - host: the `Host` header, with or without a port.
    package func name(query: String?, host: String) -> Result<String, NamespaceRefusal> {
        let name = query.flatMap { $0.isEmpty ? nil : $0 } ?? label(of: host) ?? defaultName
        return NamespaceChoice.isValid(name) ? .success(name) : .failure(.invalidName(name))
    }

    /// `[A-Za-z0-9][A-Za-z0-9_-]{0,63}`; names that begin with `_` are the hub's own.
    package static func isValid(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 64 else { return false }
        return bytes.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x61 && byte <= 0x7A)
    }

    /// The label right before a suffix. A bare suffix, an address or an unknown host names none.
    private func label(of host: String) -> String? {
        guard !host.hasPrefix("[") else { return nil }
        let name = host.prefix { $0 != ":" }.lowercased()
        for suffix in suffixes where name.utf8.count > suffix.utf8.count + 1 && name.hasSuffix("." + suffix) {
            return String(name.dropLast(suffix.count + 1).split(separator: ".").last ?? "")
        }
        return nil
    }
}
