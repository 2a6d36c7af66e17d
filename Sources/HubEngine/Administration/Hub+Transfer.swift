import DataTree

/// What a namespace holds at one moment, for taking elsewhere.
package struct NamespaceExport: Sendable {
    package var namespace: String
    package var path: Path
    /// When, milliseconds since 1970.
    package var time: Int64
    /// The node at the path; the presence node is not part of it.
    package var node: Node
    /// The rules in force as they were written; nil while nobody has given the namespace any.
    package var rules: String?
}

/// Taking data out of namespaces and bringing it in.
extension Hub {
    /// Tells what is at a path at one moment, once all of that is durable.
    /// - Parameter reply: called once; nil when the namespace cannot be reached. It must not wait.
    package func export(
        _ namespace: String, path: Path, _ reply: @escaping @Sendable (NamespaceExport?) -> Void
    ) throws(NamespaceRefusal) {
        try ask(namespace, otherwise: nil, reply) { engine in
            NamespaceExport(
                namespace: namespace, path: path, time: engine.now, node: engine.tree.node(at: path),
                rules: engine.rulesHistory.current?.text)
        }
    }

    /// Brings data into a namespace, as a whole or not at all; `request.reply` is told.
    package func importData(_ request: DataImport, into namespace: String) throws(NamespaceRefusal) {
        let database = try database(namespace)
        work.add {
            var request = request
            request.prepared = [PreparedText(request.node, above: database.limits.inlineLeaves)].compactMap { $0 }
            database.post([.administer(.importData(request))])
        }
    }
}
