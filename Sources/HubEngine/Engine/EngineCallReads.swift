import DataTree
import SecurityRules

/// Calls that read.
extension Engine {
    func perform(_ read: CallRead, _ pending: PendingCall, _ caller: Caller) throws(CallRefusal) {
        if Self.isClientLocal(read.path) {
            return answer(pending, .value(.empty, hash: read.wantsHash ? "" : nil))
        }
        let place = WritePath(read.path)
        guard mayRead(caller.acting, place.node, read.query, over: .rest) else {
            metrics.denied["read"].add()
            throw .denied
        }
        // An order alone selects nothing, but clients of REST are told at once that a query with a limit would be refused.
        guard mayOrder(by: read.query.index, at: place.node) else {
            throw .invalid(CompiledRules.indexNotDefined(read.query.index, at: place.node))
        }
        let content = content(at: place.node)
        if place.isPriority {
            let priority = Node(priorityValue: content.priority)
            return answer(pending, .value(priority, hash: read.wantsHash ? priority.hash() : nil))
        }
        if read.query.filters, let result = indexedResult(of: read.query, at: place.node, node: content),
            !isLarge(result)
        {
            return answer(pending, .read(result, hash: read.wantsHash ? result.hash() : nil, read, from: content))
        }
        let isSimple = !read.query.filters && read.shallow == nil && !read.wantsHash
        if !isSimple && isLarge(content) {
            return wait(pending, for: .read(read, snapshot: content))
        }
        // A large node that is wanted as it is needs no work here: it is written out as the socket drains.
        let (node, hash) = read.apply(to: content)
        answer(pending, .read(node, hash: hash, read, from: content))
    }
}

extension CallAnswer {
    /// What was read from a node.
    static func read(_ result: Node, hash: String?, _ read: CallRead, from node: Node) -> CallAnswer {
        let isWindow = read.query.filters && result.isEmpty && !node.isEmpty && !node.isLeaf
        return isWindow ? .emptyWindow(hash: hash) : .value(result, hash: hash)
    }
}

extension CallRead {
    /// What the answer holds, given the node at the path.
    func apply(to node: Node) -> (node: Node, hash: String?) {
        var result = query.filters ? query.apply(to: node) : node
        if let shallow { result = shallow.result(of: result) }
        return (result, wantsHash ? result.hash() : nil)
    }
}
