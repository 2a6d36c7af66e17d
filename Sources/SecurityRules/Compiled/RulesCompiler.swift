import DataTree

/// Turns a tree of rules into the flat tables of `CompiledRules`, and notes the first mistake of each expression.
struct RulesCompiler {
    let source: SourceText
    let limits: RulesLimits
    private var places: [RuleNode?] = []
    private(set) var rules: [CompiledRules.Rule] = []
    private(set) var program = Program()
    private(set) var problems: [RulesProblem] = []

    init(source: SourceText, limits: RulesLimits) {
        self.source = source
        self.limits = limits
    }

    /// The places of the rules, the root first.
    var nodes: [RuleNode] { places.compactMap { $0 } }

    mutating func compile(_ tree: RuleTree) {
        _ = place(tree, name: "", parent: nil, captures: [:], depth: 0)
    }

    /// Adds a place and all below it. `captures` are the wildcards on the way, this place included, and their depths.
    private mutating func place(
        _ tree: RuleTree, name: Text, parent: Int32?, captures: [Text: Int32], depth: Int32
    ) -> RuleNode {
        let index = Int32(places.count)
        // Numbers go from the root down; the place itself is made when what is below it is there.
        places.append(nil)
        var rules: [RuleKind: Int32] = [:]
        for rule in tree.rules { rules[rule.kind] = compile(rule, node: index, captures: captures) }
        let children = tree.children.map { child in
            let name = Text(child.name)
            var captures = captures
            if child.isWildcard { captures[name] = depth + 1 }
            return place(child.tree, name: name, parent: index, captures: captures, depth: depth + 1)
        }
        let node = RuleNode(
            index: index, name: name, parent: parent, rules: rules,
            indexes: tree.indexes.map(RuleIndex.init), children: children)
        places[Int(index)] = node
        return node
    }

    private mutating func compile(_ rule: RuleTree.Rule, node: Int32, captures: [Text: Int32]) -> Int32? {
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
