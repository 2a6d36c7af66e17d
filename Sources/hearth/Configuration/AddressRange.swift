import Glibc

/// A range of numeric addresses, `10.0.0.0/8` or `fd00::/8`; a single address is a range of one.
struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes, network order.
    let address: [UInt8]
    /// How many leading bits count.
    let bits: Int

    /// nil for anything that is no numeric address with an optional number of bits.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = AddressRange.bytes(of: String(first)) else { return nil }
        self.address = address
        guard parts.count == 2 else {
            bits = address.count * 8
            return
        }
        guard let bits = UInt8(parts[1]), parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            bits <= address.count * 8
        else { return nil }
        self.bits = Int(bits)
    }

    func contains(_ other: [UInt8]) -> Bool {
        guard other.count == address.count else { return false }
        for index in 0..<address.count {
            let counting = min(8, max(0, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> counting)
            if (address[index] ^ other[index]) & mask != 0 { return false }
        }
        return true
    }

    /// Whether a numeric address, as text, lies in the range.
    func contains(address text: String) -> Bool {
        AddressRange.bytes(of: text).map(contains) ?? false
    }

    var description: String {
        var text = [CChar](repeating: 0, count: 64)
        _ = inet_ntop(address.count == 4 ? AF_INET : AF_INET6, address, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/\(bits)"
    }

    /// The bytes of a numeric address, 4 or 16; nil for anything else.
    static func bytes(of text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes[..<4]) }
        if inet_pton(AF_INET6, text, &bytes) == 1 { return bytes }
        return nil
    }

    private static let loopback = [AddressRange("127.0.0.0/8"), AddressRange("::1")].compactMap { $0 }

    /// Whether only this machine reaches what listens on `host`.
    static func isLoopback(host: String) -> Bool {
        if host == "localhost" { return true }
        guard let bytes = bytes(of: host) else { return false }
        return loopback.contains { $0.contains(bytes) }
    }
}
