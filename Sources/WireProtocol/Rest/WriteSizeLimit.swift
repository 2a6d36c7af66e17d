import DataTree

/// How much one write may change (`writeSizeLimit`; `protocol/rest.md`, "Sizes").
///
/// The cost of a write is the number of leaves that it removes, the number that it adds, and one more for each sixteen
/// bytes of its body. All three are known without walking a tree, and mean the same on every machine. The limits stand
/// in the proportion in which the official service gives its writes time: 1, 10, 30 and 60 seconds.
package enum WriteSizeLimit: String, CaseIterable, Sendable {
    case tiny, small, medium, large, unlimited

    /// The greatest cost that passes.
    package var greatestCost: Int {
        switch self {
        case .tiny: 500_000
        case .small: 5_000_000
        case .medium: 15_000_000
        case .large: 30_000_000
        case .unlimited: .max
        }
    }

    /// The cost of replacing what is at the written places. Of an update all changes count together.
    /// - Parameter bodyBytes: the length of the body as sent, without a transfer encoding.
    package static func cost(removedLeaves: Int, addedLeaves: Int, bodyBytes: Int) -> Int {
        removedLeaves + addedLeaves + bodyBytes / 16
    }

    package func allows(cost: Int) -> Bool { cost <= greatestCost }
}
