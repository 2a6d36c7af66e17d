import DataTree

/// What a frame means, for transports that do not send its text: they need not parse it.
///
/// It holds snapshots, which cost nothing to keep but for the pages that a write copies meanwhile.
package enum PushContent: Sendable {
    /// The node at `path` is now `node`; a path that ends in `.priority` means the priority alone. When this is the only
    /// effective change of an update, `updatedAt` is the place to which the update was sent, at or above `path`.
    case data(path: Path, node: Node, updatedAt: Path?)
    /// The nodes at the relative paths are now these, all at once. `updatedAt` is the place to which the update was sent
    /// whose effects these are; nil when they are those of something else.
    case merge(path: Path, changes: [(Path, Node)], updatedAt: Path?)
    /// The answer to a request; `reason` is the text of a refusal.
    case response(number: Int, status: Status, reason: String?)
    /// The listen is no longer permitted.
    case listenRevoked
    /// The identity is taken back.
    case authRevoked(Status)
    /// The session of this name has opened.
    case greeting(session: String)
}

extension PushContent {
    /// The priority alone of a node that has changed in nothing else.
    static func priority(of node: Node, at path: Path, updatedAt: Path?) -> PushContent {
        let value: Node =
            switch node.priority {
            case .none: .empty
            case .number(let number): Node(leaf: .number(number))
            case .string(let text): Node(leaf: .string(text))
            case .deferred(let value): Node(leaf: .deferred(value))
            }
        return .data(path: path.appending(.priority), node: value, updatedAt: updatedAt)
    }
}
