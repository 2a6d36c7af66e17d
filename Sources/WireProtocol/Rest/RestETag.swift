import DataTree

/// Entity tags: the hash under which clients of all transports know a node, priorities included.
package enum RestETag {
    /// The tag of a place where nothing is.
    package static let absent = "null_etag"

    /// The tag of a node, sent without quotes.
    package static func tag(of node: Node) -> String { node.isEmpty ? absent : node.hash() }

    /// One tag out of a condition's header: clients echo it as it was, others put it in quotes or mark it as weak, as
    /// proxies do that compress. Nil for a list, a star, or nothing.
    static func tag(inCondition header: String) -> String? {
        var tag = header[...]
        while tag.first == " " || tag.first == "\t" { tag.removeFirst() }
        while tag.last == " " || tag.last == "\t" { tag.removeLast() }
        if tag.hasPrefix("W/\"") { tag = tag.dropFirst(2) }
        if tag.count >= 2, tag.first == "\"", tag.last == "\"" { tag = tag.dropFirst().dropLast() }
        guard !tag.isEmpty, tag != "*", !tag.contains(where: { ", \t\"".contains($0) }) else { return nil }
        return String(tag)
    }
}
