import DataTree
import SecurityRules

/// Something that a call needs and that is too long for the engine: it runs on a snapshot, on another thread.
struct CallWork: Sendable {
    enum Kind: Sendable {
        case read(CallRead, snapshot: Node)
        /// Whether the node has the hash that a conditional write expects.
        case compare(snapshot: Node, hash: String)
        case judge(WriteToJudge)
        /// The hash that goes with an answer: what was written, or what stands in the way.
        case hash(CallWritten, Node, isConflict: Bool)
    }

    enum Outcome: Sendable {
        case value(Node, hash: String?)
        /// The node's hash.
        case comparison(String)
        case judgement(Decision, ReadDependencies)
    }

    let kind: Kind
    let ticket: UInt64

    func run() -> Outcome {
        switch kind {
        case .read(let read, let snapshot):
            let (node, hash) = read.apply(to: snapshot)
            return .value(node, hash: hash)
        case .compare(let snapshot, _): return .comparison(snapshot.hash())
        case .hash(_, let node, _): return .comparison(node.hash())
        case .judge(let write):
            let (decision, dependencies) = write.judge()
            return .judgement(decision, dependencies)
        }
    }
}
