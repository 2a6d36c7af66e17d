import DataTree

/// Turns what a listen is told into the events of a stream (`protocol/rest.md`, "Event streams").
///
/// Event streams do not show priorities: a change of nothing else is no event. It keeps no data; whoever holds the
/// listen must see to it that the first push is the whole node.
package struct EventStreamTranslator: Sendable {
    /// Where the stream was opened.
    package let root: Path
    private let largeBytes: Int

    /// - Parameter largeBytes: values of more bytes are not written at once.
    package init(root: Path, largeBytes: Int = 65_536) {
        self.root = root
        self.largeBytes = largeBytes
    }

    /// The events that tell `content`; none for what the stream does not show. After those of a revocation the stream
    /// ends.
    package func events(for content: PushContent) -> [EventPart] {
        var builder = EventBuilder(largeBytes: largeBytes)
        switch content {
        case .data(let path, let node, let updatedAt):
            guard let change = seen(path, node) else { return [] }
            write([change], bases: [updatedAt].compactMap(relative), to: &builder)
        case .merge(let path, let changes, let updatedAt):
            let visible = changes.compactMap { seen(path.appending($0.0), $0.1) }
            guard !visible.isEmpty else { return [] }
            // Where the update was sent is what its sender thinks of; where the changes meet will do as well. An update
            // sent above the stream is one at its root.
            let meeting = path.hasPrefix(root) ? path.dropFirst(root.count) : .root
            write(visible, bases: [updatedAt].compactMap(relative) + [meeting], to: &builder)
        case .listenRevoked: builder.append(EventStream.permissionDenied)
        case .authRevoked: builder.append(EventStream.authRevoked)
        case .response, .greeting: break
        }
        return builder.finish()
    }

    /// A place at or below the root, relative to it.
    private func relative(_ path: Path?) -> Path? {
        guard let path, path.hasPrefix(root) else { return nil }
        return path.dropFirst(root.count)
    }

    /// A change as it is seen from the root: at or below it; of one above it, what it means for the root.
    private func seen(_ path: Path, _ node: Node) -> (Path, Node)? {
        if path.last == .priority { return nil }
        if let relative = relative(path) { return (relative, node) }
        guard root.hasPrefix(path) else { return nil }
        return (.root, node.node(at: root.dropFirst(path.count)))
    }

    /// Writes one patch at the first of `bases` whose children all changes are. Without such a place the changes that
    /// are children of the first base make one patch, and each other change is a put of its own: simple clients know
    /// names of one level only.
    private func write(_ changes: [(Path, Node)], bases: [Path], to builder: inout EventBuilder) {
        for base in bases {
            let children = changes.compactMap { child($0, of: base) }
            if children.count == changes.count { return builder.patch(base, children) }
        }
        if let base = bases.first {
            let children = changes.compactMap { child($0, of: base) }
            if !children.isEmpty { builder.patch(base, children) }
            for change in changes where child(change, of: base) == nil { builder.put(change.0, change.1) }
        } else {
            for change in changes { builder.put(change.0, change.1) }
        }
    }

    private func child(_ change: (Path, Node), of base: Path) -> (Key, Node)? {
        guard let key = change.0.last, change.0.count == base.count + 1, change.0.hasPrefix(base) else { return nil }
        return (key, change.1)
    }
}
