import HubEngine
import WireProtocol

/// Replays conversations against engines in memory, without threads, sockets or waiting: what has not come when a client is asked
/// for it never comes.
package final class ConversationEngineHost: ConversationHost {
    /// Which conversations can run: with `locked` only those that need it.
    package let capabilities: Set<String>
    package let defaultHost = "localhost:9000"
    package let administratorSecret: String?
    private let makeEngine: () -> EngineHarness
    private var engines: [String: EngineHarness] = [:]
    private var elapsed: Int64 = 0

    /// - Parameters:
    ///   - capabilities: what the engines of `makeEngine` allow: `dev` or `locked`.
    ///   - secret: the administrator's, if the engines know one.
    ///   - makeEngine: an empty engine for a namespace.
    package init(
        capabilities: Set<String> = ["dev"], secret: String? = nil,
        makeEngine: @escaping () -> EngineHarness = { EngineHarness() }
    ) {
        self.capabilities = capabilities.union(["end", "reset", "vanish"]).union(secret == nil ? [] : ["secret"])
        administratorSecret = secret
        self.makeEngine = makeEngine
    }

    package var milliseconds: Int64 { engines.values.map(\.time).max() ?? 0 }

    package func emptyNamespace() -> String {
        let name = "c\(engines.count + 1)"
        let engine = makeEngine()
        engine.time += elapsed
        engines[name] = engine
        return name
    }

    package func wait(_ duration: Duration) {
        let milliseconds = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
        elapsed += milliseconds
        for engine in engines.values { engine.advance(by: milliseconds) }
    }

    package func open(
        target: String, headers: [(name: String, value: String)]
    ) throws -> any ConversationConnection {
        let parameters = ConversationTarget(target).parameters
        guard let engine = engines[parameters["ns"] ?? ""] else { throw UnknownNamespace(target: target) }
        let header = { (name: String) in headers.last { $0.name.lowercased() == name }?.value }
        let device = engine.connect(
            host: header("host") ?? defaultHost, lastSession: parameters["ls"], agent: header("user-agent") ?? "test")
        return Connection(device)
    }

    package struct UnknownNamespace: Error, CustomStringConvertible {
        package let target: String
        package var description: String { "status 404: no namespace for \(target)" }
    }

    private final class Connection: ConversationConnection {
        private let device: EngineHarness.Device
        private var assembler = SegmentAssembler()
        private var read = 0
        /// Texts of a message that has to be cut.
        private var pending: [String] = []
        private var ownReason: LeaveReason?

        init(_ device: EngineHarness.Device) { self.device = device }

        func send(text: String) throws {
            let bytes = Array(text.utf8)
            switch try bytes.withUnsafeBytes({ try assembler.receive($0) }) {
            case .keepAlive, .partial: return
            case .whole: deliver(bytes)
            case .message(let joined): deliver(joined)
            case .oversized: leave(.protocolError)
            }
        }

        private func deliver(_ bytes: [UInt8]) {
            if (try? bytes.withUnsafeBytes { try RequestDecoder.decode($0) }) == nil { return leave(.protocolError) }
            device.send(String(decoding: bytes, as: UTF8.self))
        }

        private func leave(_ reason: LeaveReason) {
            ownReason = reason
            device.close(reason)
        }

        func receive(within: Duration) -> ConversationEvent {
            if !pending.isEmpty { return .text(pending.removeFirst()) }
            if read < device.received.count {
                pending = Frame(text: Array(device.received[read].utf8)).messages
                read += 1
                return .text(pending.removeFirst())
            }
            if device.isOpen { return .nothing }
            return .closed(code: (ownReason ?? device.closeReason)?.closeCode.map(Int.init))
        }

        func end(_ how: ConversationEnding) {
            switch how {
            case .close: device.close(.closedByClient)
            case .end, .reset: device.close(.connectionLost)
            case .vanish: device.close(.timedOut)
            }
        }
    }
}

/// The parameters of a connection's target, as written.
package struct ConversationTarget {
    package let parameters: [String: String]

    package init(_ target: String) {
        var parameters: [String: String] = [:]
        for pair in target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            parameters[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        self.parameters = parameters
    }
}
