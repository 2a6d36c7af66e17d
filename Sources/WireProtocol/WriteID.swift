/// The id by which a client's write is known when it is sent again (`protocol/websocket.md`, "Write ids"): `<object>.<number>`.
package struct WriteID: Hashable, Sendable {
    /// The client object (one queue of writes in one process), 8 to 40 characters of `A-Z a-z 0-9 - _`.
    package let object: String
    /// Which write of that object, from 1 to 2^53 - 1.
    package let number: Int64

    /// What the hub remembers: so many of the newest ids of each object.
    package static let rememberedPerObject = 1_000
    /// What the hub remembers: so many objects, those that wrote last.
    package static let rememberedObjects = 10_000

    private static let largest: Int64 = 9_007_199_254_740_991

    /// Nil when `text` has not the form.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")), (8...40).contains(dot),
            bytes[..<dot].allSatisfy(WriteID.isObjectCharacter)
        else { return nil }
        let digits = bytes[(dot + 1)...]
        guard (1...16).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
        var number: Int64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        guard number <= WriteID.largest else { return nil }
        object = String(decoding: bytes[..<dot], as: UTF8.self)
        self.number = number
    }

    private static func isObjectCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
