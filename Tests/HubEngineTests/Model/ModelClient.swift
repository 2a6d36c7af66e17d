import DataTree
import TestSupport
import WireProtocol

/// A client that believes what an official SDK would believe, and complains about everything that the protocol forbids:
/// answers out of order, twice or not at all, pushes that nothing asked for, and views that are not what the database held.
final class ModelClient {
    enum Expectation {
        case listen(ListenKey)
        /// The status that the answer must have, when the test knows.
        case status(String?)
        /// The value of a get at the time of the answer.
        case value(Path, Query)
    }

    struct ListenKey: Hashable {
        let path: Path
        let query: Query
    }

    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    let device: EngineHarness.Device
    /// Whether each batch holds one commit at most.
    var batchesAreCommits = true
    private(set) var views: [ListenKey: ListenView] = [:]
    /// Requests without an answer, oldest first.
    private(set) var pending: [(number: Int, expectation: Expectation, text: String)] = []
    private var answers: [(text: String, status: String)] = []
    /// What each view showed when the database's content was last known.
    private var known: [ListenKey: Node] = [:]
    private var read = 0
    /// Requests that are to go out together.
    private var collected: [String]?
    private var lastNumber = 0
    private var lastTag = 0

    init(_ device: EngineHarness.Device) { self.device = device }

    /// The last things that were said on the connection.
    var story: String { trace.suffix(14).joined(separator: "\n") }

    private var trace: [String] = []

    /// The answers since the last call, each with its request.
    func takeAnswers() -> [(text: String, status: String)] {
        defer { answers = [] }
        return answers
    }

    // MARK: - Requests

    func send(_ action: String, _ body: String, _ expectation: Expectation = .status(nil)) {
        lastNumber += 1
        let text = #"{"t":"d","d":{"r":\#(lastNumber),"a":"\#(action)","b":\#(body)}}"#
        pending.append((lastNumber, expectation, text))
        trace.append("> \(text)")
        if collected == nil { device.send(text) } else { collected?.append(text) }
    }

    /// Sends all requests that `body` makes in one batch.
    func together(_ body: () -> Void) {
        collected = []
        body()
        let texts = collected ?? []
        collected = nil
        if !texts.isEmpty { device.send(texts) }
    }

