import DataTree
import WireProtocol

extension RestRequest.Shallow {
    /// What is shown of a node: its children, each as `true`, in key order; anything but an object as it is.
    func result(of node: Node) -> Node {
        if node.isLeaf || node.isEmpty { return node.withPriority(.none) }
        var children: [(Key, Node)] = []
        let present = Node(leaf: .bool(true))
        node.forEachChild(from: startAfter) { key, _ in
            if key != startAfter { children.append((key, present)) }
            return limit.map { children.count < $0 } ?? true
        }
        return Node(children: children)
    }
}
