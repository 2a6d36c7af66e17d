/// Turns the texts of settings into values, and says what an option wants when a text does not fit.
struct SettingReader {
    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    /// The value of an option that is given once.
    func text<Value>(
        _ option: String, wanted: String, _ convert: (String) -> Value?
    ) throws(ConfigurationProblem) -> Value? {
        try texts(option, wanted: wanted, convert).first
    }

    /// The values of an option that may be given more than once.
    func texts<Value>(
        _ option: String, wanted: String, _ convert: (String) -> Value?
    ) throws(ConfigurationProblem) -> [Value] {
        guard let entry = settings.entries[option] else { return [] }
        var values: [Value] = []
        for text in entry.values {
            guard let value = convert(text) else {
                throw .badValue(option: option, value: text, wanted: wanted, in: entry.origin)
            }
            values.append(value)
        }
        return values
    }

    func number(
        _ option: String, in range: ClosedRange<Int>, note: String = ""
    ) throws(ConfigurationProblem) -> Int? {
        try text(option, wanted: "a whole number from \(range.lowerBound) to \(range.upperBound)\(note)") { text in
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(text) else {
                return nil
            }
            return range.contains(number) ? number : nil
        }
    }

    // MARK: Kinds of text

    static func filled(_ text: String) -> String? { text.isEmpty || text.utf8.contains(0) ? nil : text }

    /// A host name or numeric address; an IPv6 address may stand in brackets.
    static func host(_ text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
            let inner = String(text.dropFirst().dropLast())
            return AddressRange.bytes(of: inner)?.count == 16 ? inner : nil
        }
        if AddressRange.bytes(of: text) != nil { return text }
        return isHostName(text) ? text : nil
    }

    /// `HOST` or `HOST:PORT`, as clients put it into a URL.
    static func publicHost(_ text: String) -> String? {
        var name = text[...]
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            let port = text[text.index(after: colon)...]
            guard port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(port), number > 0 else {
                return nil
            }
            name = text[..<colon]
        }
        let isBracketed = name.utf8.first == UInt8(ascii: "[")
        return isBracketed && host(String(name)) != nil || isHostName(name) ? text : nil
    }

    /// A host name; a leading dot is taken off.
    static func suffix(_ text: String) -> String? {
        let name = text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text[...]
        guard isHostName(name), AddressRange.bytes(of: String(name)) == nil else { return nil }
        return name.lowercased()
    }

    private static func isHostName(_ text: some StringProtocol) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && label.utf8.first != UInt8(ascii: "-")
                    && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            }
    }

    static let namespaceRule = "letters, digits, '_' and '-', at most 64, beginning with a letter or digit"

    static func namespace(_ text: String) -> String? {
        guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.count <= 64 else { return nil }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
            ? text : nil
    }

    static let presenceRule =
        "a path below the root such as /presence, at most 28 keys without '.', '#', '$', '[' or ']'"

    /// The path without slashes at its ends. The presence node adds up to four keys, and a path has at most 32.
    static func presencePath(_ text: String) -> String? {
        let keys = text.split(separator: "/")
        let isAllowed = keys.allSatisfy { key in
            key.utf8.count <= 768 && key.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && !".#$[]".utf8.contains($0) }
        }
        return isAllowed && (1...28).contains(keys.count) ? keys.joined(separator: "/") : nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}
