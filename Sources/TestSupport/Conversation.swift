import DataTree

/// A recorded exchange between clients and a hub, as kept in `protocol/conversations/*.jsonl`. The form is described in
/// `protocol/conversations/README.md`.
package struct Conversation: Sendable, CustomStringConvertible {
    package var description: String { "\(file):\(line) \(title)" }

    /// The file's name.
    package var file: String
    /// The line with which it begins, from 1.
    package var line: Int
    /// What it shows, in one sentence.
    package var title: String
    /// The numbers of the conformance checks that it proves (`protocol/checks.md`).
    package var checks: [Int]
    /// What the host must be able to do.
    package var needs: Set<String>
    package var steps: [Step]
    /// The value of `rules` in the rules file that its database has; nil for one in which everything is permitted.
    package var rules: ConversationJSON?
    /// Whether a second namespace is spoken of.
    var usesOtherNamespace = false

    /// One line, or one element of a repeated list.
    package struct Step: Sendable {
        /// The line in the file, from 1.
        package var line: Int
        package var kind: Kind
    }

    package enum Kind: Sendable {
        case open(String, Opening)
        /// The hub refuses the connection with the status.
        case refused(String, Opening, status: Int)
        case response(String, status: Int, with: [String: ConversationJSON], without: [String])
        case send(String, ConversationJSON)
        case sendText(String, String)
        case sendSegments(String, ConversationJSON, units: Int, between: [String])
        case expect(String, ConversationJSON, isSegmented: Bool?)
        case expectAnyOrder(String, [ConversationJSON])
        case expectNothing(String, Duration)
        case expectClose(String, code: Int?)
        case sees(String, path: String, tag: Int?, value: ConversationJSON)
        case end(String, ConversationEnding)
        case bind([(name: String, value: ConversationJSON)])
        case wait(Duration)
        case repeated(Int, [Step])
    }

    package struct Opening: Sendable {
        /// Parameters after `v` and `ns`.
        package var query: String
        /// Whether `ns` is in the target; without it the Host header names the namespace.
        package var namesNamespace: Bool
        package var headers: [(name: String, value: String)]
        /// Whether the hello is read and looked at as part of opening.
        package var readsGreeting: Bool
        /// Whether the client polls instead of opening a WebSocket.
        package var polls = false
    }
}

/// A conversation that cannot be read.
package struct MalformedConversation: Error, CustomStringConvertible {
    package var file: String
    package var line: Int
    package var reason: String

    package var description: String {
        "\(file):\(line): \(reason); see protocol/conversations/README.md for the form"
    }
}

extension Conversation {
    /// Its rules as a file, if it has any.
    package var rulesText: String? { rules.map { #"{"rules":\#($0.json)}"# } }

    /// Reads the conversations of a file: for each a line that says what it is about, then a step a line. Empty lines and lines
    /// that begin with `#` are skipped.
    package static func read(file: String, text: String) throws(MalformedConversation) -> [Conversation] {
        var conversations: [Conversation] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy(\.isWhitespace) || line.hasPrefix("#") { continue }
            let reader = ConversationReader(file: file, line: index + 1)
            let value = try reader.json(line)
            if value["conversation"] != nil {
                conversations.append(try reader.header(value))
            } else if conversations.isEmpty {
                throw MalformedConversation(file: file, line: index + 1, reason: "a step before the first conversation")
            } else {
                let last = conversations.count - 1
                conversations[last].steps.append(try reader.step(value))
                if line.contains("${otherNamespace}") { conversations[last].usesOtherNamespace = true }
            }
        }
        return conversations
    }
}

/// Reads the steps of one line.
private struct ConversationReader {
    let file: String
    let line: Int

    func json(_ text: Substring) throws(MalformedConversation) -> ConversationJSON {
        do throws(JSONError) {
            return try ConversationJSON(String(text))
        } catch {
            throw wrong("no JSON: \(error)")
        }
    }

    func header(_ value: ConversationJSON) throws(MalformedConversation) -> Conversation {
        guard let title = value["conversation"]?.text, case .array(let checks)? = value["checks"] else {
            throw wrong("a conversation begins with a text \"conversation\" and a list \"checks\"")
        }
        var needs: Set<String> = []
        if case .array(let list)? = value["needs"] { needs = Set(list.compactMap(\.text)) }
        var conversation = Conversation(
            file: file, line: line, title: title, checks: checks.compactMap(\.integer), needs: needs, steps: [])
        conversation.rules = value["rules"]
        return conversation
    }

