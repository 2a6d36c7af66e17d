import DataTree
import Storage

/// Why bytes are not a log entry of this hub.
package enum LogEntryError: Error, Equatable, CustomStringConvertible {
    case newerFormat(UInt8)
    case unknownRecord(UInt8)
    case malformed(String)

    package var description: String {
        switch self {
        case .newerFormat(let format):
            "a log entry has format \(format), this hub reads up to \(LogEntry.format): start a newer hub"
        case .unknownRecord(let kind):
            "a log entry holds a record of unknown kind \(kind): start the version of the hub that wrote it"
        case .malformed(let what):
            "a log entry cannot be read (\(what)) although its checksum is right: restore a backup and report this"
        }
    }
}

/// The bytes of a log entry: a format number, then records, each a kind and its fields. Values are JSON export text.
extension LogEntry {
    static let format: UInt8 = 1

    private enum Kind: UInt8 {
        case sessionStarted = 1
        case signedIn, sessionEnded, commit, onDisconnectSet, onDisconnectCancelled, lastSeen, started, rules, setting
    }

    /// - Parameter prepared: texts of large values among the mutations.
    package func encoded(_ prepared: [PreparedText] = []) -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.format)
        for record in records { Self.encode(record, prepared, into: &writer) }
        return writer.bytes
    }

    private static func encode(_ record: Record, _ prepared: [PreparedText], into writer: inout ByteWriter) {
        switch record {
        case .started(let incarnation):
            writer.byte(Kind.started.rawValue)
            writer.varint(UInt64(incarnation))
        case .sessionStarted(let id, let transport, let agent, let since):
            writer.byte(Kind.sessionStarted.rawValue)
            writer.session(id)
            writer.string(transport)
            writer.string(agent)
            writer.signed(since)
        case .signedIn(let id, let identity):
            writer.byte(Kind.signedIn.rawValue)
            writer.session(id)
            writer.identity(identity)
        case .sessionEnded(let id, let reason):
            writer.byte(Kind.sessionEnded.rawValue)
            writer.session(id)
            writer.string(reason)
        case .commit(let commit):
            writer.byte(Kind.commit.rawValue)
            encode(commit, prepared, into: &writer)
        case .onDisconnectSet(let id, let path, let value):
            writer.byte(Kind.onDisconnectSet.rawValue)
            writer.session(id)
            writer.path(path)
            writer.node(value)
        case .onDisconnectCancelled(let id, let path):
            writer.byte(Kind.onDisconnectCancelled.rawValue)
            writer.session(id)
            writer.path(path)
        case .lastSeen(let uid, let time, let reason):
            writer.byte(Kind.lastSeen.rawValue)
            writer.string(uid)
            writer.signed(time)
            writer.string(reason)
        case .rules(let version):
            writer.byte(Kind.rules.rawValue)
            writer.rules(version)
        case .setting(let name, let text):
            writer.byte(Kind.setting.rawValue)
            writer.string(name)
            writer.optional(text) { $0.string($1) }
        }
    }

    private static func encode(_ commit: Commit, _ prepared: [PreparedText], into writer: inout ByteWriter) {
        writer.signed(commit.time)
        writer.optional(commit.session) { $0.session($1) }
        writer.optional(commit.author) { $0.string($1) }
        writer.optional(commit.writeID) { $0.string($1) }
        writer.varint(UInt64(commit.mutations.count))
        for mutation in commit.mutations {
            writer.path(mutation.path)
            writer.node(mutation.node, prepared)
        }
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(bytes)
        let format = try reader.byte()
        guard format == Self.format else { throw LogEntryError.newerFormat(format) }
        records = []
        while reader.remaining > 0 {
            let raw = try reader.byte()
            guard let kind = Kind(rawValue: raw) else { throw LogEntryError.unknownRecord(raw) }
            records.append(try Self.decode(kind, from: &reader))
        }
    }

    private static func decode(_ kind: Kind, from reader: inout ByteReader) throws -> Record {
        switch kind {
        case .started:
            .started(incarnation: try reader.incarnation())
        case .sessionStarted:
            .sessionStarted(
                try reader.session(), transport: try reader.string(), agent: try reader.string(),
                since: try reader.signed())
        case .signedIn:
            .signedIn(try reader.session(), try reader.identity())
        case .sessionEnded:
            .sessionEnded(try reader.session(), reason: try reader.string())
        case .commit:
            .commit(try decodeCommit(from: &reader))
        case .onDisconnectSet:
            .onDisconnectSet(try reader.session(), try reader.path(), try reader.node())
        case .onDisconnectCancelled:
            .onDisconnectCancelled(try reader.session(), try reader.path())
        case .lastSeen:
            .lastSeen(uid: try reader.string(), at: try reader.signed(), reason: try reader.string())
        case .rules:
            .rules(try reader.rules())
        case .setting:
            .setting(name: try reader.string(), text: try reader.optional { try $0.string() })
        }
    }

    private static func decodeCommit(from reader: inout ByteReader) throws -> Commit {
        let time = try reader.signed()
        let session = try reader.optional { try $0.session() }
        let author = try reader.optional { try $0.string() }
        let writeID = try reader.optional { try $0.string() }
        var mutations: [Mutation] = []
        for _ in 0..<(try reader.count()) {
            mutations.append(Mutation(path: try reader.path(), node: try reader.node()))
        }
        return Commit(time: time, session: session, author: author, writeID: writeID, mutations: mutations)
    }
}
