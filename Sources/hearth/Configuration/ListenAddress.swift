/// A numeric address and a port to listen on.
struct ListenAddress: Equatable, Sendable {
    /// Without brackets.
    let host: String
    let port: Int

    /// `ADDRESS:PORT` or `[ADDRESS]:PORT` of an address that only this machine or a private network reaches; nil for anything
    /// else.
    init?(private text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = UInt16(digits) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let name = host == "localhost" ? "127.0.0.1" : String(host)
        guard let bytes = AddressRange.bytes(of: name), Self.ranges.contains(where: { $0.contains(bytes) }) else {
            return nil
        }
        self.host = name
        self.port = Int(port)
    }

    /// Loopback, RFC 1918, RFC 4193, and link-local addresses.
    private static let ranges = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "::1", "fc00::/7",
        "fe80::/10",
    ].compactMap { AddressRange($0) }
}
