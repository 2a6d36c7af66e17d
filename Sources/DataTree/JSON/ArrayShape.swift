extension Node {
    /// Whether the interfaces without priorities show this object as an array: its keys are indices and more than half of
    /// those up to the greatest are there (`ChildrenNode.val` in the JavaScript SDK).
    ///
    /// The first and the last key decide in constant time for nearly all objects, because keys that read as integers
    /// come first and by value. Only where both are indices are those between looked at: `01` may be among them.
    package var isArrayLike: Bool {
        guard let page, let first = firstChild?.key, let last = lastChild?.key,
            first.arrayIndex != nil, let greatest = last.arrayIndex, greatest < 2 * page.count
        else { return false }
        return page.visitForward(from: nil) { key, _ in key.arrayIndex != nil }
    }
}

extension Key {
    /// The index that this key is in an array: `0`, or digits without a zero in front, within a signed 32-bit integer.
    var arrayIndex: Int? {
        // The lowest byte of an integer's first word tells that it has no minus sign (`PackedKey`).
        guard packed.form == .integer, packed.high & 0xFF == 1 else { return nil }
        let value = UInt32(truncatingIfNeeded: packed.high >> 32) ^ 0x8000_0000
        var digits = 1
        var rest = value / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        return digits == packed.utf8Count ? Int(value) : nil
    }
}
