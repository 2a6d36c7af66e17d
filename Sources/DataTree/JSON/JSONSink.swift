/// JSON on its way into an array: written through a pointer into a small buffer that is emptied into the array when
/// full, because an array that is appended to byte by byte checks for each who else holds it.
///
/// `bench json` guards the cost.
struct JSONSink {
    // Lent for the life of the sink by who made it; written below `capacity` only.
    private let buffer: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private var used = 0
    var output: [UInt8] = []

    /// `buffer` has at least 1,024 bytes.
    init(buffer: UnsafeMutableBufferPointer<UInt8>) {
        // The stand-in for a missing address has no room, so nothing is written to it.
        self.buffer = buffer.baseAddress ?? UnsafeMutablePointer(bitPattern: 1).unsafelyUnwrapped
        capacity = buffer.count
    }

    /// The bytes of the array and of the buffer.
    var count: Int { output.count + used }

    mutating func flush() {
        output.append(contentsOf: UnsafeBufferPointer(start: buffer, count: used))
        used = 0
    }

    /// Where `count` bytes, at most 1,024, may be written.
    @inline(__always)
    private mutating func room(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - used < count { flush() }
        return buffer + used
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        room(1)[0] = byte
        used += 1
    }

    /// Text that is JSON already; short.
    @inline(__always)
    mutating func raw(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        room(count).update(from: text.utf8Start, count: count)
        used += count
    }

    mutating func integer(_ value: Int64) {
        let target = room(20)
        if value >= 0, value < 10 {
            target[0] = 0x30 | UInt8(truncatingIfNeeded: value)
            used += 1
            return
        }
        // From the last digit backwards; `length` is known first.
        var length = value < 0 ? 2 : 1
        var limit: UInt64 = 10
        let magnitude = value.magnitude
        while length < 20, magnitude >= limit {
            length += 1
            let (next, overflows) = limit.multipliedReportingOverflow(by: 10)
            if overflows { break }
            limit = next
        }
        var rest = magnitude
        var index = length - 1
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            target[index] = 0x30 | UInt8(truncatingIfNeeded: digit)
            rest = quotient
            index -= 1
        } while rest > 0
        if value < 0 { target[0] = 0x2D }
        used += length
    }

    mutating func double(_ value: Double) {
        flush()
        NumberText.append(value, to: &output)
    }

    /// A quoted string.
    @inline(__always)
    mutating func quoted(_ text: UnsafeRawBufferPointer) {
        let count = text.count
        guard count <= 512 else { return quotedLong(text) }
        let target = room(count + 2)
        target[0] = 0x22
        let content = UnsafeMutableRawPointer(target + 1)
        var special: UInt64 = 0
        var index = 0
        while count - index >= 8 {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            content.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
            special |= JSONEscape.specialBytes(in: word)
            index += 8
        }
        while index < count {
            let byte = text[index]
            target[1 + index] = byte
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { special = 1 }
            index += 1
        }
        guard special == 0 else { return quotedLong(text) }
        target[count + 1] = 0x22
        used += count + 2
    }

    private mutating func quotedLong(_ text: UnsafeRawBufferPointer) {
        byte(0x22)
        escaped(text)
        byte(0x22)
    }

    /// Part of a quoted string.
    mutating func escaped(_ text: UnsafeRawBufferPointer) {
        flush()
        JSONEscape.append(text, to: &output)
    }

    /// A quoted key and its colon.
    @inline(__always)
    mutating func member(_ key: Key) {
        let count = key.packed.utf8Count
        guard key.long == nil, count <= 64, !key.packed.needsEscapes else { return memberSlowly(key) }
        let target = room(count + 16 + 3)
        target[0] = 0x22
        key.packed.write(to: target + 1, count: count)
        target[count + 1] = 0x22
        target[count + 2] = 0x3A
        used += count + 3
    }

    /// A quoted key and its colon, for people.
    mutating func spacedMember(_ key: Key) {
        flush()
        JSONEscape.appendQuoted(key, to: &output)
        raw(" : ")
    }

    private mutating func memberSlowly(_ key: Key) {
        flush()
        JSONEscape.appendQuoted(key, to: &output)
        output.append(0x3A)
    }
}

extension PackedKey {
    /// Whether a short key holds what JSON escapes; the other packed forms never do.
    @inline(__always)
    var needsEscapes: Bool {
        guard form == .short else { return false }
        // What is behind the text counts as spaces.
        let spaces: UInt64 = 0x2020_2020_2020_2020
        let count = utf8Count
        let first = count >= 8 ? high : high | spaces >> UInt64(8 * count)
        let second = low & ~0xFF | spaces >> UInt64(8 * max(0, count - 8))
        return JSONEscape.specialBytes(in: first) | JSONEscape.specialBytes(in: second) != 0
    }

    /// Writes the `count` bytes of the key's text; up to sixteen bytes more behind them are touched. Not for long keys.
    @inline(__always)
    func write(to target: UnsafeMutablePointer<UInt8>, count: Int) {
        switch form {
        case .short, .long:
            let raw = UnsafeMutableRawPointer(target)
            raw.storeBytes(of: high.bigEndian, as: UInt64.self)
            raw.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            // Collated bytes differ from the text's own only beyond ASCII.
            if (high | low & ~0xFF) & 0x8080_8080_8080_8080 != 0 {
                for index in 0..<count { target[index] = restore(target[index]) }
            }
        case .pushIdentifier:
            let second = (high & 0xF) << 56 | low >> 8
            for index in 0..<10 {
                target[index] = Self.pushAlphabet.utf8Start[Int(high >> UInt64(58 - 6 * index) & 0x3F)]
                target[index + 10] = Self.pushAlphabet.utf8Start[Int(second >> UInt64(54 - 6 * index) & 0x3F)]
            }
        case .integer:
            for index in 0..<count { target[index] = byte(at: index) }
        }
    }

    private static var pushAlphabet: StaticString { "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" }
}
