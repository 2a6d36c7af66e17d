import DataTree
import SecurityRules
import WireProtocol

/// Something too long for the engine: it runs on a snapshot, on another thread, and comes back as a proposal.
package struct EngineWork: Sendable {
    enum Kind: Sendable {
        /// The first data for a listener, or nothing when its hash is right. `snapshot` is the listen's result.
        case listen(number: Int, listen: Listen, snapshot: Node)
        case get(number: Int, path: Path, query: Query, snapshot: Node)
        /// Whether a transaction's hash is that of the node at its path.
        case compare(Request, hash: String, snapshot: Node)
        /// What rules say to a large write.
        case judge(WriteToJudge, for: Request)
        /// For a call, which waits by the ticket of its work.
        case call(CallWork)
        /// For the queries at `path` of the given identity.
        case buildIndex(IndexBuild, path: Path, queries: UInt64)
    }

    let kind: Kind
    /// The session that waits; nil for an index, which several may wait for.
    let waiting: (connection: ConnectionID, ticket: UInt64)?
    /// How many times this is done, because what it read had changed.
    var attempt = 1

    /// After so many times what has changed is lived with.
    static let maxAttempts = 3

    /// Does the work. Touches nothing but the snapshot.
    package func run() -> EngineWorkResult {
        let outcome: EngineWorkResult.Outcome
        switch kind {
        case .listen(_, let listen, let snapshot):
            if listen.compoundHash != nil {
                outcome = .answer(InitialData.frame(for: listen, result: snapshot).map(LargeAnswer.frame) ?? .upToDate)
            } else if InitialData.matches(listen.hash, snapshot) {
                outcome = .answer(.upToDate)
            } else {
                outcome = .answer(LargeAnswer(.data(path: listen.path, value: snapshot, tag: listen.tag)))
            }
        case .get(let number, _, let query, let snapshot):
            let result = query.filters ? query.apply(to: snapshot) : snapshot
            outcome = .answer(LargeAnswer(.response(number: number, value: result)))
        case .compare(_, let hash, let snapshot):
            outcome = .comparison(matches: InitialData.matches(hash, snapshot))
        case .call(let work):
            outcome = .call(work.run())
        case .judge(let write, _):
            let (decision, dependencies) = write.judge()
            outcome = .judgement(decision, dependencies)
        case .buildIndex(let build, _, _):
            outcome = .index(build.run())
        }
        return EngineWorkResult(work: self, outcome: outcome)
    }
}

package struct EngineWorkResult: Sendable {
    enum Outcome: Sendable {
        case answer(LargeAnswer)
        case comparison(matches: Bool)
        case index(FinishedIndex)
        case judgement(Decision, ReadDependencies)
        case call(CallWork.Outcome)
    }

    let work: EngineWork
    let outcome: Outcome
}

/// An answer that may be too large to be held, or to be sent at all.
enum LargeAnswer: Sendable {
    /// The client has it already.
    case upToDate
    case frame(Frame)
    case stream(NodeStream)
    /// It would take more segments than clients understand.
    case tooBig

    /// Answers above this many bytes are generated as the socket drains.
    static let inlineBytes = 1_048_576

    /// Measures a message and chooses how to send it.
    init(_ message: NodeStream.Message) {
        var counter = SegmentCounter()
        var bytes: [UInt8] = []
        var pieces = NodeStream.Pieces(message)
        var held: [UInt8] = []
        while pieces.next(into: &bytes) {
            counter.feed(bytes)
            if held.count + bytes.count <= Self.inlineBytes { held += bytes }
            bytes.removeAll(keepingCapacity: true)
            if counter.isTooBig {
                self = .tooBig
                return
            }
        }
        if counter.bytes <= Self.inlineBytes {
            self = .frame(Frame(text: held))
        } else {
            self = .stream(NodeStream(message, segments: counter.segments))
        }
    }
}
