import DataTree
import HubEngine
import TestSupport

/// Many clients that listen, write, leave and come back at random, each checked by its `ModelClient`.
final class RandomTraffic {
    let hub: EngineHarness
    var values: RandomValues
    private(set) var clients: [ModelClient] = []
    private(set) var gone: [ModelClient] = []
    private let size: Int
    /// Whether the outcome of a transaction can be told when it is sent.
    var predictsTransactions = true
    /// Whether a get is answered from what the database holds when the answer leaves.
    var predictsGets = true
    /// Whether every write has an id of its own.
    var namesWrites = false
    /// Whether clients sign in and out.
    var signsIn = false
    /// Whether an administrator changes settings and imports data.
    var isAdministered = false
    var batchesAreCommits = true
    /// Whether clients send several requests in one go.
    var pipelines = false
    private(set) var steps = 0
    private var writes = 0
    /// What became of the writes with an id.
    private var statuses: [String: String] = [:]

    init(hub: EngineHarness, seed: UInt64, clients size: Int = 6) {
        self.hub = hub
        self.size = size
        values = RandomValues(seed: seed)
        for _ in 0..<size { clients.append(ModelClient(hub.connect())) }
    }

    /// One random thing.
    func step() throws {
        steps += 1
        for client in clients { client.batchesAreCommits = batchesAreCommits }
        let client = values.pick(clients)
        if pipelines && values.chance(20) {
            client.together { for _ in 0..<values.number(2...5) { act(client, values.number(0...91)) } }
        } else {
            act(client, values.number(0...99))
        }
        try readAll()
    }

    private func act(_ client: ModelClient, _ kind: Int) {
        switch kind {
        case 0...21: listen(client)
        case 22...31: unlisten(client)
        case 32...53: put(client)
        case 54...67: update(client)
        case 68...75: transact(client)
        case 76...79: priority(client)
        case 80...84: get(client)
        case 85...91: registerOnDisconnect(client)
        case 92...93: leave(client)
        case 94: takeOver(client)
        case 95...96: increment(client)
        case 98...99 where isAdministered && values.chance(70): values.chance(60) ? lease() : administer()
        case 97...98 where signsIn: sign(client)
        default: hub.advance(by: Int64(values.number(1...1000)))
        }
    }

    func readAll() throws {
        for client in clients + gone {
            do {
                try client.readAll()
                noteOutcomes(of: client)
            } catch {
                throw ModelClient.Complaint(
                    description: "step \(steps), \(client.device.connection): \(error)\n\(client.story)")
            }
        }
    }

    /// When nothing is held any more: every view shows what the database holds, and every request has its answer.
    func checkSettled() throws {
        try readAll()
        for client in clients {
            do { try client.check(against: hub.content, after: "everything, step \(steps)") } catch {
                throw ModelClient.Complaint(description: "\(error)\n\(client.story)")
            }
            if let oldest = client.pending.first {
                throw ModelClient.Complaint(description: "step \(steps): no answer to \(oldest.text)")
            }
        }
        gone = []
    }

    /// A client that comes new must be told what the others know.
    func checkWindows() throws {
        let fresh = ModelClient(hub.connect())
        for key in Set(clients.flatMap(\.views.keys)) { fresh.listen(key.path, key.query) }
        hub.settle()
        while !hub.pendingWork.isEmpty { hub.work() }
        try fresh.readAll()
        try fresh.check(against: hub.content, after: "listening anew")
        fresh.device.close()
    }

    /// Writes answered `ok` are in the log, each once; others are not.
    func checkOutcomes(log: [[UInt8]]) throws {
        var logged: [String: Int] = [:]
        for entry in log {
            for case .commit(let commit) in try entry.withUnsafeBytes({ try LogEntry(decoding: $0) }).records {
                if let id = commit.writeID { logged[id, default: 0] += 1 }
            }
        }
        for (id, count) in logged where count != 1 {
            throw ModelClient.Complaint(description: "\(id) is \(count) times in the log")
        }
        for (id, status) in statuses where (status == "ok") != (logged[id] != nil) {
            throw ModelClient.Complaint(description: "\(id) was answered \(status), in the log: \(logged[id] != nil)")
        }
    }

