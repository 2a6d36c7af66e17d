/// Makes the keys of pushed children: eight characters of time and twelve of randomness, in an alphabet in ASCII order,
/// so that keys sort by the time they were made (`nextPushId` in `NextPushId.ts` of the JavaScript SDK).
///
/// Keys of one generator always ascend: within a millisecond, or when the clock stood still or went back, the random
/// part of the last key counts up by one.
package struct PushIdentifierGenerator: Sendable {
    private static let digits = 12

    private var lastTime: Int64 = -1
    private var lastRandom = [UInt8](repeating: 0, count: digits)

    package init() {}

    /// The next key. `milliseconds` since 1970; what does not fit 48 bits is clamped.
    package mutating func next(milliseconds: Int64, using random: inout some RandomNumberGenerator) -> Key {
        let time = min(max(milliseconds, 0), 1 << 48 - 1)
        if time > lastTime {
            lastTime = time
            for index in 0..<Self.digits { lastRandom[index] = UInt8.random(in: 0..<64, using: &random) }
        } else {
            countUp()
        }
        var bytes = [UInt8](repeating: 0, count: 8 + Self.digits)
        for index in 0..<8 {
            bytes[index] = pushCharacter(UInt8(truncatingIfNeeded: lastTime >> Int64(6 * (7 - index))) & 0x3F)
        }
        for index in 0..<Self.digits { bytes[8 + index] = pushCharacter(lastRandom[index]) }
        return bytes.withUnsafeBytes { Key(utf8: $0) }
    }

    private mutating func countUp() {
        for index in (0..<Self.digits).reversed() {
            if lastRandom[index] < 63 {
                lastRandom[index] += 1
                return
            }
            lastRandom[index] = 0
        }
        // 2^72 keys in a millisecond: the time moves on instead.
        lastTime = min(lastTime + 1, 1 << 48 - 1)
    }
}
