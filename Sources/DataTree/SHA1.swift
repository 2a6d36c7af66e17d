/// SHA-1 (RFC 3174), for the node hashes of the protocol. Not for secrets.
struct SHA1 {
    private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
        0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
    )
    private var schedule = InlineArray<80, UInt32>(repeating: 0)

    /// The digest of a whole message.
    static func digest(of message: UnsafeRawBufferPointer) -> SHA1Digest {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.count + 72)
        bytes.append(contentsOf: message)
        return digest(&bytes, from: 0)
    }

    /// The digest of the bytes from `start` on, which are removed: a caller with many messages needs one buffer.
    static func digest(_ message: inout [UInt8], from start: Int) -> SHA1Digest {
        let count = message.count - start
        message.append(0x80)
        for _ in 0..<((119 - count % 64) % 64) { message.append(0) }
        let bitCount = UInt64(count) &* 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        var hash = SHA1()
        message.withUnsafeBytes { bytes in
            for offset in stride(from: start, to: bytes.count, by: 64) {
                hash.add(block: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + 64)]))
            }
        }
        message.removeLast(message.count - start)
        let state = hash.state
        return SHA1Digest(
            first: UInt64(state.0) << 32 | UInt64(state.1), second: UInt64(state.2) << 32 | UInt64(state.3),
            third: UInt64(state.4) << 32)
    }

    /// Takes in 64 bytes.
    private mutating func add(block: UnsafeRawBufferPointer) {
        for index in 0..<16 {
            schedule[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        for index in 16..<80 {
            let word = schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16]
            schedule[index] = word << 1 | word >> 31
        }
        var (a, b, c, d, e) = state
        @inline(__always)
        func round(_ index: Int, _ mixed: UInt32, _ constant: UInt32) {
            let next = (a << 5 | a >> 27) &+ mixed &+ e &+ constant &+ schedule[index]
            (e, d, c, b, a) = (d, c, b << 30 | b >> 2, a, next)
        }
        for index in 0..<20 { round(index, d ^ (b & (c ^ d)), 0x5A82_7999) }
        for index in 20..<40 { round(index, b ^ c ^ d, 0x6ED9_EBA1) }
        for index in 40..<60 { round(index, (b & c) | (d & (b | c)), 0x8F1B_BCDC) }
        for index in 60..<80 { round(index, b ^ c ^ d, 0xCA62_C1D6) }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
    }
}

/// A SHA-1 digest: 160 bits, the last word filled with zeros below.
struct SHA1Digest: Equatable, Sendable {
    var first: UInt64
    var second: UInt64
    var third: UInt64

    /// Appends the digest in base64 with padding (RFC 4648): 28 characters.
    func appendBase64(to bytes: inout [UInt8]) {
        @inline(__always)
        func append(_ word: UInt64, _ shift: UInt64) { bytes.append(base64Character(UInt8(word >> shift & 0x3F))) }
        // Six bits at a time out of 160, across the words.
        for shift in stride(from: UInt64(58), through: 4, by: -6) { append(first, shift) }
        append(first << 2 & 0x3C | second >> 62, 0)
        for shift in stride(from: UInt64(56), through: 2, by: -6) { append(second, shift) }
        append(second << 4 & 0x30 | third >> 60, 0)
        for shift in stride(from: UInt64(54), through: 36, by: -6) { append(third, shift) }
        append((third >> 32) << 2, 0)
        bytes.append(UInt8(ascii: "="))
    }

    var base64: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(28)
        appendBase64(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

@inline(__always)
private func base64Character(_ code: UInt8) -> UInt8 {
    switch code {
    case 0..<26: code + 0x41
    case 26..<52: code + 71
    case 52..<62: code - 4
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
}
