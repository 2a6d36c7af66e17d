import DataTree

/// Priorities of nodes that are not there while the log is redone on a state that a crash left half written, although
/// they were there all the time.
///
/// A state with parts of later entries may lack the children that kept a node alive until others came: redoing the
/// deletion of one more makes it vanish with its priority, and no entry names the node, because nothing happened to it. A
/// mutation names the highest node whose existence changed. So whenever a node above the named one vanishes or comes into
/// being in redo, it was there before and after in truth, with the priority that is kept here.
struct MissingPriorities: Sendable {
    private var priorities: [Path: Priority] = [:]

    init() {}

    /// - Parameter orphans: priorities of objects whose children are missing from the start.
    init(_ orphans: [(path: Path, priority: Priority)]) {
        for (path, priority) in orphans { priorities[path] = priority }
    }

    mutating func redo(_ mutation: LogEntry.Mutation, in tree: inout Node) {
        if !priorities.isEmpty { priorities = priorities.filter { !$0.key.hasPrefix(mutation.path) } }
        let change = tree.set(mutation.node, at: mutation.path)
        for depth in change.path.count..<max(change.path.count, mutation.path.count) {
            let path = mutation.path.prefix(depth)
            if change.new.isEmpty {
                let priority = change.old.node(at: path.dropFirst(change.path.count)).priority
                if priority != .none { priorities[path] = priority }
            } else if let priority = priorities.removeValue(forKey: path) {
                tree.setPriority(priority, at: path)
            }
        }
    }
}
