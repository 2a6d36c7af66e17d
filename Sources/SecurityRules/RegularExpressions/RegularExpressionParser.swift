/// Parses the regular expressions of security rules.
///
/// ```
/// pattern = [ "^" ] choice [ "$" ]
/// choice  = sequence { "|" sequence }
/// sequence = repeat { repeat }
/// repeat  = atom { "*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}" }
/// atom    = "(" choice ")" | set | "." | escape | any other character
/// set     = "[" [ "^" ] item { item } "]"
/// item    = character | character "-" character | escape
/// escape  = "\" ( "s" | "w" | "d" | "S" | "W" | "D" ) | "\" any other character, which then stands for itself
/// ```
///
/// A text is a sequence of UTF-16 code units, as it is for `length`: `.`, classes and sets take one of them each. A
/// character beyond U+FFFF in a pattern is its two units, also in a set and under a repeat sign.
struct RegularExpressionParser {
    private typealias Failure = RegularExpressionError

    private let pattern: [UInt16]
    private let ignoresCase: Bool
    private var position = 0
    /// In how many groups the position stands.
    private var depth = 0
    /// How many repeat signs stood behind others. With `depth` it bounds the height of the tree, and with it the
    /// recursion of whatever walks one.
    private var stackedRepeats = 0

    private init(_ pattern: [UInt16], ignoresCase: Bool) {
        self.pattern = pattern
        self.ignoresCase = ignoresCase
    }

    static func parse(
        _ pattern: [UInt16], ignoresCase: Bool
    ) throws(RegularExpressionError) -> RegularExpressionTree {
        guard pattern.count <= RegularExpressionLimits.length else {
            throw RegularExpressionError(.patternTooLong, at: RegularExpressionLimits.length)
        }
        guard !pattern.isEmpty else { throw RegularExpressionError(.emptyPattern, at: 0) }
        var parser = RegularExpressionParser(pattern, ignoresCase: ignoresCase)
        let tree = try parser.choice()
        // Only a parenthesis ends a choice before the pattern does.
        guard parser.next == nil else { throw RegularExpressionError(.groupNotOpened, at: parser.position) }
        return tree
    }

    // MARK: Structure

    private mutating func choice() throws(RegularExpressionError) -> RegularExpressionTree {
        var alternatives = [try sequence()]
        while take("|") { alternatives.append(try sequence()) }
        return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
    }

