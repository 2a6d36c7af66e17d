/// Numbers between their JSON text and a leaf.
///
/// Whole values that fit 64 bits are kept and written as integers, because the Android SDK maps `1` and `1.0` to
/// different types; everything else is a double and written in the shortest form that reads back to the same bits.
enum NumberText {
    /// The longest text of a number that is accepted, in bytes: an exact double needs at most 767 digits.
    static let longest = 1024

    enum Outcome {
        case number(Leaf, end: Int)
        /// The text breaks the grammar of RFC 8259 section 6 at this index.
        case invalid(at: Int)
        case outOfRange
        case tooLong
    }

    /// The usual number: at most 18 digits and nothing else, with another character behind them. Nil for any other.
    @inline(__always)
    static func plainInteger(_ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int) -> (Int64, end: Int)? {
        var index = start
        let isNegative = bytes[index] == 0x2D
        if isNegative { index += 1 }
        let first = index
        let last = min(limit, first + 19)
        var value: Int64 = 0
        while index < last, isDigit(bytes[index]) {
            value = value &* 10 &+ Int64(bytes[index] & 0x0F)
            index += 1
        }
        let digits = index - first
        guard digits > 0, digits < 19, index < limit, !isPart(bytes[index]), digits == 1 || bytes[first] != 0x30
        else { return nil }
        return (isNegative ? -value : value, index)
    }

    /// Reads the longest number that starts at `start`, which is a minus sign or a digit.
    ///
    /// Raw pointer, as all scanning of JSON here; nothing at or after `limit` is read.
    static func parse(_ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int) -> Outcome {
        var index = start
        let isNegative = bytes[index] == 0x2D
        if isNegative { index += 1 }
        guard index < limit, isDigit(bytes[index]) else { return .invalid(at: index) }

        // At most 19 digits fit the significand; `exponent` counts what is dropped or stands behind the point.
        var significand: UInt64 = 0
        var digits = 0
        var exponent = 0
        var isExact = true
        if bytes[index] == 0x30 {
            index += 1
        } else {
            while index < limit, isDigit(bytes[index]) {
                if digits < 19 {
                    significand = significand &* 10 &+ UInt64(bytes[index] & 0x0F)
                    digits += 1
                } else {
                    isExact = false
                }
                index += 1
            }
        }
        var isInteger = true
        if index < limit, bytes[index] == 0x2E {
            isInteger = false
            index += 1
            let first = index
            while index < limit, isDigit(bytes[index]) {
                if digits < 19 {
                    significand = significand &* 10 &+ UInt64(bytes[index] & 0x0F)
                    if significand != 0 { digits += 1 }
                    exponent -= 1
                } else if bytes[index] != 0x30 {
                    isExact = false
                }
                index += 1
            }
            guard index > first else { return .invalid(at: index) }
        }
        if index < limit, bytes[index] | 0x20 == 0x65 {
            isInteger = false
            index += 1
            var isBelowOne = false
            if index < limit, bytes[index] == 0x2B || bytes[index] == 0x2D {
                isBelowOne = bytes[index] == 0x2D
                index += 1
            }
            let first = index
            var written = 0
            while index < limit, isDigit(bytes[index]) {
                if written < 100_000 { written = written * 10 + Int(bytes[index] & 0x0F) }
                index += 1
            }
            guard index > first else { return .invalid(at: index) }
            exponent += isBelowOne ? -written : written
        }
        guard index - start <= longest else { return .tooLong }

        if isExact {
            if isInteger, significand <= UInt64(Int64.max) {
                let value = Int64(truncatingIfNeeded: significand)
                return .number(.integer(isNegative ? 0 - value : value), end: index)
            }
            if isInteger, isNegative, significand == Int64.min.magnitude {
                return .number(.integer(.min), end: index)
            }
            // Both factors are exact doubles, so one rounding gives the nearest double (Clinger 1990).
            if significand <= 1 << 53, exponent.magnitude <= 22 {
                let power = powersOfTen[Int(exponent.magnitude)]
                let value = exponent < 0 ? Double(significand) / power : Double(significand) * power
                return .number(.number(isNegative ? -value : value), end: index)
            }
        }
        let text = String(decoding: UnsafeBufferPointer(start: bytes + start, count: index - start), as: UTF8.self)
        guard let value = Double(text), value.isFinite else { return .outOfRange }
        return .number(.number(value), end: index)
    }

    /// The index behind the number at `start`, by grammar alone, or the index where the grammar is broken.
    static func skip(_ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int) -> (end: Int, isValid: Bool) {
        var index = start
        func digits() -> Bool {
            let first = index
            while index < limit, isDigit(bytes[index]) { index += 1 }
            return index > first
        }
        if bytes[index] == 0x2D { index += 1 }
        if index < limit, bytes[index] == 0x30 {
            index += 1
        } else if !digits() {
            return (index, false)
        }
        if index < limit, bytes[index] == 0x2E {
            index += 1
            guard digits() else { return (index, false) }
        }
        if index < limit, bytes[index] | 0x20 == 0x65 {
            index += 1
            if index < limit, bytes[index] == 0x2B || bytes[index] == 0x2D { index += 1 }
            guard digits() else { return (index, false) }
        }
        return (index, true)
    }

    /// True for the bytes that occur in numbers; a superset of the grammar.
    @inline(__always)
    static func isPart(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == 0x2D || byte == 0x2B || byte == 0x2E || byte | 0x20 == 0x65
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

// MARK: - Writing

extension NumberText {
    /// Writes an integer in decimal to the end of `buffer`, which has room for 20 bytes, and returns that end.
    @inline(__always)
    static func digits(
        of value: Int64, in buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> UnsafeMutableBufferPointer<UInt8> {
        var rest = value.magnitude
        var index = buffer.count
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            index -= 1
            buffer[index] = 0x30 | UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
        if value < 0 {
            index -= 1
            buffer[index] = 0x2D
        }
        return UnsafeMutableBufferPointer(rebasing: buffer[index...])
    }

    /// Appends an integer in decimal.
    static func append(_ value: Int64, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            output.append(contentsOf: UnsafeBufferPointer(digits(of: value, in: buffer)))
        }
    }

    /// Appends the shortest text that reads back as `value`; `null` for what JSON has no number for.
    static func append(_ value: Double, to output: inout [UInt8]) {
        guard value.isFinite else { return output.append(contentsOf: "null".utf8) }
        if case .integer(let integer) = Leaf.number(value) { return append(integer, to: &output) }
        // Whole doubles from 2^63 on are described with an exponent, so no `.0` can come out here.
        var text = value.description
        text.withUTF8 { output.append(contentsOf: $0) }
    }
}
