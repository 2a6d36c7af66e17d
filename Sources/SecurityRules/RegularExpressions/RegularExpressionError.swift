/// Why a regular expression is refused.
package struct RegularExpressionError: Error, Equatable {
    package enum Reason: Equatable, Sendable {
        case patternTooLong
        case emptyPattern
        case emptyAlternative
        case startElsewhere
        case endElsewhere
        case nothingToRepeat(String)
        case malformedRepeat
        case repeatTooLarge
        case repeatBackwards
        case groupNotClosed
        case groupNotOpened
        case groupExtension
        case nestedTooDeep
        case setNotClosed
        case setEmpty
        case rangeBackwards
        case supplementaryInNegatedSet
        case escapesNothing
        /// It takes more memory than a pattern may.
        case patternTooLarge
        /// There is none left at all.
        case outOfMemory
    }

    package let reason: Reason
    /// Where in the pattern, in UTF-16 code units from its beginning.
    package let position: Int

    package init(_ reason: Reason, at position: Int) {
        self.reason = reason
        self.position = position
    }
}

/// What a regular expression may be at most.
package enum RegularExpressionLimits {
    /// Of a pattern, in UTF-16 code units.
    package static let length = 1_000
    /// Of one counted repeat.
    package static let count = 1_000
    /// How deep groups may stand in groups.
    package static let depth = 100
    /// What a compiled pattern and the automata built from it may take.
    package static let memoryBytes = 1 << 20
}

extension RegularExpressionError: CustomStringConvertible {
    package var description: String { "unsupported regular expression: \(explanation)" }

    private var explanation: String {
        switch reason {
        case .patternTooLong: "it is longer than \(RegularExpressionLimits.length) characters; split it"
        case .emptyPattern: "it is empty; compare with '' instead"
        case .emptyAlternative: "an alternative is empty; make what may be missing optional with '?'"
        case .startElsewhere: "'^' may only be its first character; escape it to mean the character"
        case .endElsewhere: "'$' may only be its last character; escape it to mean the character"
        case .nothingToRepeat(let sign): "'\(sign)' has nothing to repeat; escape it to mean the character"
        case .malformedRepeat: "'{' begins no count; write {2}, {2,} or {2,5}, or escape it to mean the character"
        case .repeatTooLarge: "it repeats more than \(RegularExpressionLimits.count) times; repeat less"
        case .repeatBackwards: "the greater count stands first; write {least,most}"
        case .groupNotClosed: "'(' is not closed; add ')' or escape it to mean the character"
        case .groupNotOpened: "')' closes nothing; remove it or escape it to mean the character"
        case .groupExtension: "groups that begin with '(?' are not supported; use a plain group"
        case .nestedTooDeep: "groups stand more than \(RegularExpressionLimits.depth) deep; nest less"
        case .setNotClosed: "'[' is not closed; add ']' or escape it to mean the character"
        case .setEmpty: "a set is empty; name at least one character in it"
        case .rangeBackwards: "a range ends before it begins; turn it around"
        case .supplementaryInNegatedSet:
            "a negated set holds a character beyond U+FFFF, which is two units long; name others"
        case .escapesNothing: "'\\' is the last character and escapes nothing; remove it"
        case .patternTooLarge: "it is too large; repeat less, or repeats in repeats less often"
        case .outOfMemory: "there is no memory left for it; try again later"
        }
    }
}
