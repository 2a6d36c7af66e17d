/// Measures and cuts UTF-8 text in UTF-16 code units, the unit in which the official clients cut long messages.
///
/// A continuation byte costs nothing, a lead byte one unit, the lead of a four-byte scalar two (a surrogate pair). Because the
/// whole cost of a scalar lies on its first byte, text may be measured in pieces that are cut anywhere.
enum TextMeasure {
    /// The UTF-16 code units of `bytes`. The loop has no branch, so that the compiler vectorises it.
    static func units(in bytes: UnsafeRawBufferPointer) -> Int {
        var units = 0
        for byte in bytes {
            units &+= (byte & 0xC0) != 0x80 ? 1 : 0
            units &+= byte >= 0xF0 ? 1 : 0
        }
        return units
    }

    /// Where a segment that has room for `unitsLeft` more units must end: the first index at or after `start` whose scalar does
    /// not fit, or the end of `bytes`. Lowers `unitsLeft` by what was passed. Never cuts inside a scalar.
    static func segmentEnd(
        in bytes: UnsafeRawBufferPointer, from start: Int, unitsLeft: inout Int
    ) -> Int {
        var index = start
        // `n` bytes cost at most `n + 1` units (a four-byte lead may be the last of them), so this never overshoots.
        while unitsLeft > 4, index < bytes.count {
            let step = min(bytes.count - index, unitsLeft - 1)
            unitsLeft -= units(in: UnsafeRawBufferPointer(rebasing: bytes[index..<(index + step)]))
            index += step
        }
        while index < bytes.count {
            let byte = bytes[index]
            let cost = (byte & 0xC0) == 0x80 ? 0 : (byte >= 0xF0 ? 2 : 1)
            if cost > unitsLeft { return index }
            unitsLeft -= cost
            index += 1
        }
        return index
    }
}