    /// An anchor belongs to the first or to the last alternative of the whole pattern.
    private mutating func sequence() throws(RegularExpressionError) -> RegularExpressionTree {
        let begin = position
        var parts: [RegularExpressionTree] = []
        if position == 0, take("^") { parts.append(.start) }
        let first = position
        while let sign = next, sign != "|", sign != ")" {
            if sign == "$", position == pattern.count - 1 { break }
            parts.append(try repeated())
        }
        guard position > first else { throw Failure(.emptyAlternative, at: begin) }
        if position == pattern.count - 1, take("$") { parts.append(.end) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repeated() throws(RegularExpressionError) -> RegularExpressionTree {
        var tree = try atom()
        var isRepeated = false
        while let sign = next, "*+?{".unicodeScalars.contains(sign) {
            let begin = position
            let (least, most) = try counts()
            tree = .repetition(tree, least: least, most: most)
            if isRepeated { stackedRepeats += 1 }
            isRepeated = true
            guard stackedRepeats <= RegularExpressionLimits.depth else { throw Failure(.nestedTooDeep, at: begin) }
        }
        return tree
    }

    /// `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`.
    private mutating func counts() throws(RegularExpressionError) -> (least: Int, most: Int?) {
        let begin = position
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        position += 1
        guard let least = try number(from: begin) else { throw Failure(.malformedRepeat, at: begin) }
        if take("}") { return (least, least) }
        guard take(",") else { throw Failure(.malformedRepeat, at: begin) }
        if take("}") { return (least, nil) }
        guard let most = try number(from: begin), take("}") else { throw Failure(.malformedRepeat, at: begin) }
        guard least <= most else { throw Failure(.repeatBackwards, at: begin) }
        return (least, most)
    }

    private mutating func number(from begin: Int) throws(RegularExpressionError) -> Int? {
        var number: Int?
        while let digit = next, ("0"..."9").contains(digit) {
            let sum = (number ?? 0) * 10 + Int(digit.value - 0x30)
            guard sum <= RegularExpressionLimits.count else { throw Failure(.repeatTooLarge, at: begin) }
            number = sum
            position += 1
        }
        return number
    }

    // MARK: Atoms

    private mutating func atom() throws(RegularExpressionError) -> RegularExpressionTree {
        let begin = position
        switch next {
        case "(": return try group()
        case "[": return try set()
        case ".":
            position += 1
            // Line breaks too (decision D9).
            return .unit(.all)
        case "^": throw Failure(.startElsewhere, at: begin)
        case "$": throw Failure(.endElsewhere, at: begin)
        case let sign? where "*+?{".unicodeScalars.contains(sign):
            throw Failure(.nothingToRepeat(String(sign)), at: begin)
        default:
            switch try element() {
            case .units(let set): return .unit(set)
            case .character(let character):
                let (below, beyond) = split(character...character)
                return beyond.first ?? .unit(below)
            }
        }
    }

    private mutating func group() throws(RegularExpressionError) -> RegularExpressionTree {
        let begin = position
        position += 1
        // The official service has no groups of that kind (decision D4).
        guard next != "?" else { throw Failure(.groupExtension, at: begin) }
        depth += 1
        defer { depth -= 1 }
        guard depth <= RegularExpressionLimits.depth else { throw Failure(.nestedTooDeep, at: begin) }
        let tree = try choice()
        guard take(")") else { throw Failure(.groupNotClosed, at: begin) }
        return tree
    }

    private mutating func set() throws(RegularExpressionError) -> RegularExpressionTree {
        let begin = position
        position += 1
        let isNegated = take("^")
        guard next != "]" else { throw Failure(.setEmpty, at: begin) }
        var units = UnitSet()
        var supplementary: [RegularExpressionTree] = []
        while !take("]") {
            guard next != nil else { throw Failure(.setNotClosed, at: begin) }
            let item = position
            switch try element() {
            case .units(let set): units = units.union(set)
            case .character(let first):
                let last = try endOfRange() ?? first
                guard first <= last else { throw Failure(.rangeBackwards, at: item) }
                let (below, beyond) = split(first...last)
                guard beyond.isEmpty || !isNegated else { throw Failure(.supplementaryInNegatedSet, at: item) }
                units = units.union(below)
                supplementary += beyond
            }
        }
        if isNegated { return .unit(units.complement) }
        return supplementary.isEmpty ? .unit(units) : .choice([.unit(units)] + supplementary)
    }

    /// What stands behind a `-` in a set. At the end of the set, and beside a class, the sign stands for itself.
    private mutating func endOfRange() throws(RegularExpressionError) -> UInt32? {
        let sign = position
        guard take("-") else { return nil }
        if next != nil, next != "]", case .character(let last) = try element() { return last }
        position = sign
        return nil
    }

    // MARK: Characters

    private enum Element {
        /// A code point, or half of a surrogate pair without the other.
        case character(UInt32)
        case units(UnitSet)
    }

    /// A character, escaped or not, or a class. Escaped letters but these six stand for themselves, `\n` too (decision D5).
    private mutating func element() throws(RegularExpressionError) -> Element {
        let begin = position
        if take("\\") {
            switch next {
            case nil: throw Failure(.escapesNothing, at: begin)
            case "d": return take(.digits)
            case "D": return take(.digits.complement)
            case "s": return take(.spaces)
            case "S": return take(.spaces.complement)
            case "w": return take(.words)
            case "W": return take(.words.complement)
            default: break
            }
        }
        let unit = pattern[position]
        position += 1
        guard UTF16.isLeadSurrogate(unit), position < pattern.count, UTF16.isTrailSurrogate(pattern[position]) else {
            return .character(UInt32(unit))
        }
        position += 1
        return .character(0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(pattern[position - 1] & 0x3FF))
    }

    private mutating func take(_ set: UnitSet) -> Element {
        position += 1
        return .units(set)
    }

    /// What characters in a row look like in UTF-16: those of one unit, and pairs.
    private func split(_ characters: ClosedRange<UInt32>) -> (below: UnitSet, beyond: [RegularExpressionTree]) {
        let (first, last) = (characters.lowerBound, characters.upperBound)
        guard last > 0xFFFF else { return (folded(UnitSet(UInt16(first)...UInt16(last))), []) }
        var below = UnitSet()
        if first <= 0xFFFF {
            // Not the halves of pairs: a range that goes beyond them is meant to be one of characters.
            let surrogates: ClosedRange<UInt16> = 0xD800...0xDFFF
            below = UnitSet(UInt16(first)...0xFFFF).complement.union(UnitSet(surrogates)).complement
        }
        var beyond: [RegularExpressionTree] = []
        var next = max(first, 0x10000)
        while next <= last {
            // As many as share their first unit; where all second units are taken, first units in a row too.
            let end = min(last, next | 0x3FF)
            let isWhole = next & 0x3FF == 0 && (last + 1) & ~0x3FF > next
            let stop = isWhole ? ((last + 1) & ~0x3FF) - 1 : end
            beyond.append(
                .sequence([
                    .unit(UnitSet(Self.lead(next)...Self.lead(stop))),
                    .unit(UnitSet(Self.trail(next)...Self.trail(stop))),
                ]))
            next = stop + 1
        }
        return (folded(below), beyond)
    }

    private static func lead(_ character: UInt32) -> UInt16 { 0xD800 + UInt16((character - 0x10000) >> 10) }

    private static func trail(_ character: UInt32) -> UInt16 { 0xDC00 + UInt16(character & 0x3FF) }

    private func folded(_ set: UnitSet) -> UnitSet { ignoresCase ? CaseFolding.close(set) : set }

    // MARK: Reading

    /// The unit at the position, nil at the end. Half a pair of surrogates shows as a character without meaning here.
    private var next: Unicode.Scalar? {
        position < pattern.count ? Unicode.Scalar(pattern[position]) ?? "\u{FFFD}" : nil
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard next == sign else { return false }
        position += 1
        return true
    }
}
