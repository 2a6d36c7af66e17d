/// One index at one path: where its order comes from, and the windows that use it.
struct IndexSlot: Sendable {
    enum State: Sendable {
        /// The node is in this order by itself.
        case natural
        case ready(ChildIndex)
        /// Needed, and too large to be built on the spot; nobody builds it yet.
        case missing
        /// A build is under way; the children that changed since its snapshot are put right when it is done.
        case building(IndexBuild, changedKeys: Set<Key>)
    }

    let index: Query.Index
    var state: State
    /// Kept without windows, for a declared index.
    var isPinned = false
    var windows: WindowSet

    init(index: Query.Index, state: State) {
        self.index = index
        self.state = state
        windows = WindowSet(index: index)
    }

    /// The children of `node` in this order, nil while the index is not there.
    func order(in node: Node) -> ChildOrder? {
        switch state {
        case .natural: .node(node)
        case .ready(let index): .index(index)
        case .missing, .building: nil
        }
    }

    var isReady: Bool {
        switch state {
        case .natural, .ready: true
        case .missing, .building: false
        }
    }

    /// The state for a node of which nothing is known yet.
    static func initialState(of index: Query.Index, for node: Node, inlineCount: Int) -> State {
        if ChildOrder.isNatural(index, for: node) { return .natural }
        return node.childCount <= inlineCount ? .ready(ChildIndex(of: node, by: index)) : .missing
    }

    /// Brings the order forward over one commit.
    mutating func follow(_ changes: [IndexedChange], to node: Node, inlineCount: Int) {
        switch state {
        case .natural:
            if !ChildOrder.isNatural(index, for: node) {
                state = Self.initialState(of: index, for: node, inlineCount: inlineCount)
            }
        case .ready(var content):
            // The slot lets go of its copy first, so that pages are changed in place.
            state = .missing
            for change in changes { content.update(change.old, to: change.new) }
            state = .ready(content)
        case .missing:
            break
        case .building(let build, var keys):
            state = .missing
            for change in changes { keys.insert(change.change.key) }
            state = .building(build, changedKeys: keys)
        }
    }
}
