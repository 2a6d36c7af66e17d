import DataTree
import Storage

/// How all but the tree lies in the state store.
enum StateRecordKind {
    static let session: UInt8 = 1
    static let writeID: UInt8 = 2
    static let lastSeen: UInt8 = 3
    /// Numbers of the database itself.
    static let counter: UInt8 = 4
    static let rules: UInt8 = 5
    /// Settings of the namespace.
    static let setting: UInt8 = 6
}

extension StateRecord {
    static func session(_ id: SessionID, _ session: DurableImage.RecordedSession?) -> StateRecord {
        StateRecord(kind: StateRecordKind.session, key: Array(id.description.utf8), value: session.map(encode))
    }

    private static func encode(_ session: DurableImage.RecordedSession) -> [UInt8] {
        var writer = ByteWriter()
        writer.string(session.transport)
        writer.string(session.agent)
        writer.signed(session.since)
        writer.identity(session.identity)
        writer.operations(session.onDisconnect)
        return writer.bytes
    }

    static func writeID(_ id: String, time: Int64?) -> StateRecord {
        StateRecord(kind: StateRecordKind.writeID, key: Array(id.utf8), value: time.map { Array("\($0)".utf8) })
    }

    static func lastSeen(_ uid: String, _ entry: LastSeenTable.Entry?) -> StateRecord {
        StateRecord(
            kind: StateRecordKind.lastSeen, key: Array(uid.utf8),
            value: entry.map { Array("\($0.at) \($0.reason)".utf8) })
    }

    /// - Parameter version: nil forgets it.
    static func rules(_ number: UInt32, _ version: RulesVersion?) -> StateRecord {
        var value: [UInt8]?
        if let version {
            var writer = ByteWriter()
            writer.rules(version)
            value = writer.bytes
        }
        return StateRecord(kind: StateRecordKind.rules, key: Array("\(number)".utf8), value: value)
    }

    static func counter(_ name: String, _ value: String) -> StateRecord {
        StateRecord(kind: StateRecordKind.counter, key: Array(name.utf8), value: Array(value.utf8))
    }

    /// - Parameter text: nil forgets it.
    static func setting(_ name: String, _ text: String?) -> StateRecord {
        StateRecord(kind: StateRecordKind.setting, key: Array(name.utf8), value: text.map { Array($0.utf8) })
    }
}

extension DurableImage {
    /// Builds the image that the state store holds. Records of unknown kind are refused: a newer hub wrote them.
    package init(_ loaded: LoadedState) throws {
        self.init(tree: loaded.tree, orphanPriorities: loaded.orphanPriorities)
        var ids: [(String, Int64)] = []
        var seen: [(String, LastSeenTable.Entry)] = []
        var versions: [RulesVersion] = []
        for record in loaded.records {
            guard let value = record.value else { continue }
            let key = String(decoding: record.key, as: UTF8.self)
            let text = String(decoding: value, as: UTF8.self)
            switch record.kind {
            case StateRecordKind.session:
                guard let id = SessionID(key) else { throw LogEntryError.malformed("a session's name in the state") }
                sessions[id] = try value.withUnsafeBytes { try Self.session(from: $0) }
            case StateRecordKind.writeID:
                ids.append((key, Int64(text) ?? 0))
            case StateRecordKind.lastSeen:
                let parts = text.split(separator: " ", maxSplits: 1)
                guard parts.count == 2, let at = Int64(parts[0]) else {
                    throw LogEntryError.malformed("a user's last visit in the state")
                }
                seen.append((key, LastSeenTable.Entry(at: at, reason: String(parts[1]))))
            case StateRecordKind.setting:
                settings[key] = text
            case StateRecordKind.counter:
                if key == "incarnation" { incarnation = UInt32(text) ?? 0 }
                if key == "time" { newestTime = Int64(text) ?? 0 }
            case StateRecordKind.rules:
                versions.append(
                    try value.withUnsafeBytes { bytes in
                        var reader = ByteReader(bytes)
                        return try reader.rules()
                    })
            default:
                throw LogEntryError.unknownRecord(record.kind)
            }
        }
        for (id, time) in ids.sorted(by: { $0.1 < $1.1 }) { writeIDs.insert(id, time: time) }
        for (uid, entry) in seen.sorted(by: { $0.1.at < $1.1.at }) { lastSeen.set(uid, entry) }
        for version in versions.sorted(by: { $0.number < $1.number }) { rules.add(version) }
    }

    private static func session(from bytes: UnsafeRawBufferPointer) throws -> RecordedSession {
        var reader = ByteReader(bytes)
        return RecordedSession(
            transport: try reader.string(), agent: try reader.string(), since: try reader.signed(),
            identity: try reader.identity(), onDisconnect: try reader.operations())
    }
}
