import DataTree
import WireProtocol

/// A decoder that takes bytes from strangers, and what must hold for any bytes.
///
/// The fuzzer feeds it what it invents; a test feeds it the corpus in `Tests/Corpus`.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// JSON to node and back.
    case node
    /// Segment assembler and request decoder.
    case request
    /// A rules file.
    case rules
    /// Decisions by rules over data.
    case decision

    /// How the decoders contradict each other over `bytes`; nil if they agree. What they must never do is trap.
    package func disagreement(over bytes: UnsafeRawBufferPointer) -> String? {
        switch self {
        case .node: nodeDecodingDisagreement(bytes)
        case .request: RequestCheck.disagreement(over: bytes)
        case .rules: RulesCheck.fileDisagreement(bytes)
        case .decision: RulesCheck.decisionDisagreement(bytes)
        }
    }
}
