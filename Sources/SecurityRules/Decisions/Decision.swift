import DataTree

/// A rule of a `CompiledRules`, by its place in it.
package struct RuleReference: Hashable, Sendable {
    let index: Int32
}

/// What rules say to a read or a write.
package struct Decision: Sendable {
    /// The rule that granted the read, or the last location of the write; nil when denied, and for a write of nothing.
    package var grant: RuleReference?
    /// The first reason to deny; nil when allowed.
    package var denial: Denial?

    package var isAllowed: Bool { denial == nil }
}

/// Why rules deny.
package enum Denial: Equatable, Sendable {
    /// No rule on the way to the place is true.
    case notGranted(RuleKind, Path)
    /// A `.validate` at or around what is written is not true; the path is where it stands.
    case invalid(RuleReference, Path)
}

extension Denial: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notGranted(let kind, let path): "no \(kind.key) rule on the way to \"/\(path)\" is true"
        case .invalid(_, let path): "the .validate rule for \"/\(path)\" is not true"
        }
    }
}
