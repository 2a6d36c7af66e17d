import DataTree

/// Why a replay failed, with all that is needed to see it: the file and line, what was expected, what came, and what went before.
package struct ConversationFailure: Error, CustomStringConvertible {
    package var file: String
    package var line: Int
    package var title: String
    package var reason: String
    /// The last messages of the exchange, oldest first.
    package var recent: [String]

    package var description: String {
        "protocol/conversations/\(file):\(line): \(reason)\n  in \"\(title)\""
            + recent.map { "\n    \($0)" }.joined()
    }
}

/// Runs conversations against a host, all with the same rules whatever the host is.
///
/// ```swift
/// let replayer = ConversationReplayer(host: host)
/// let outcome = try replayer.replay(conversation)     // throws ConversationFailure
/// ```
package struct ConversationReplayer {
    package enum Outcome: Equatable, Sendable {
        case passed
        /// The host cannot do what the conversation needs.
        case skipped(missing: [String])
    }

    private let host: any ConversationHost
    /// How long an expected message may take.
    private let patience: Duration

    package init(host: any ConversationHost, patience: Duration = .seconds(5)) {
        self.host = host
        self.patience = patience
    }

    /// Replays one conversation in a namespace of its own.
    package func replay(_ conversation: Conversation) throws -> Outcome {
        let missing = conversation.needs.subtracting(host.capabilities)
        guard missing.isEmpty else { return .skipped(missing: missing.sorted()) }
        var run = ConversationRun(host: host, conversation: conversation, patience: patience)
        try run.start()
        try run.perform(conversation.steps)
        run.finish()
        return .passed
    }
}

/// One replay under way.
private struct ConversationRun {
    let host: any ConversationHost
    let conversation: Conversation
    let patience: Duration
    private var variables = ConversationVariables()
    private var connections: [String: ConversationPeer] = [:]
    private var recent: [String] = []
    private var line: Int

    init(host: any ConversationHost, conversation: Conversation, patience: Duration) {
        self.host = host
        self.conversation = conversation
        self.patience = patience
        line = conversation.line
    }

    mutating func start() throws {
        variables["namespace"] = .text(try host.emptyNamespace())
        if conversation.usesOtherNamespace { variables["otherNamespace"] = .text(try host.emptyNamespace()) }
        variables["host"] = .text(host.defaultHost)
        if let secret = host.administratorSecret { variables["secret"] = .text(secret) }
    }

    /// Closes what is still open, so that one conversation leaves nothing for the next.
    func finish() {
        for peer in connections.values { try? peer.connection.end(.close) }
    }

    mutating func perform(_ steps: [Conversation.Step]) throws {
        for step in steps {
            line = step.line
            do {
                try perform(step.kind)
            } catch let failure as ConversationFailure {
                throw failure
            } catch {
                throw failed("\(error)")
            }
        }
    }

    private mutating func perform(_ kind: Conversation.Kind) throws {
        variables.milliseconds = host.milliseconds
        switch kind {
        case .open(let name, let opening): try open(name, opening)
        case .refused(let name, let opening, let status): try refused(name, opening, status)
        case .response(let name, let status, let with, let without): try check(name, status, with, without)
        case .send(let name, let value): try send(name, variables.filled(value).json)
        case .sendText(let name, let text): try send(name, variables.textual(text))
        case .sendSegments(let name, let value, let units, let between):
            try sendSegments(name, variables.filled(value).json, units, between)
        case .expect(let name, let pattern, let isSegmented): try expect(name, pattern, isSegmented)
        case .expectAnyOrder(let name, let patterns): try expectAnyOrder(name, patterns)
        case .expectNothing(let name, let duration): try expectNothing(name, duration)
        case .expectClose(let name, let code): try expectClose(name, code)
        case .sees(let name, let path, let tag, let value):
            try sees(name, Path(variables.textual(path)), tag, variables.filled(value))
        case .end(let name, let how):
            note("\(name)! \(how.rawValue)")
            try peer(name).connection.end(how)
        case .bind(let bindings): for binding in bindings { variables[binding.name] = generated(binding.value) }
        case .wait(let duration): host.wait(duration)
        case .repeated(let times, let steps):
            for index in 0..<times {
                variables["n"] = .number(Double(index))
                variables["next"] = .number(Double(index + 1))
                try perform(steps)
            }
        }
    }

