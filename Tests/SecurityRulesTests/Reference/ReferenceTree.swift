import DataTree

/// Text as rules see it: UTF-16 code units.
typealias Units = [UInt16]

extension Units {
    init(_ text: String) { self = Array(text.utf16) }

    var text: String { String(decoding: self, as: UTF16.self) }
}

/// Data as a plain tree of dictionaries: the reference has no pages, keys or shared memory to be wrong about.
struct ReferenceTree: Equatable {
    enum Leaf: Equatable {
        case bool(Bool)
        case number(Double)
        case string(Units)
    }

    enum Priority: Equatable {
        case none
        case number(Double)
        case string(Units)
    }

    var leaf: Leaf?
    var children: [Units: ReferenceTree] = [:]
    var priority = Priority.none

    static let empty = ReferenceTree()

    var hasData: Bool { leaf != nil || !children.isEmpty }

    func at(_ path: [Units]) -> ReferenceTree {
        path.reduce(self) { tree, key in tree.children[key] ?? .empty }
    }

    /// This tree with another one at a path; what has no data is not there, nor is what has no child left.
    func setting(_ path: ArraySlice<Units>, to tree: ReferenceTree) -> ReferenceTree {
        guard let key = path.first else { return tree.hasData ? tree : .empty }
        var result = self
        let child = (children[key] ?? .empty).setting(path.dropFirst(), to: tree)
        if child.hasData {
            result.leaf = nil
            result.children[key] = child
        } else {
            result.children[key] = nil
        }
        return result.hasData ? result : .empty
    }

    /// Whether two trees have the same leaves, whatever their priorities.
    func hasValue(of other: ReferenceTree) -> Bool {
        leaf == other.leaf && children.count == other.children.count
            && children.allSatisfy { key, child in other.children[key].map(child.hasValue) ?? false }
    }

    /// The same data as the engine holds it.
    var node: Node {
        let priority: DataTree.Priority =
            switch priority {
            case .none: .none
            case .number(let number): .number(number)
            case .string(let units): .string(Text(units.text))
            }
        switch leaf {
        case .bool(let value): return Node(leaf: .bool(value), priority: priority)
        case .number(let value): return Node(leaf: .number(value), priority: priority)
        case .string(let units): return Node(leaf: .string(Text(units.text)), priority: priority)
        case nil: return Node(children: children.map { (Key($0.text), $1.node) }, priority: priority)
        }
    }
}