    private func noteOutcomes(of client: ModelClient) {
        for (text, status) in client.takeAnswers() {
            guard let start = text.firstRange(of: #""w":""#) else { continue }
            statuses[String(text[start.upperBound...].prefix { $0 != "\"" })] = status
        }
    }

    // MARK: - What clients do

    private func listen(_ client: ModelClient) {
        // A client that listens again before its unlisten was answered cannot tell old pushes from new ones.
        guard !client.isUnlistening else { return }
        let query = values.query()
        let path = query.filters && values.chance(75) ? Path("list") : values.path()
        let key = ModelClient.ListenKey(path: path, query: query)
        guard client.views[key] == nil else { return }
        let content = hub.content[path]
        let result = query.filters ? query.apply(to: content) : content
        // What is on its way to a client is nothing that it can have kept from an earlier listen.
        client.listen(path, query, cached: values.chance(20) && hub.heldCount == 0 ? result : .empty)
    }

    private func unlisten(_ client: ModelClient) {
        let keys = client.views.filter { $0.value.isComplete }.keys
            .sorted { "\($0.path) \($0.query.text)" < "\($1.path) \($1.query.text)" }
        guard !keys.isEmpty else { return }
        client.unlisten(values.pick(keys))
    }

    private func put(_ client: ModelClient) {
        let path = values.path()
        client.send("p", #"{"p":"/\#(path)","d":\#(values.value(at: path))\#(writeID())}"#, .status("ok"))
    }

    private func writeID() -> String {
        guard namesWrites else { return "" }
        writes += 1
        return #","w":"w\#(writes)""#
    }

    private func update(_ client: ModelClient) {
        let (path, changes) = values.update()
        client.send("m", #"{"p":"/\#(path)","d":\#(changes)\#(writeID())}"#, .status("ok"))
    }

    private func transact(_ client: ModelClient) {
        let path = values.path()
        let current = hub.content[path].hash()
        let views = client.views.values.filter { $0.isComplete && $0.query == .default && path.hasPrefix($0.path) }
        let believed =
            views.min { $0.path < $1.path }.map { $0.node.node(at: path.dropFirst($0.path.count)).hash() } ?? ""
        let hash = values.chance(60) ? believed : current
        let status = hash == current ? "ok" : "datastale"
        client.send(
            "p", #"{"p":"/\#(path)","d":\#(values.value(at: path)),"h":"\#(hash)"\#(writeID())}"#,
            .status(predictsTransactions ? status : nil))
    }

    private func priority(_ client: ModelClient) {
        let priority = values.chance(30) ? "null" : values.priority()
        client.send("p", #"{"p":"/\#(values.path())/.priority","d":\#(priority)}"#, .status("ok"))
    }

    private func get(_ client: ModelClient) {
        let query = values.query()
        let path = values.path()
        client.send("g", #"{"p":"/\#(path)","q":\#(query.text)}"#, predictsGets ? .value(path, query) : .status("ok"))
    }

    private func increment(_ client: ModelClient) {
        let path = Path("tree").appending(values.branch(2))
        let value = values.chance(50) ? "timestamp" : #"{"increment":\#(values.number(-3...3))}"#
        client.send(
            "p", #"{"p":"/\#(path)","d":{".sv":\#(value.hasPrefix("{") ? value : "\"\(value)\"")}}"#, .status("ok"))
    }

    private func registerOnDisconnect(_ client: ModelClient) {
        let path = values.path()
        switch values.number(0...3) {
        case 0: client.send("oc", #"{"p":"/\#(path)","d":null}"#, .status("ok"))
        case 1:
            let (path, changes) = values.update()
            client.send("om", #"{"p":"/\#(path)","d":\#(changes)}"#, .status("ok"))
        default: client.send("o", #"{"p":"/\#(path)","d":\#(values.value(at: path))}"#, .status("ok"))
        }
    }

    private func sign(_ client: ModelClient) {
        if values.chance(25) { return client.send("unauth", "{}", .status("ok")) }
        let token = UnsignedTokens.token(#"{"sub":"\#(values.pick(["ada", "bob", "cyd"]))"}"#)
        client.send("auth", #"{"cred":"\#(token)"}"#, .status("ok"))
    }

    /// Somebody without a connection holds, renews or ends a lease, or does not come in time.
    private func lease() {
        let path = Path("tree").appending(values.branch(2))
        let token = UnsignedTokens.token(#"{"sub":"\(values.pick(["ada", "bob"]))"}"#)
        let kind: LeaseRequest.Kind
        switch values.number(0...9) {
        case 0...6:
            guard let off = try? Node(json: values.value(at: path)) else { return }
            let online = values.chance(50) ? try? Node(json: values.value(at: path)) : nil
            kind = .hold(LeaseRequest.Terms(timeToLive: 60_000, online: online, onDisconnect: off))
        case 7: kind = .look
        case 8: kind = .end
        default:
            let held = hub.leaseNews.compactMap { news in
                if case .held(let connection, _) = news { connection } else { nil }
            }
            if !held.isEmpty { hub.apply([.end(values.pick(held), .leaseExpired)]) }
            return
        }
        hub.call(.lease(LeaseRequest(path: path, kind: kind)), credential: CallCredential(token: token))
    }

    private func administer() {
        if values.chance(50) {
            let name = values.pick(["a", "b", "c"])
            let text = values.chance(30) ? nil : "\(values.number(0...9))"
            let reply = OneReply<SettingFailure?>(otherwise: nil) { _ in }
            guard let change = try? SettingChange(name: name, text: text, author: "tests", reply: reply) else { return }
            hub.apply([.administer(.changeSetting(change))])
        } else {
            let path = values.path()
            guard let node = try? Node(json: values.value(at: path)) else { return }
            hub.apply([
                .administer(
                    .importData(
                        DataImport(
                            path: path, node: node, mode: values.chance(50) ? .empty : .replace,
                            author: "tests", reply: OneReply(otherwise: .failure(.gone)) { _ in })))
            ])
        }
    }

    private func leave(_ client: ModelClient) {
        client.device.close(values.pick([.closedByClient, .connectionLost, .timedOut]))
        replace(client, lastSession: nil)
    }

    private func takeOver(_ client: ModelClient) { replace(client, lastSession: client.device.session) }

    private func replace(_ client: ModelClient, lastSession: String?) {
        gone.append(client)
        clients.removeAll { $0 === client }
        let fresh = ModelClient(hub.connect(lastSession: lastSession))
        fresh.batchesAreCommits = batchesAreCommits
        clients.append(fresh)
    }
}
