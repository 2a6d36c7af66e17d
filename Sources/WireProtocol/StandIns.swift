import DataTree

// Until the tree has them: hashes of ranges and the ranges that differ.

package struct CompoundHash: Sendable {
    package var hashes: [String]
    package var paths: [Path]
    package init(hashes: [String], paths: [Path]) {
        self.hashes = hashes
        self.paths = paths
    }
}

package struct RangeMerge: Sendable {
    package var start: Path?
    package var end: Path?
    package var node: Node
    package init(start: Path?, end: Path?, node: Node) {
        self.start = start
        self.end = end
        self.node = node
    }
}
