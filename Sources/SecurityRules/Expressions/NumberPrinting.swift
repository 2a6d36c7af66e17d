/// A number as JavaScript prints it (`Number::toString`, decision D2): the fewest digits that read back the same, whole
/// numbers up to 10²¹ without an exponent.
func printedNumber(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value == 0 { return "0" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    // Beyond 2⁵³ the fewest digits are no longer all of them.
    if value.magnitude <= 0x1p53, let integer = Int64(exactly: value) { return String(integer) }
    let sign = value < 0 ? "-" : ""
    // Swift's description has the right digits in another layout: mantissa with a point, perhaps an exponent.
    var digits: [UInt8] = []
    var point = 0
    var exponent = 0
    let parts = value.magnitude.description.utf8.split(separator: UInt8(ascii: "e"))
    for byte in parts[0] {
        if byte == UInt8(ascii: ".") { point = digits.count } else { digits.append(byte) }
    }
    if !parts[0].contains(UInt8(ascii: ".")) { point = digits.count }
    if parts.count > 1 { exponent = Int(Substring(parts[1])) ?? 0 }
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    while digits.count > 1, digits.first == UInt8(ascii: "0") {
        digits.removeFirst()
        point -= 1
    }
    // The value is 0.digits × 10^scale.
    let scale = point + exponent
    let count = digits.count
    let text = String(decoding: digits, as: UTF8.self)
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    if count <= scale, scale <= 21 { return sign + text + zeros(scale - count) }
    if scale > 0, scale <= 21 { return sign + text.prefix(scale) + "." + text.dropFirst(scale) }
    if scale > -6, scale <= 0 { return sign + "0." + zeros(-scale) + text }
    let power = scale - 1
    let mantissa = count == 1 ? text : text.prefix(1) + "." + text.dropFirst()
    return sign + mantissa + "e" + (power < 0 ? "-" : "+") + String(power.magnitude)
}
