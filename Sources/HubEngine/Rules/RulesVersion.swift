/// Rules that were accepted for a namespace: one entry of its history.
package struct RulesVersion: Sendable, Equatable {
    /// 1 for the first rules of a namespace, then ascending without gaps.
    package var number: UInt32
    /// When they were accepted, milliseconds since 1970.
    package var time: Int64
    /// Who brought them: `administrator`, a user's id, or the option that named their file.
    package var author: String
    /// The text as it was written, comments included.
    package var text: String

    package init(number: UInt32, time: Int64, author: String, text: String) {
        self.number = number
        self.time = time
        self.author = author
        self.text = text
    }

    package static func == (left: RulesVersion, right: RulesVersion) -> Bool {
        // Byte for byte: Swift's own comparison takes canonically equal texts for one.
        left.number == right.number && left.time == right.time && left.author.utf8.elementsEqual(right.author.utf8)
            && left.text.utf8.elementsEqual(right.text.utf8)
    }
}

/// The rules that a namespace has had, oldest first. The newest are in force; going back to older ones makes them the newest.
///
/// Bounded in number and in bytes; what is oldest is forgotten first, what is in force never.
package struct RulesHistory: Sendable, Equatable {
    package private(set) var versions: [RulesVersion] = []

    /// How many versions are kept.
    package static let maxVersions = 100
    /// How many bytes of text are kept, beyond the version in force.
    package static let maxBytes = 8 << 20

    package init() {}

    /// What is in force; nil while nobody has given the namespace rules.
    package var current: RulesVersion? { versions.last }

    package var nextNumber: UInt32 { (current?.number ?? 0) + 1 }

    package subscript(number: UInt32) -> RulesVersion? { versions.first { $0.number == number } }

    /// Adds a version, or does nothing when it is there already, as when a log is redone on a state that has it.
    /// - Returns: the numbers that are forgotten for it.
    @discardableResult
    package mutating func add(_ version: RulesVersion) -> [UInt32] {
        guard version.number >= nextNumber else { return [] }
        versions.append(version)
        var bytes = 0
        var kept = 0
        for version in versions.reversed() {
            bytes += version.text.utf8.count
            if kept > 0 && (kept == Self.maxVersions || bytes > Self.maxBytes) { break }
            kept += 1
        }
        let forgotten = versions.dropLast(kept).map(\.number)
        versions.removeFirst(forgotten.count)
        return forgotten
    }
}
