/// ID tokens with `alg: none`, as SDKs in emulator mode make them.
package enum UnsignedTokens {
    /// - Parameter claims: a JSON object.
    package static func token(_ claims: String, header: String = #"{"alg":"none","typ":"JWT"}"#) -> String {
        "\(base64URL(Array(header.utf8))).\(base64URL(Array(claims.utf8)))."
    }

    /// The token of a mock user, which never expires.
    package static func user(_ uid: String) -> String { token(#"{"sub":"\#(uid)","iat":0,"exp":3600}"#) }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var text = ""
        var index = 0
        while index < bytes.count {
            let piece = bytes[index..<min(index + 3, bytes.count)]
            var bits = piece.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - piece.count))
            for _ in 0...piece.count {
                text.append(digits[Int(bits >> 18 & 63)])
                bits <<= 6
            }
            index += 3
        }
        return text
    }
}
