import DataTree

/// What an `.indexOn` names: the children of its place may be ordered by it.
package enum RuleIndex: Hashable, Sendable {
    case value
    /// A child or a path of children.
    case path(Path)

    /// Reads `.value` or a child path as the file spells it.
    package init(_ text: String) {
        self = text.utf8.elementsEqual(".value".utf8) ? .value : .path(Path(text))
    }
}

extension CompiledRules {
    /// The indexes declared for the children of a place; those of places above or below do not count.
    package func indexes(at path: Path) -> [RuleIndex] {
        var node = nodes[0]
        for key in path.keys {
            guard let child = node.child(key) else { return [] }
            node = child
        }
        return node.indexes
    }

    /// Whether the children of a place may be ordered that way. Order by key or by priority needs no index.
    package func isIndexed(_ index: Query.Index, at path: Path) -> Bool {
        switch index {
        case .key, .priority: true
        case .value: indexes(at: path).contains(.value)
        case .path(let child): indexes(at: path).contains(.path(child))
        }
    }

    /// What a read is answered whose order has no index, as the official service says it.
    package static func indexNotDefined(_ index: Query.Index, at path: Path) -> String {
        let name =
            switch index {
            case .key: ".key"
            case .value: ".value"
            case .priority: ".priority"
            case .path(let child): child.description
            }
        return "Index not defined, add \".indexOn\": \"\(name)\", for path \"/\(path)\", to the rules"
    }
}