    // MARK: Opening

    private mutating func target(_ opening: Conversation.Opening) -> (String, [(name: String, value: String)]) {
        var target = opening.polls ? "/.lp?v=5" : "/.ws?v=5"
        if opening.namesNamespace { target += "&ns=" + variables.textual("${namespace}") }
        if !opening.query.isEmpty { target += "&" + variables.textual(opening.query) }
        var headers = opening.headers.map { (name: $0.name, value: variables.textual($0.value)) }
        if !headers.contains(where: { $0.name.lowercased() == "host" }) { headers.append(("Host", host.defaultHost)) }
        return (target, headers)
    }

    private mutating func open(_ name: String, _ opening: Conversation.Opening) throws {
        let (target, headers) = target(opening)
        note("\(name): GET \(target)")
        connections[name] = ConversationPeer(connection: try host.open(target: target, headers: headers))
        guard opening.readsGreeting else { return }
        let host = headers.last { $0.name.lowercased() == "host" }?.value ?? ""
        try expect(name, ConversationRun.greeting(host: host, session: "\(name).session"), nil)
    }

    /// The shape of every hello; its session gets a name.
    private static func greeting(host: String, session: String) -> ConversationJSON {
        .object([
            ("t", .text("c")),
            (
                "d",
                .object([
                    ("t", .text("h")),
                    (
                        "d",
                        .object([
                            ("ts", .text("$time")), ("v", .text("5")), ("h", .text(host)),
                            ("s", .text("$text:\(session)")), ("w", .number(1)),
                        ])
                    ),
                ])
            ),
        ])
    }

    private mutating func refused(_ name: String, _ opening: Conversation.Opening, _ status: Int) throws {
        let (target, headers) = target(opening)
        note("\(name): GET \(target)")
        let connection: any ConversationConnection
        do {
            connection = try host.open(target: target, headers: headers)
        } catch {
            guard "\(error)".contains("\(status)") else { throw failed("expected status \(status), got: \(error)") }
            return
        }
        guard connection.response?.status == status else {
            throw failed("expected status \(status), the connection opened")
        }
    }

    private mutating func check(
        _ name: String, _ status: Int, _ with: [String: ConversationJSON], _ without: [String]
    ) throws {
        guard let response = try peer(name).connection.response else { throw failed("this host shows no response") }
        if response.status != status { throw failed("expected status \(status), got \(response.status)") }
        for (header, pattern) in with {
            guard let value = response.headers.first(where: { $0.name == header })?.value else {
                throw failed("the header \(header) is missing")
            }
            if let reason = variables.mismatch(.text(value), pattern, at: header) { throw failed(reason) }
        }
        for header in without where response.headers.contains(where: { $0.name == header }) {
            throw failed("the header \(header) is not expected")
        }
    }

    // MARK: Sending

    private mutating func send(_ name: String, _ text: String) throws {
        note("\(name)> \(text)")
        try peer(name).connection.send(text: text)
    }

    private mutating func sendSegments(_ name: String, _ text: String, _ units: Int, _ between: [String]) throws {
        var segments: [String] = []
        var rest = text.utf16[...]
        while !rest.isEmpty {
            segments.append(String(decoding: rest.prefix(units), as: UTF16.self))
            rest = rest.dropFirst(units)
        }
        try send(name, String(segments.count))
        for (index, segment) in segments.enumerated() {
            try send(name, segment)
            if index < segments.count - 1 { for text in between { try send(name, text) } }
        }
    }

    // MARK: Expecting

    private mutating func next(_ name: String, within: Duration) throws -> ConversationPeer.Received? {
        let received = try peer(name).receive(within: within)
        switch received {
        case .message(let value, _)?: note("<\(name) \(ConversationVariables.short(value))")
        case .closed(let code)?: note("<\(name) closed\(code.map { " with \($0)" } ?? "")")
        case nil: break
        }
        return received
    }

    private mutating func expect(_ name: String, _ pattern: ConversationJSON, _ isSegmented: Bool?) throws {
        switch try next(name, within: patience) {
        case .message(let value, let segments)?:
            if let reason = variables.mismatch(value, pattern) { throw failed(reason) }
            guard let isSegmented, isSegmented != (segments > 1) else { return }
            throw failed("expected the message \(isSegmented ? "in segments" : "alone"), got \(segments) segments")
        case .closed(let code)?:
            throw failed(
                "expected \(described(pattern)), got the end of the connection (\(code.map(String.init) ?? "no code"))")
        case nil: throw failed("expected \(described(pattern)), got nothing within \(patience)")
        }
    }

