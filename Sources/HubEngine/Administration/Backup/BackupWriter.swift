import DataTree

/// Writes backups of namespaces as text, in slices. Holds the snapshots and where it stands, never the text.
///
/// ```swift
/// var writer = BackupWriter(time: now, version: "1.0", backups)
/// var bytes: [UInt8] = []
/// while writer.next(upTo: 65_536, into: &bytes) { send(bytes); bytes.removeAll(keepingCapacity: true) }
/// send(bytes)
/// ```
///
/// The hash of each namespace's data is computed as its turn comes: not on an engine's thread, nor on a gateway's unless
/// `Hub.backup`, which computes it before, gave the backups.
package struct BackupWriter: Sendable {
    private enum Place {
        case header
        case information
        case data(NodeSerializer)
        case end
    }

    private let header: BackupHeader
    /// Those that are still to be written.
    private var rest: ArraySlice<NamespaceBackup>
    private var place = Place.header

    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - version: that of the hub.
    package init(time: Int64, version: String, _ backups: [NamespaceBackup]) {
        header = BackupHeader(time: time, version: version, namespaces: backups.map(\.name))
        rest = backups[...]
    }

    /// Appends about `count` bytes; more where a line about a namespace is longer. False when nothing will follow.
    package mutating func next(upTo count: Int, into output: inout [UInt8]) -> Bool {
        let start = output.count
        while output.count - start < count {
            switch place {
            case .header:
                output += BackupLines.header(header)
                place = .information
            case .information:
                guard let backup = rest.first else {
                    output += BackupLines.end
                    place = .end
                    return false
                }
                output += BackupLines.information(of: backup)
                place = .data(NodeSerializer(backup.tree))
            case .data(var serializer):
                let hasMore = serializer.next(upTo: max(1, count - (output.count - start)), into: &output)
                place = .data(serializer)
                if hasMore { continue }
                output.append(UInt8(ascii: "\n"))
                rest = rest.dropFirst()
                place = .information
            case .end:
                return false
            }
        }
        return true
    }
}
