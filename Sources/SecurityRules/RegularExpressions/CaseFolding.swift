/// Which UTF-16 code units are one letter in different case, for the `i` flag.
///
/// Simple case folding of Unicode, for characters up to U+FFFF: `S`, `s` and `ſ` are one letter, `ß` and `SS` are not.
enum CaseFolding {
    /// The set with every unit that is the same letter as one of its own.
    static func close(_ set: UnitSet) -> UnitSet {
        var forms: [ClosedRange<UInt16>] = []
        for range in set.ranges {
            // Few units are looked up; for many it is quicker to go through the letters.
            if range.count <= 64 {
                for unit in range { forms += (table[unit] ?? []).map { $0...$0 } }
            } else {
                for (unit, others) in table where range.contains(unit) { forms += others.map { $0...$0 } }
            }
        }
        return forms.isEmpty ? set : set.union(UnitSet(forms))
    }

    /// The units of each letter that has more than one, by each of them. Made once, when the first pattern asks.
    private static let table: [UInt16: [UInt16]] = {
        var table: [UInt16: [UInt16]] = [:]
        for unit in 0...UInt16.max {
            // The dotless i has a capital, but no simple folding.
            guard unit != 0x0131, let properties = Unicode.Scalar(unit)?.properties else { continue }
            for mapping in [properties.lowercaseMapping, properties.uppercaseMapping] {
                guard let other = mapping.utf16.first, mapping.utf16.count == 1, other != unit else { continue }
                let letter = Set((table[unit] ?? [unit]) + (table[other] ?? [other])).sorted()
                for form in letter { table[form] = letter }
            }
        }
        return table
    }()
}