    func step(_ value: ConversationJSON) throws(MalformedConversation) -> Conversation.Step {
        Conversation.Step(line: line, kind: try kind(value))
    }

    private func kind(_ value: ConversationJSON) throws(MalformedConversation) -> Conversation.Kind {
        guard case .object(let members) = value, let first = members.first else { throw wrong("a step is an object") }
        switch first.name {
        case "open": return try open(value, try text(first.value, "open"))
        case "let":
            guard case .object(let bindings) = first.value else { throw wrong("\"let\" wants an object") }
            return .bind(bindings)
        case "wait": return .wait(.milliseconds(try integer(first.value, "wait")))
        case "times":
            guard case .array(let list)? = value["do"] else { throw wrong("\"times\" wants a list \"do\"") }
            var steps: [Conversation.Step] = []
            for element in list { steps.append(try step(element)) }
            return .repeated(try integer(first.value, "times"), steps)
        default: break
        }
        guard let mark = first.name.firstIndex(where: { !$0.isLetter && !$0.isNumber }), mark != first.name.startIndex
        else {
            throw wrong("unknown step \"\(first.name)\"")
        }
        let connection = String(first.name[..<mark])
        switch first.name[mark...] {
        case ">": return .send(connection, first.value)
        case ">text": return .sendText(connection, try text(first.value, ">text"))
        case ">segments":
            let units = try value["units"].map { (units) throws(MalformedConversation) in try integer(units, "units") }
            var between: [String] = []
            if case .array(let texts)? = value["between"] { between = texts.compactMap(\.text) }
            return .sendSegments(connection, first.value, units: units ?? 16_384, between: between)
        case "<":
            var isSegmented: Bool?
            if let value = value["segmented"] { isSegmented = value.isTrue }
            return .expect(connection, first.value, isSegmented: isSegmented)
        case "<any order":
            guard case .array(let list) = first.value else { throw wrong("\"<any order\" wants a list") }
            return .expectAnyOrder(connection, list)
        case "<none": return .expectNothing(connection, .milliseconds(first.value.integer ?? 200))
        case "<close": return .expectClose(connection, code: first.value.integer)
        case "<response":
            var without: [String] = []
            if case .array(let names)? = value["without"] { without = names.compactMap(\.text) }
            var headers: [String: ConversationJSON] = [:]
            if case .object(let members)? = value["with"] {
                for member in members { headers[member.name] = member.value }
            }
            return .response(connection, status: try integer(first.value, "<response"), with: headers, without: without)
        case " sees":
            guard let expected = value["is"] else { throw wrong("\"sees\" wants \"is\"") }
            return .sees(
                connection, path: try text(first.value, "sees"), tag: value["tag"]?.integer, value: expected)
        case "!":
            guard let how = first.value.text.flatMap(ConversationEnding.init(rawValue:)) else {
                throw wrong("\"!\" wants close, end, reset or vanish")
            }
            return .end(connection, how)
        default: throw wrong("unknown step \"\(first.name)\"")
        }
    }

    private func open(_ value: ConversationJSON, _ name: String) throws(MalformedConversation) -> Conversation.Kind {
        var headers: [(name: String, value: String)] = []
        if case .object(let members)? = value["headers"] {
            for member in members { headers.append((member.name, try text(member.value, "headers"))) }
        }
        var opening = Conversation.Opening(
            query: value["query"]?.text ?? "", namesNamespace: true, headers: headers, readsGreeting: true)
        if case .bool(false)? = value["namespace"] { opening.namesNamespace = false }
        if case .bool(false)? = value["greeting"] { opening.readsGreeting = false }
        if case .bool(true)? = value["polls"] { opening.polls = true }
        if let status = value["refused"] { return .refused(name, opening, status: try integer(status, "refused")) }
        return .open(name, opening)
    }

    private func text(_ value: ConversationJSON, _ name: String) throws(MalformedConversation) -> String {
        guard let text = value.text else { throw wrong("\"\(name)\" wants a text") }
        return text
    }

    private func integer(_ value: ConversationJSON, _ name: String) throws(MalformedConversation) -> Int {
        guard let integer = value.integer else { throw wrong("\"\(name)\" wants an integer") }
        return integer
    }

    private func wrong(_ reason: String) -> MalformedConversation {
        MalformedConversation(file: file, line: line, reason: reason)
    }
}