    private mutating func expectAnyOrder(_ name: String, _ patterns: [ConversationJSON]) throws {
        var open = patterns
        while !open.isEmpty {
            guard case .message(let value, _)? = try next(name, within: patience) else {
                throw failed("expected \(open.map(described).joined(separator: " and ")), got no more messages")
            }
            let match = open.firstIndex { pattern in
                var trial = variables
                return trial.mismatch(value, pattern) == nil
            }
            guard let match else {
                throw failed(
                    "got \(ConversationVariables.short(value)), which is none of \(open.map(described).joined(separator: ", "))"
                )
            }
            _ = variables.mismatch(value, open.remove(at: match))
        }
    }

    private mutating func expectNothing(_ name: String, _ duration: Duration) throws {
        switch try next(name, within: duration) {
        case .message(let value, _)?: throw failed("expected nothing, got \(ConversationVariables.short(value))")
        case .closed?: throw failed("expected nothing, got the end of the connection")
        case nil: return
        }
    }

    private mutating func expectClose(_ name: String, _ code: Int?) throws {
        switch try next(name, within: patience) {
        case .closed(let actual)?:
            guard let code, code != actual, try peer(name).connection.showsCloseCodes else { return }
            throw failed("expected close code \(code), got \(actual.map(String.init) ?? "none")")
        case .message(let value, _)?:
            throw failed("expected the end of the connection, got \(ConversationVariables.short(value))")
        case nil: throw failed("expected the end of the connection, got nothing within \(patience)")
        }
    }

    /// Reads on until the client's picture of the path is `value`.
    private mutating func sees(_ name: String, _ path: Path, _ tag: Int?, _ value: ConversationJSON) throws {
        let deadline = ContinuousClock.now + patience
        while true {
            let picture = try peer(name).picture(at: path, tag: tag)
            let shown = try ConversationJSON(picture.json)
            guard let reason = variables.mismatch(shown, value, at: "the picture of /\(path)") else { return }
            guard case .message? = try next(name, within: max(deadline - .now, .zero)) else { throw failed(reason) }
        }
    }

    // MARK: Parts

    private func peer(_ name: String) throws -> ConversationPeer {
        guard let peer = connections[name] else { throw failed("no connection \(name) was opened") }
        return peer
    }

    /// A value of `let`: a repeated text, an unsigned token, or itself.
    private func generated(_ value: ConversationJSON) -> ConversationJSON {
        if let text = value["repeat"]?.text, let times = value["times"]?.integer {
            return .text(String(repeating: text, count: times))
        }
        guard case .object(let claims)? = value["token"], let seconds = value["seconds"]?.integer else {
            return variables.filled(value)
        }
        let now = Double(host.milliseconds / 1_000)
        let payload = ConversationJSON.object(
            claims + [("iat", .number(now)), ("exp", .number(now + Double(seconds)))])
        return .text(
            [#"{"alg":"none","type":"JWT"}"#, payload.json].map(ConversationRun.base64URL).joined(separator: ".") + ".")
    }

    /// RFC 4648, section 5, without padding.
    private static func base64URL(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var result = ""
        var bits = 0
        var count = 0
        for byte in text.utf8 {
            bits = (bits << 8 | Int(byte)) & 0xFFFF
            count += 8
            while count >= 6 {
                count -= 6
                result.append(alphabet[bits >> count & 63])
            }
        }
        if count > 0 { result.append(alphabet[bits << (6 - count) & 63]) }
        return result
    }

    private func described(_ pattern: ConversationJSON) -> String { ConversationVariables.short(pattern) }

    private mutating func note(_ text: String) {
        recent.append(text.utf8.count <= 320 ? text : "\(text.prefix(320))…")
        if recent.count > 12 { recent.removeFirst() }
    }

    private func failed(_ reason: String) -> ConversationFailure {
        ConversationFailure(
            file: conversation.file, line: line, title: conversation.title, reason: reason, recent: recent)
    }
}
