import DataTree
import Gateway
import Glibc
import HubEngine
import Synchronization
import WireProtocol

/// The gateway alone, with the least a hub can be behind it: it knows who listens where and passes writes on, without
/// storage or rules. What it costs more than a bare `send` for each subscriber is what the gateway costs.
enum GatewayBench {
    /// Serves on a port until it is killed: `hearth-bench gateway PORT [LOOPS]`.
    static func run(arguments: [String]) {
        var configuration = GatewayConfiguration()
        configuration.endpoint.port = arguments.first.flatMap { Int($0) } ?? 9100
        configuration.loops = arguments.dropFirst().first.flatMap { Int($0) } ?? 1
        let relay = Relay()
        do {
            let gateway = try Gateway(configuration, router: relay, metrics: Metrics(), logger: Logger()) { _, outlet in
                relay.attach(outlet)
            }
            gateway.start()
            while true { pause() }
        } catch {
            print("hearth-bench: \(error)")
            exit(1)
        }
    }
}

/// Passes writes on to who listens at their parent, like `limit-server -r` of the load generator.
private final class Relay: SessionRouter, SessionEventSink {
    private struct Topic {
        var listeners: [[ConnectionID]] = []
        /// Rebuilt when a listener came or went.
        var lists: [ConnectionList?] = []
    }

    private struct State {
        var outlets: [any LoopOutlet] = []
        var topics: [Path: Topic] = [:]
        var places: [ConnectionID: [Path]] = [:]
        var wills: [ConnectionID: (Path, Node)] = [:]
    }

    private let state = Mutex(State())

    func attach(_ outlet: any LoopOutlet) { state.withLock { $0.outlets.append(outlet) } }

    func route(namespace: String) -> Result<any SessionEventSink, NamespaceRefusal> { .success(self) }

    func post(_ events: [SessionEvent]) {
        state.withLock { state in
            var outputs = [[LoopOutput]](repeating: [], count: state.outlets.count)
            for event in events { handle(event, &state, &outputs) }
            for (outlet, outputs) in zip(state.outlets, outputs) { outlet.post(outputs) }
        }
    }

    private func handle(_ event: SessionEvent, _ state: inout State, _ outputs: inout [[LoopOutput]]) {
        switch event {
        case .opened(let id, let opening):
            let hello = ServerMessage.hello(timestamp: 1_700_000_000_000, host: opening.host, session: "\(id.packed)")
            outputs[Int(id.loop)].append(.frame(hello, to: id))
        case .closed(let id, _):
            for path in state.places.removeValue(forKey: id) ?? [] { remove(id, from: path, &state) }
            if let (path, value) = state.wills.removeValue(forKey: id) { publish(path, value, &state, &outputs) }
        case .message(let id, .request(let request)):
            answer(request, from: id, &state, &outputs)
        case .message, .call: break
        }
    }

    private func answer(
        _ request: Request, from id: ConnectionID, _ state: inout State, _ outputs: inout [[LoopOutput]]
    ) {
        switch request.action {
        case .listen(let listen):
            add(id, to: listen.path, &state)
            outputs[Int(id.loop)].append(.frame(ServerMessage.data(path: listen.path, node: .empty), to: id))
        case .put(let path, let value, _, _): publish(path, value, &state, &outputs)
        case .onDisconnectPut(let path, let value): state.wills[id] = (path, value)
        default: break
        }
        outputs[Int(id.loop)].append(.frame(ServerMessage.ok(request.number), to: id))
    }

    private func publish(_ path: Path, _ value: Node, _ state: inout State, _ outputs: inout [[LoopOutput]]) {
        guard let parent = path.parent, var topic = state.topics[parent] else { return }
        let frame = ServerMessage.data(path: path, node: value)
        for loop in outputs.indices where loop < topic.listeners.count && !topic.listeners[loop].isEmpty {
            let list = topic.lists[loop] ?? ConnectionList(topic.listeners[loop])
            topic.lists[loop] = list
            outputs[loop].append(.fanOut(frame, to: list))
        }
        state.topics[parent] = topic
    }

    private func add(_ id: ConnectionID, to path: Path, _ state: inout State) {
        var topic = state.topics[path] ?? Topic()
        while topic.listeners.count <= Int(id.loop) {
            topic.listeners.append([])
            topic.lists.append(nil)
        }
        topic.listeners[Int(id.loop)].append(id)
        topic.lists[Int(id.loop)] = nil
        state.topics[path] = topic
        state.places[id, default: []].append(path)
    }

    private func remove(_ id: ConnectionID, from path: Path, _ state: inout State) {
        state.topics[path]?.listeners[Int(id.loop)].removeAll { $0 == id }
        state.topics[path]?.lists[Int(id.loop)] = nil
    }
}
