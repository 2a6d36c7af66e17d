/// A set of UTF-16 code units.
struct UnitSet: Hashable, Sendable {
    /// Ascending; no two of them touch.
    private(set) var ranges: [ClosedRange<UInt16>] = []

    static let all = UnitSet(0...0xFFFF)
    static let digits = UnitSet(unit("0")...unit("9"))
    static let words = UnitSet([
        unit("0")...unit("9"), unit("A")...unit("Z"), unit("_")...unit("_"), unit("a")...unit("z"),
    ])
    /// Tab to carriage return, and the space: white space of ASCII.
    static let spaces = UnitSet([0x09...0x0D, 0x20...0x20])

    init(_ range: ClosedRange<UInt16>) { ranges = [range] }

    /// Takes ranges in any order.
    init(_ ranges: [ClosedRange<UInt16>] = []) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.ranges.last, Int(range.lowerBound) <= Int(last.upperBound) + 1 {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ unit: UInt16) -> Bool { ranges.contains { $0.contains(unit) } }

    func union(_ other: UnitSet) -> UnitSet { UnitSet(ranges + other.ranges) }

    /// All other units.
    var complement: UnitSet {
        var result: [ClosedRange<UInt16>] = []
        var next = 0
        for range in ranges {
            if next < Int(range.lowerBound) { result.append(UInt16(next)...range.lowerBound - 1) }
            next = Int(range.upperBound) + 1
        }
        if next <= 0xFFFF { result.append(UInt16(next)...0xFFFF) }
        return UnitSet(result)
    }
}

private func unit(_ character: Unicode.Scalar) -> UInt16 { UInt16(character.value) }
