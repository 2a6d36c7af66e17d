/// A rules file as it was uploaded, and the tree of rules in it.
///
/// The text is kept as it came, comments and all: that is what is stored and shown again.
struct RulesDocument: Sendable {
    let source: SourceText
    let tree: RuleTree

    /// Reads a file's bytes. Any bytes are fine as input; what is not rules is answered with problems.
    ///
    /// Problems inside expressions are not found here but when they are compiled. `problems` are those of the file's shape
    /// (keys, kinds of values); a file that is no JSON throws at once.
    init(
        _ bytes: [UInt8], limits: RulesLimits = RulesLimits(), problems: inout [RulesProblem]
    ) throws(RulesRefusal) {
        source = SourceText(bytes)
        let json = try Self.parse(source, limits: limits)
        var builder = RuleTreeBuilder(source: source, limits: limits)
        tree = builder.file(json)
        problems += builder.problems
    }

    private static func parse(_ source: SourceText, limits: RulesLimits) throws(RulesRefusal) -> RelaxedJSON {
        func refuse(_ offset: Int, _ text: String) -> RulesRefusal {
            RulesRefusal([RulesProblem(position: source.position(of: offset), text: text)])
        }
        guard source.bytes.count <= limits.textBytes else {
            throw refuse(0, "The rules are longer than \(limits.textBytes) bytes; leave out or shorten some.")
        }
        if let offset = source.bytes.firstInvalidUTF8 {
            throw refuse(offset, "The text is not UTF-8; save it as UTF-8.")
        }
        do {
            return try RelaxedJSONParser.parse(source.bytes)
        } catch {
            // The official service answers what does not even begin as an object with these words.
            let isObject = source.bytes.first { !" \t\r\n".utf8.contains($0) }
                .map { [UInt8(ascii: "{"), UInt8(ascii: "/"), 0xEF].contains($0) }
            throw refuse(error.offset, isObject == true ? error.text : "Parse error.")
        }
    }
}

/// Turns the JSON of a rules file into a tree of rules and notes what does not belong there.
private struct RuleTreeBuilder {
    let source: SourceText
    let limits: RulesLimits
    var problems: [RulesProblem] = []

    init(source: SourceText, limits: RulesLimits) {
        self.source = source
        self.limits = limits
    }

    /// The whole file: an object with exactly one key, `rules`.
    mutating func file(_ json: RelaxedJSON) -> RuleTree {
        guard case .object(let members) = json.content else {
            // The official service says of a text that it lacks the property.
            if case .string = json.content {
                note("Expected 'rules' property.", at: json.offset + 1)
            } else {
                note("Parse error.", at: json.offset)
            }
            return RuleTree()
        }
        guard members.contains(where: { $0.key.bytes.elementsEqual("rules".utf8) }) else {
            note("Expected 'rules' property.", at: json.offset + 1)
            return RuleTree()
        }
        var tree: RuleTree?
        for member in members {
            if !member.key.bytes.elementsEqual("rules".utf8) {
                note(
                    "Unexpected '\(member.key.string)' property; a rules file has 'rules' alone.", at: member.keyOffset)
            } else if tree != nil {
                noteDuplicate(member)
            } else if case .object(let members) = member.value.content {
                tree = place(members, captures: [], depth: 0)
            } else {
                note("Expected '{'.", at: member.value.offset)
                tree = RuleTree()
            }
        }
        return tree ?? RuleTree()
    }

    private mutating func place(_ members: [RelaxedJSON.Member], captures: [[UInt8]], depth: Int) -> RuleTree {
        var tree = RuleTree()
        var keys: Set<[UInt8]> = []
        for member in members {
            guard keys.insert(member.key.bytes).inserted else {
                noteDuplicate(member)
                continue
            }
            if let kind = RuleKind.allCases.first(where: { member.key.bytes.elementsEqual($0.key.utf8) }) {
                if let rule = rule(kind, member.value) { tree.rules.append(rule) }
            } else if member.key.bytes.elementsEqual(".indexOn".utf8) {
                tree.indexes = indexes(member.value)
            } else if let child = child(member, beside: tree.children, captures: captures, depth: depth) {
                tree.children.append(child)
            }
        }
        return tree
    }

    private mutating func rule(_ kind: RuleKind, _ value: RelaxedJSON) -> RuleTree.Rule? {
        switch value.content {
        case .bool(let bool): return RuleTree.Rule(kind: kind, value: .literal(bool), offset: value.offset)
        case .string(let text):
            if text.bytes.count > limits.expressionBytes {
                note(
                    "The expression is longer than \(limits.expressionBytes) bytes; split it over several levels.",
                    at: value.offset)
                return nil
            }
            return RuleTree.Rule(kind: kind, value: .expression(text), offset: value.offset)
        default:
            note("Invalid rule expression.  Expected 'true', 'false', or an expression string.", at: value.offset)
            return nil
        }
    }

    private mutating func indexes(_ value: RelaxedJSON) -> [String] {
        switch value.content {
        case .string(let text): return [text.string]
        case .array(let elements):
            var indexes: [String] = []
            for element in elements {
                guard case .string(let text) = element.content else { break }
                indexes.append(text.string)
            }
            if indexes.count == elements.count { return indexes }
        default: break
        }
        note("Invalid indexOn expression. Must be either a string or an array of strings", at: value.offset)
        return []
    }

    private mutating func child(
        _ member: RelaxedJSON.Member, beside siblings: [RuleTree.Child], captures: [[UInt8]], depth: Int
    ) -> RuleTree.Child? {
        guard case .object(let members) = member.value.content else {
            note("Expected '{'.", at: member.value.offset)
            return nil
        }
        let key = member.key.bytes
        let isWildcard = key.first == UInt8(ascii: "$")
        let forbidden = Array(".#$/[]".utf8)
        guard !(isWildcard ? key.dropFirst() : key[...]).contains(where: forbidden.contains) else {
            note("String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\"", at: member.keyOffset)
            return nil
        }
        guard !key.isEmpty, key.count <= limits.keyBytes else {
            note("A key has between 1 and \(limits.keyBytes) bytes; use another one.", at: member.keyOffset)
            return nil
        }
        guard depth < limits.depth else {
            note(
                "Rules have at most \(limits.depth) levels, as data has; leave out what is below.", at: member.keyOffset
            )
            return nil
        }
        var captures = captures
        if isWildcard {
            if let other = siblings.first(where: \.isWildcard) {
                note(
                    "Cannot have multiple default rules ('\(other.name)' and '\(member.key.string)').",
                    at: member.keyOffset)
                return nil
            }
            if captures.contains(key) {
                note("'\(member.key.string)' stands for a key above already; use another name.", at: member.keyOffset)
            }
            captures.append(key)
        }
        return RuleTree.Child(
            name: member.key.string, offset: member.keyOffset,
            tree: place(members, captures: captures, depth: depth + 1))
    }

    private mutating func noteDuplicate(_ member: RelaxedJSON.Member) {
        note("'\(member.key.string)' is here twice; leave one out.", at: member.keyOffset)
    }

    private mutating func note(_ text: String, at offset: Int) {
        problems.append(RulesProblem(position: source.position(of: offset), text: text))
    }
}

extension [UInt8] {
    /// Where the bytes stop being UTF-8; nil if they are UTF-8 throughout.
    fileprivate var firstInvalidUTF8: Int? {
        if String(validating: self, as: UTF8.self) != nil { return nil }
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }
}
