import CRE2
import DataTree

/// A regular expression of a security rule, compiled: the argument of `matches`.
///
/// ```swift
/// let pattern = try RegularExpression(pattern: "^[a-z]{3,8}$", ignoresCase: false)
/// let isMatch = pattern.matches(text)
/// ```
///
/// Its language is regular, and RE2 matches it in time linear in the text, whatever the pattern. Patterns and texts are
/// sequences of UTF-16 code units: what `length` counts is what `.` matches one of. Threads may match at the same time.
package final class RegularExpression: Sendable {
    // RE2 locks the automaton that it builds while matching; nothing else about a compiled pattern changes.
    private nonisolated(unsafe) let compiled: OpaquePointer

    /// How many instructions the pattern has: what a byte of a text can cost at most.
    package let instructions: Int

    /// Compiles what stands between the slashes of a rule.
    package convenience init(pattern: String, ignoresCase: Bool) throws(RegularExpressionError) {
        try self.init(units: Array(pattern.utf16), ignoresCase: ignoresCase)
    }

    /// Halves of surrogate pairs may stand without the other here.
    init(units: [UInt16], ignoresCase: Bool) throws(RegularExpressionError) {
        var text = try RegularExpressionParser.parse(units, ignoresCase: ignoresCase).re2
        var problem = CRE2_NONE
        let compiled = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                cre2_compile($0.baseAddress, $0.count, RegularExpressionLimits.memoryBytes, &problem)
            }
        }
        guard let compiled else {
            // Its syntax is RE2's own, so what else can be wrong with it is its size.
            throw RegularExpressionError(problem == CRE2_OUT_OF_MEMORY ? .outOfMemory : .patternTooLarge, at: 0)
        }
        self.compiled = compiled
        instructions = max(1, cre2_instructions(compiled))
    }

    deinit { cre2_free(compiled) }

    /// Whether the pattern is found anywhere in the text.
    package func matches(_ text: Text) -> Bool { text.withUTF8(matches(utf8:)) }

    /// Takes bytes that the caller knows to be valid UTF-8; halves of surrogate pairs, encoded like other characters,
    /// may stand in them.
    func matches(utf8: UnsafeRawBufferPointer) -> Bool {
        SurrogateText.withBytes(of: utf8) { cre2_matches(compiled, $0.baseAddress, $0.count) }
    }
}
