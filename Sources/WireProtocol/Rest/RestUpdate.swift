import DataTree

/// The changes of a PATCH: names as sent become paths.
package enum RestUpdate {
    /// Checks the names and what has to do with the place of the update; what is below the names was checked by
    /// `UpdateDecoder`.
    /// - Parameters:
    ///   - path: where the update was sent.
    ///   - depth: `UpdateDecoder.depth`.
    /// - Returns: paths relative to `path`, in the order in which they were sent. One that ends in `.priority` comes with
    ///   the priority as a leaf.
    package static func changes(
        _ changes: [(name: Key, node: Node)], at path: Path, depth: Int, limits: WriteLimits = WriteLimits()
    ) throws(RestError) -> [(Path, Node)] {
        let validation = WriteValidation(limits: limits)
        var result: [(Path, Node)] = []
        result.reserveCapacity(changes.count)
        for (name, node) in changes {
            let relative = name.withUTF8 { Path(utf8: $0) }
            do throws(WriteError) {
                guard !relative.isRoot else { throw .emptyKey(in: path) }
                let place = path.appending(relative)
                try validation.validate(path: place)
                if relative.last == .priority, Priority(node) == nil { throw .notAPriority(place) }
            } catch {
                throw RestError(error, inChange: name)
            }
            result.append((relative, node))
        }
        do throws(WriteError) {
            try validation.validate(depth: depth, at: path)
            try validation.validateDistinct(result.map(\.0), at: path)
        } catch {
            throw RestError(error)
        }
        return result
    }
}
