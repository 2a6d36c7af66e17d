import DataTree

/// The lines of a backup that are not data (`protocol/backup.md`): one at the beginning, one before each namespace's data, one at
/// the end.
enum BackupLines {
    static let format: Int64 = 1

    /// What is told of a namespace before its data.
    struct Information {
        var backup: NamespaceBackup
        /// The root hash of the data.
        var hash: String
        var leaves: Int
    }

    // MARK: - Writing

    static func header(_ header: BackupHeader) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"hearth-backup":"#)
        writer.integer(format)
        writer.raw(#","time":"#)
        writer.integer(header.time)
        writer.raw(#","version":"#)
        writer.string(header.version)
        writer.raw(#","namespaces":["#)
        for (index, name) in header.namespaces.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.string(name)
        }
        writer.raw("]}\n")
        return writer.bytes
    }

    static func information(of backup: NamespaceBackup) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"name":"#)
        writer.string(backup.name)
        writer.raw(#","time":"#)
        writer.integer(backup.time)
        writer.raw(#","hash":"#)
        writer.string(backup.tree.hash())
        writer.raw(#","leaves":"#)
        writer.integer(Int64(backup.tree.leafCount))
        writer.raw(#","rules":"#)
        writer.array(backup.rules.versions) { writer, version in
            writer.raw(#"{"number":"#)
            writer.integer(Int64(version.number))
            writer.raw(#","time":"#)
            writer.integer(version.time)
            writer.raw(#","author":"#)
            writer.string(version.author)
            writer.raw(#","text":"#)
            writer.string(version.text)
            writer.raw("}")
        }
        writer.raw(#","settings":"#)
        writer.array(backup.settings.all) { writer, setting in
            writer.raw(#"{"name":"#)
            writer.string(setting.name)
            writer.raw(#","text":"#)
            writer.string(setting.text)
            writer.raw("}")
        }
        writer.raw(#","lastSeen":"#)
        writer.array(backup.lastSeen.all.sorted { $0.entry.at < $1.entry.at }) { writer, seen in
            writer.raw(#"{"uid":"#)
            writer.string(seen.uid)
            writer.raw(#","at":"#)
            writer.integer(seen.entry.at)
            writer.raw(#","reason":"#)
            writer.string(seen.entry.reason)
            writer.raw("}")
        }
        writer.raw("}\n")
        return writer.bytes
    }

    static let end = Array("{\"end\":true}\n".utf8)

    // MARK: - Reading

    static func readHeader(_ line: UnsafeRawBufferPointer) throws -> BackupHeader {
        var cursor = JSONCursor(line, limits: limits)
        var header = BackupHeader(time: 0, version: "", namespaces: [])
        var found: Int64?
        try cursor.enterObject()
        while let key = try cursor.nextKey() {
            switch key {
            case "hearth-backup": found = try cursor.readInteger()
            case "time": header.time = try cursor.readInteger()
            case "version": header.version = try cursor.readString()
            case "namespaces":
                try cursor.enterArray()
                while try cursor.nextElement() { header.namespaces.append(try cursor.readString()) }
            default: _ = try cursor.skipValue()
            }
        }
        try cursor.expectEnd()
        guard let found, found > 0 else { throw BackupError.notABackup }
        guard found <= format else { throw BackupError.newerFormat(found) }
        return header
    }

    static func readInformation(_ line: UnsafeRawBufferPointer) throws -> Information {
        var cursor = JSONCursor(line, limits: limits)
        var backup = NamespaceBackup(name: "", time: 0, tree: .empty)
        var hash: String?
        var leaves: Int64 = -1
        try cursor.enterObject()
        while let key = try cursor.nextKey() {
            switch key {
            case "name": backup.name = try cursor.readString()
            case "time": backup.time = try cursor.readInteger()
            case "hash": hash = try cursor.readString()
            case "leaves": leaves = try cursor.readInteger()
            case "rules": backup.rules = try readRules(&cursor)
            case "settings": backup.settings = try readSettings(&cursor)
            case "lastSeen": backup.lastSeen = try readLastSeen(&cursor)
            default: _ = try cursor.skipValue()
            }
        }
        try cursor.expectEnd()
        guard let hash, leaves >= 0, !backup.name.isEmpty else {
            throw JSONError(offset: 0, reason: .unexpectedEnd)
        }
        return Information(backup: backup, hash: hash, leaves: Int(leaves))
    }

    static func isEnd(_ line: UnsafeRawBufferPointer) -> Bool { line.elementsEqual(end.dropLast()) }

    private static let limits = JSONLimits(depth: 32, stringBytes: .max, keyBytes: .max, form: .received)

    private static func readRules(_ cursor: inout JSONCursor) throws -> RulesHistory {
        var history = RulesHistory()
        try cursor.enterArray()
        while try cursor.nextElement() {
            var version = RulesVersion(number: 0, time: 0, author: "", text: "")
            try cursor.enterObject()
            while let key = try cursor.nextKey() {
                switch key {
                case "number": version.number = UInt32(exactly: try cursor.readInteger()) ?? 0
                case "time": version.time = try cursor.readInteger()
                case "author": version.author = try cursor.readString()
                case "text": version.text = try cursor.readString()
                default: _ = try cursor.skipValue()
                }
            }
            history.add(version)
        }
        return history
    }

    private static func readSettings(_ cursor: inout JSONCursor) throws -> NamespaceSettings {
        var settings = NamespaceSettings()
        try cursor.enterArray()
        while try cursor.nextElement() {
            var name = ""
            var text: String?
            try cursor.enterObject()
            while let key = try cursor.nextKey() {
                switch key {
                case "name": name = try cursor.readString()
                case "text": text = try cursor.readString()
                default: _ = try cursor.skipValue()
                }
            }
            settings[name] = text
        }
        return settings
    }

    private static func readLastSeen(_ cursor: inout JSONCursor) throws -> LastSeenTable {
        var table = LastSeenTable()
        try cursor.enterArray()
        while try cursor.nextElement() {
            var uid = ""
            var entry = LastSeenTable.Entry(at: 0, reason: "")
            try cursor.enterObject()
            while let key = try cursor.nextKey() {
                switch key {
                case "uid": uid = try cursor.readString()
                case "at": entry.at = try cursor.readInteger()
                case "reason": entry.reason = try cursor.readString()
                default: _ = try cursor.skipValue()
                }
            }
            table.set(uid, entry)
        }
        return table
    }
}

extension JSONWriter {
    /// An array of what `element` writes.
    fileprivate mutating func array<Element>(_ elements: [Element], _ element: (inout JSONWriter, Element) -> Void) {
        raw("[")
        for (index, each) in elements.enumerated() {
            if index > 0 { raw(",") }
            element(&self, each)
        }
        raw("]")
    }
}
