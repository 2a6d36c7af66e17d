import DataTree

/// Turns a tree of rules into the flat tables of `CompiledRules`, and notes the first mistake of each expression.
struct RulesCompiler {
    let source: SourceText
    let limits: RulesLimits
    private(set) var nodes: [RuleNode] = []
    private(set) var rules: [CompiledRules.Rule] = []
    private(set) var program = Program()
    private(set) var problems: [RulesProblem] = []

    init(source: SourceText, limits: RulesLimits) {
        self.source = source
        self.limits = limits
    }

    mutating func compile(_ tree: RuleTree) {
        _ = place(tree, name: "", parent: nil, captures: [])
    }

    /// Adds a place and all below it. `captures` are the wildcards on the way, this place included.
    private mutating func place(_ tree: RuleTree, name: Text, parent: Int32?, captures: [Text]) -> Int32 {
        let index = Int32(nodes.count)
        var node = RuleNode(name: name, parent: parent)
        node.captureCount = captures.count
        node.indexes = tree.indexes.map(RuleIndex.init)
        for rule in tree.rules {
            let compiled = compile(rule, node: index, captures: captures)
            switch rule.kind {
            case .read: node.read = compiled
            case .write: node.write = compiled
            case .validate: node.validate = compiled
            }
        }
        nodes.append(node)
        for child in tree.children {
            let name = Text(child.name)
            if child.isWildcard {
                let place = place(child.tree, name: name, parent: index, captures: captures + [name])
                nodes[Int(place)].isWildcard = true
                node.wildcard = place
                if isValidated(place) { node.validatedWildcard = place }
            } else {
                let place = place(child.tree, name: name, parent: index, captures: captures)
                node.literals.append((Key(child.name), place))
            }
        }
        node.literals.sort { $0.key < $1.key }
        node.validatedLiterals = node.literals.filter { isValidated($0.node) }
        nodes[Int(index)] = node
        return index
    }

    /// Whether a place has a `.validate`, itself or below.
    private func isValidated(_ index: Int32) -> Bool {
        let node = nodes[Int(index)]
        return node.validate != nil || !node.validatedLiterals.isEmpty || node.validatedWildcard != nil
    }

    private mutating func compile(_ rule: RuleTree.Rule, node: Int32, captures: [Text]) -> Int32? {
        let first = Int32(program.operations.count)
        let text: DecodedString
        switch rule.value {
        case .literal(let value):
            text = DecodedString(value ? "true" : "false", at: rule.offset)
            let end = Int32(text.bytes.count)
            program.append(
                .bool(value), OperationNote(start: 0, end: end, type: .boolean, isSecret: false, isPlain: true))
        case .expression(let string):
            text = string
            do {
                let expression = try Parser.parse(string.bytes, nesting: limits.expressionNesting)
                let checked = try Checker.check(expression, in: RuleScope(kind: rule.kind, captures: captures))
                program.append(checked, captures: captures)
            } catch {
                let offset = string.fileOffset(of: error.offset)
                problems.append(RulesProblem(position: source.position(of: offset), text: error.text))
                return nil
            }
        }
        let end = Int32(program.operations.count)
        rules.append(
            CompiledRules.Rule(kind: rule.kind, node: node, operation: end - 1, operations: first..<end, text: text))
        return Int32(rules.count - 1)
    }
}
