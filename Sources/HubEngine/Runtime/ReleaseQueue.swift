import Storage

/// Outputs that wait until what they depend on is durable, and the only way from a database to the gateway's loops: what
/// leaves here leaves in order.
///
/// The engine's thread adds, the log's thread releases. Handing over to a loop happens under the lock, which is what keeps
/// the order; a loop's `post` only appends.
final class ReleaseQueue: Sendable {
    private struct Held {
        let position: LogPosition
        let outputs: [[LoopOutput]]
        let replies: [@Sendable () -> Void]
        let byteCount: Int
        let submitted: UInt64
    }

    private struct State {
        var held: [Held] = []
        var head = 0
        var heldBytes = 0
        var durable: LogPosition = .none
        var newest: LogPosition = .none
        /// The log has refused something, and the engine has not dealt with it yet: nothing may leave.
        var isRefusing = false
        /// How often the log has refused something.
        var refusals = 0
    }

    private let monitor = Monitor(State())
    private let outlets: Outlets
    private let commitSeconds: Histogram

    init(outlets: Outlets, commitSeconds: Histogram) {
        self.outlets = outlets
        self.commitSeconds = commitSeconds
    }

    /// The log holds everything up to here.
    var durable: LogPosition { monitor.with { $0.durable } }

    var isEmpty: Bool { monitor.with { $0.head == $0.held.count } }

    /// Nothing below `position` is waited for: where a recovered log stands.
    func begin(at position: LogPosition) {
        monitor.with {
            $0.durable = position
            $0.newest = position
        }
    }

    /// Adds a batch's outputs. They leave at once when they depend on nothing and nothing waits before them.
    /// - Parameter replies: called as the outputs leave.
    func add(_ outputs: [[LoopOutput]], replies: [@Sendable () -> Void] = [], position: LogPosition?) {
        let submitted = monotonicNanoseconds()
        monitor.with { state in
            if let position { state.newest = position }
            if position == nil && outputs.isEmpty && replies.isEmpty { return }
            let isDurable = state.newest <= state.durable && state.head == state.held.count
            if isDurable && !state.isRefusing {
                if position != nil { commitSeconds.observe(nanoseconds: Int(monotonicNanoseconds() - submitted)) }
                outlets.post(outputs)
                for reply in replies { reply() }
                return
            }
            let byteCount = Self.byteCount(of: outputs)
            state.heldBytes += byteCount
            state.held.append(
                Held(
                    position: state.newest, outputs: outputs, replies: replies, byteCount: byteCount,
                    submitted: position == nil ? 0 : submitted))
        }
    }

    /// Releases what depended on nothing later than `position`.
    func release(through position: LogPosition) {
        monitor.update { state in
            state.durable = max(state.durable, position)
            let now = monotonicNanoseconds()
            var ready: [[LoopOutput]] = []
            var replies: [@Sendable () -> Void] = []
            while state.head < state.held.count, state.held[state.head].position <= position {
                let held = state.held[state.head]
                state.head += 1
                state.heldBytes -= held.byteCount
                if held.submitted != 0 { commitSeconds.observe(nanoseconds: Int(now - held.submitted)) }
                Self.append(held.outputs, to: &ready)
                replies += held.replies
            }
            if state.head == state.held.count {
                state.held.removeAll(keepingCapacity: true)
                state.head = 0
            } else if state.head > 256 {
                state.held.removeFirst(state.head)
                state.head = 0
            }
            if !ready.isEmpty { outlets.post(ready) }
            for reply in replies { reply() }
        }
    }

    /// The log refused `position` and all behind it: their outputs are void, and so is all that follows until `resume`.
    func refuse(from position: LogPosition) {
        monitor.update { state in
            state.isRefusing = true
            state.refusals += 1
            state.held.removeFirst(state.head)
            state.head = 0
            state.held.removeAll { $0.position >= position }
            state.heldBytes = state.held.reduce(0) { $0 + $1.byteCount }
        }
    }

    /// The engine has taken back what was refused; what it adds now counts again.
    func resume(from position: LogPosition) {
        monitor.update { state in
            state.held.removeAll { $0.position >= position }
            state.heldBytes = state.held.reduce(0) { $0 + $1.byteCount }
            state.newest = LogPosition(position.value - 1)
            state.isRefusing = false
        }
    }

    /// Sleeps while more than `limit` bytes wait, so that a stalled disk does not fill the memory.
    func waitForRoom(limit: Int) {
        _ = monitor.wait { $0.heldBytes <= limit || $0.isRefusing ? true : nil }
    }

    /// Sleeps until everything through `position` is durable. False when the log refused something that whoever gave the
    /// position does not know of: the position then is another entry's, or will be.
    ///
    /// - Parameter refusals: how many it knows of.
    func waitUntilDurable(_ position: LogPosition, knowing refusals: Int) -> Bool {
        monitor.wait { state in
            if state.refusals != refusals { return false }
            return state.durable >= position ? true : nil
        } ?? false
    }

    private static func append(_ outputs: [[LoopOutput]], to all: inout [[LoopOutput]]) {
        for (loop, list) in outputs.enumerated() {
            if loop < all.count {
                all[loop] += list
            } else {
                all.append(list)
            }
        }
    }

    private static func byteCount(of outputs: [[LoopOutput]]) -> Int {
        var sum = 0
        for list in outputs {
            for output in list {
                switch output {
                case .frame(let frame, _), .fanOut(let frame, _): sum += frame.byteCount
                case .stream, .close, .answer: sum += 64
                }
            }
        }
        return sum
    }
}

/// The gateway's loops, by number.
package final class Outlets: Sendable {
    private let loops = Monitor<[(any LoopOutlet)?]>([])

    package init() {}

    package func attach(_ outlet: any LoopOutlet, loop: UInt16) {
        loops.with { loops in
            while loops.count <= Int(loop) { loops.append(nil) }
            loops[Int(loop)] = outlet
        }
    }

    func post(_ outputs: [[LoopOutput]]) {
        let outlets = loops.with { $0 }
        for (loop, list) in outputs.enumerated() where !list.isEmpty && loop < outlets.count {
            outlets[loop]?.post(list)
        }
    }
}
