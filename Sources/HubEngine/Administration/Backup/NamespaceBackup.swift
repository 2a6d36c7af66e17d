import DataTree

/// Everything durable of a namespace that cannot be derived from something else, as of one moment: what a backup keeps.
/// Sessions, and what they have registered, are not part of it: nobody is connected to a restored hub.
package struct NamespaceBackup: Sendable {
    package var name: String
    /// When, milliseconds since 1970.
    package var time: Int64
    package var tree: Node
    /// All versions that are kept, with their numbers.
    package var rules: RulesHistory
    package var settings: NamespaceSettings
    package var lastSeen: LastSeenTable

    package init(
        name: String, time: Int64, tree: Node, rules: RulesHistory = RulesHistory(),
        settings: NamespaceSettings = NamespaceSettings(), lastSeen: LastSeenTable = LastSeenTable()
    ) {
        self.name = name
        self.time = time
        self.tree = tree
        self.rules = rules
        self.settings = settings
        self.lastSeen = lastSeen
    }

    /// A namespace as it is now. Quick: nothing is copied.
    init(_ engine: Engine) {
        self.init(
            name: engine.configuration.namespace, time: engine.now, tree: engine.tree, rules: engine.rulesHistory,
            settings: engine.settings, lastSeen: engine.lastSeen)
    }
}

/// What a backup says about itself before anything else.
package struct BackupHeader: Sendable, Equatable {
    /// When it was taken, milliseconds since 1970.
    package var time: Int64
    /// The version of the hub that wrote it.
    package var version: String
    /// In the order in which they follow.
    package var namespaces: [String]

    package init(time: Int64, version: String, namespaces: [String]) {
        self.time = time
        self.version = version
        self.namespaces = namespaces
    }
}

/// Why a text is no backup, or not all of one.
package enum BackupError: Error, Equatable, Sendable, CustomStringConvertible {
    case notABackup
    case newerFormat(Int64)
    case malformed(line: Int, String)
    /// The data are not those that the line before tells of.
    case differs(namespace: String, String)
    case cutShort
    case trailingBytes

    package var description: String {
        switch self {
        case .notABackup: "This is not a backup of hearth. Choose a file that `hearth backup` wrote."
        case .newerFormat(let format):
            "The backup has format \(format), this release reads up to \(BackupLines.format). Use a newer release of hearth."
        case .malformed(let line, let what): "Line \(line) of the backup cannot be read (\(what)). Use another backup."
        case .differs(let namespace, let what):
            "The backup of namespace \(namespace) is damaged: \(what). Use another backup."
        case .cutShort: "The backup ends too early. Copy it again, or use another one."
        case .trailingBytes: "There is more in the file than one backup. Use the file as `hearth backup` wrote it."
        }
    }
}