    /// Whether the hub may still send pushes for listens that the client has given up.
    var isUnlistening: Bool {
        pending.contains { if case .status = $0.expectation { $0.text.contains(#""a":"n""#) } else { false } }
    }

    /// - Parameter cached: what the client has from an earlier listen.
    func listen(_ path: Path, _ query: Query, cached: Node = .empty) {
        let key = ListenKey(path: path, query: query)
        var tag: Int?
        var fields = #""p":"/\#(path)","h":"\#(cached.hash())""#
        if query.filters {
            lastTag += 1
            tag = lastTag
            fields += #","q":\#(query.text),"t":\#(lastTag)"#
        }
        views[key] = ListenView(path: path, query: query, tag: tag, cached: cached)
        known[key] = nil
        send("q", "{\(fields)}", .listen(key))
    }

    func unlisten(_ key: ListenKey) {
        let tag = views[key]?.tag
        views[key] = nil
        if key.query == .default { distrust(around: key.path) }
        let fields = #""p":"/\#(key.path)""# + (tag.map { #","q":\#(key.query.text),"t":\#($0)"# } ?? "")
        send("n", "{\(fields)}", .status("ok"))
    }

    /// Views that hold more than their own listen keeps in step.
    private func distrust(around path: Path) {
        for (key, view) in views where key.query.filters && !view.isFiltered {
            if path.hasPrefix(key.path) || key.path.hasPrefix(path) { views[key]?.isTrusted = false }
        }
    }

    // MARK: - What comes

    /// Reads all that came and checks it. When a batch is over, every view must show what the database held.
    func readAll() throws {
        while read < device.received.count {
            let text = device.received[read]
            let content = device.contents[read]
            read += 1
            trace.append("< \(text)" + (content == nil ? "" : " ."))
            try handle(text)
            if let content { try check(against: content, after: text) }
        }
    }

    func check(against content: HeldContent, after text: String) throws {
        for (key, view) in views where view.isComplete && view.isTrusted {
            let expected = key.query.filters ? key.query.apply(to: content[key.path]) : content[key.path]
            guard view.display == expected else {
                throw Complaint(
                    description: "/\(key.path) \(key.query.text) shows \(view.display.json), "
                        + "the database had \(expected.json), after \(text)")
            }
            known[key] = expected
        }
    }

    private func handle(_ text: String) throws {
        switch try DeviceMessage(text) {
        case .hello, .pong, .control: break
        case .response(let response): try handle(response)
        case .push(let push):
            switch push.action {
            case "d", "m": try apply(push, text)
            case "c": try revoke(push)
            default: break
            }
        }
    }

    private func handle(_ response: DeviceResponse) throws {
        guard let oldest = pending.first, oldest.number == response.number else {
            throw Complaint(
                description: "answer \(response.number) came, expected \(pending.first?.number ?? -1)")
        }
        pending.removeFirst()
        answers.append((oldest.text, response.status))
        switch oldest.expectation {
        case .listen(let key):
            if response.status == "ok" { views[key]?.complete() } else { views[key] = nil }
        case .status(let expected):
            if let expected, expected != response.status, response.status != "unavailable" {
                throw Complaint(
                    description: "\(oldest.text) was answered \(response.status) \(response.payload), not \(expected)")
            }
        case .value(let path, let query):
            guard response.status == "ok", let content = device.contents[read - 1] else { return }
            let expected = query.filters ? query.apply(to: content[path]) : content[path]
            let value = try Node(json: response.payload)
            guard value == expected else {
                throw Complaint(description: "\(oldest.text) gave \(value.json), not \(expected.json)")
            }
        }
    }

    private func apply(_ push: DevicePush, _ text: String) throws {
        guard let data = push.data, let path = push.path.map({ Path($0) }) else {
            throw Complaint(description: "a push without data or path: \(text)")
        }
        let changes = push.action == "m" ? try Self.changes(data) : []
        let value = push.action == "d" ? try Self.value(data, at: path) : .empty
        let concerned = views.filter { key, view in
            (push.tag == nil || push.tag == view.tag) && (path.hasPrefix(key.path) || key.path.hasPrefix(path))
        }
        for key in concerned.keys {
            if push.action == "m" {
                applyMerge(changes, at: path, to: key, isTagged: push.tag != nil)
            } else if key.path.count > path.count {
                views[key]?.overwrite(.root, value.node(at: key.path.dropFirst(path.count)), isTagged: false)
            } else {
                views[key]?.overwrite(path.dropFirst(key.path.count), value, isTagged: push.tag != nil)
            }
            try checkUndivided(key, text)
        }
        if concerned.isEmpty && !isUnlistening { throw Complaint(description: "nobody listens to \(text)") }
        // Of several listens one may have told the others already.
        if let (key, view) = concerned.first, views.count == 1, !isUnlistening, view.isComplete,
            views[key]?.node == view.node
        {
            throw Complaint(description: "nothing changed by \(text)")
        }
    }

    private func applyMerge(_ changes: [(Path, Node)], at path: Path, to key: ListenKey, isTagged: Bool) {
        guard key.path.count > path.count else {
            views[key]?.merge(path.dropFirst(key.path.count), changes, isTagged: isTagged)
            return
        }
        let below = key.path.dropFirst(path.count)
        if let (place, value) = changes.first(where: { below.hasPrefix($0.0) && $0.0.last != .priority }) {
            views[key]?.overwrite(.root, value.node(at: below.dropFirst(place.count)), isTagged: isTagged)
            return
        }
        let within = changes.filter { $0.0.hasPrefix(below) }.map { ($0.0.dropFirst(below.count), $0.1) }
        if !within.isEmpty { views[key]?.merge(.root, within, isTagged: isTagged) }
    }

    /// No default view may ever show half of a commit: what it shows is what it showed, or what will be known at the end of
    /// the batch.
    private func checkUndivided(_ key: ListenKey, _ text: String) throws {
        guard batchesAreCommits, key.query == .default, let view = views[key], view.isComplete, let last = known[key]
        else { return }
        guard let end = (read - 1..<device.received.count).lazy.compactMap({ self.device.contents[$0] }).first else {
            return
        }
        guard view.node == last || view.node == end[key.path] else {
            throw Complaint(
                description: "/\(key.path) shows \(view.node.json) between \(last.json) and \(end[key.path].json), "
                    + "after \(text)")
        }
    }

    private func revoke(_ push: DevicePush) throws {
        guard let path = push.path.map({ Path($0) }) else { return }
        for key in views.keys where key.path == path { views[key] = nil }
    }

    private static func changes(_ json: String) throws -> [(Path, Node)] {
        var json = json
        return try json.withUTF8 { bytes in
            var changes: [(Path, Node)] = []
            var cursor = JSONCursor(UnsafeRawBufferPointer(bytes))
            try cursor.enterObject()
            while let name = try cursor.nextKey() { changes.append((Path(name), try cursor.readNode())) }
            if changes.isEmpty { throw Complaint(description: "an empty merge") }
            return changes
        }
    }

    private static func value(_ json: String, at path: Path) throws -> Node { try Node(json: json) }
}

extension Query {
    /// The query object as JSON.
    var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a query object; the whole node when it is none.
    init(_ json: String) throws {
        var json = json
        self = try json.withUTF8 { bytes in
            var cursor = JSONCursor(UnsafeRawBufferPointer(bytes))
            return try Query(cursor: &cursor)
        }
    }
}
