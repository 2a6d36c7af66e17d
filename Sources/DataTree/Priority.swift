/// A node's sort weight, from `.priority` in the export form.
///
/// Ordered as `priorityCompare` of the SDKs orders it: none, numbers, strings by UTF-16 code unit. Unresolved server
/// values come last; they never reach stored data.
package enum Priority: Hashable, Sendable {
    case none
    case number(Double)
    case string(Text)
    /// Only in values not yet resolved, as a decoded write holds them.
    case deferred(ServerValue)

    package var isDeferred: Bool {
        if case .deferred = self { true } else { false }
    }

    private var rank: Int {
        switch self {
        case .none: 0
        case .number: 1
        case .string: 2
        case .deferred: 3
        }
    }
}

extension Priority: Comparable {
    package static func < (left: Priority, right: Priority) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.string(let left), .string(let right)): left < right
        default: left.rank < right.rank
        }
    }
}
