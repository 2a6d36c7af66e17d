import HubEngine
import Storage
import Synchronization
import WireProtocol

/// What waits for a client's next poll.
enum LongPollOutput: Sendable {
    case frame(Frame)
    case stream(NodeStream)

    /// Bytes that are held for it. What a stream will produce is not counted.
    var byteCount: Int {
        switch self {
        case .frame(let frame): frame.byteCount
        case .stream: 0
        }
    }
}

/// Bytes of one session that were handed to answers and have not gone out yet.
final class LongPollLoad: Sendable {
    private let bytes = Atomic<Int>(0)

    var byteCount: Int { bytes.load(ordering: .relaxed) }
    func add(_ count: Int) { bytes.wrappingAdd(count, ordering: .relaxed) }
}

/// The script that answers a poll, made as its socket takes it.
final class LongPollAnswer: BodyStream {
    private struct State {
        var outputs: ArraySlice<LongPollOutput>
        var isBegun = false
        var escaper = LongPollEscaper()
        var unsent: Int
    }

    private let head: [UInt8]
    private let tail: [UInt8]
    private let load: LongPollLoad
    /// One loop's thread uses it; the lock only makes handing it over safe.
    private let state: Monitor<State>
    /// Bytes of frames in it.
    let byteCount: Int
    private let hasStreams: Bool

    /// - Parameters:
    ///   - head, tail: of the script, around the messages.
    ///   - load: told about the bytes that have not gone out.
    init(head: String, _ outputs: [LongPollOutput], tail: String, load: LongPollLoad) {
        self.head = Array(head.utf8)
        self.tail = Array(tail.utf8)
        self.load = load
        byteCount = outputs.reduce(0) { $0 + $1.byteCount }
        hasStreams = outputs.contains { if case .stream = $0 { true } else { false } }
        state = Monitor(State(outputs: outputs[...], unsent: byteCount))
        load.add(byteCount)
    }

    deinit { load.add(-state.with { $0.unsent }) }

    /// Answers below this many bytes are written at once.
    private static let inlineBytes = 65_536

    /// The answer as a body.
    var body: HTTPResponse.Body {
        guard !hasStreams, byteCount <= LongPollAnswer.inlineBytes else { return .stream(self) }
        var bytes: [UInt8] = []
        while next(upTo: LongPollAnswer.inlineBytes, into: &bytes) {}
        return .bytes(bytes)
    }

    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        let start = bytes.count
        return state.with { state in
            if !state.isBegun {
                state.isBegun = true
                bytes += head
            }
            var text: [UInt8] = []
            while bytes.count - start < byteCount {
                guard let output = state.outputs.first else {
                    bytes += tail
                    return false
                }
                text.removeAll(keepingCapacity: true)
                let isFinished: Bool
                switch output {
                case .frame(let frame):
                    text = frame.text
                    isFinished = true
                case .stream(let stream):
                    isFinished = !stream.nextText(upTo: byteCount, into: &text)
                }
                state.escaper.append(text, to: &bytes)
                guard isFinished else { continue }
                state.outputs.removeFirst()
                state.unsent -= output.byteCount
                load.add(-output.byteCount)
                if !state.outputs.isEmpty { bytes.append(UInt8(ascii: ",")) }
            }
            return true
        }
    }
}

extension HTTPResponse {
    /// A script. Browsers must not take it for anything else.
    static func script(_ body: Body) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: [Header("x-content-type-options", "nosniff")],
            contentType: LongPollScript.contentType, body: body)
    }

    static func script(_ text: String) -> HTTPResponse { script(.bytes(Array(text.utf8))) }
}
