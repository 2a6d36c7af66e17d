/// A place in a commit log. Positions increase with every entry; 0 stands before the first one.
package struct LogPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var value: UInt64

    package init(_ value: UInt64) {
        self.value = value
    }

    /// Before the first entry.
    package static let none = LogPosition(0)

    package static func < (left: LogPosition, right: LogPosition) -> Bool {
        left.value < right.value
    }

    package var description: String { String(value) }
}

/// What became of submitted entries, in the order of their positions.
package enum LogDelivery: Sendable {
    /// Everything up to and including this position survives power loss.
    case durable(through: LogPosition)
    /// The entry at `from` and all later ones are certainly not in the log. The log drops what is submitted until
    /// `resume()`; numbering then continues at `from`.
    case refused(from: LogPosition, StorageError)
    /// Nobody knows whether what was submitted after the last `durable` is in the log. The log takes nothing any more;
    /// the hub must stop, and the next start finds out.
    case failed(StorageError)
}

/// The ordered, durable sequence of commits of one namespace.
///
/// Life: `replay` (any number of times), `start` once, `submit`/`resume`/`trim`, `close`.
/// One thread submits; `trim` may come from another one.
package protocol CommitLog: AnyObject, Sendable {
    /// The position of the last entry that is in the log when it is opened, or has been reported durable since.
    var lastPosition: LogPosition { get }

    /// A random number that the log was born with. A state store notes it beside its position, so that a state is never
    /// brought forward with the log of another database.
    var identity: UInt64 { get }

    /// Calls `body` with every entry after `position`, in order. The bytes are valid during the call only.
    /// - Throws: `StorageError` when entries in between are missing or damaged; what `body` throws.
    func replay(after position: LogPosition, _ body: (LogPosition, UnsafeRawBufferPointer) throws -> Void) throws

    /// Begins to write. `delivered` is called in order, one call at a time, never on the submitter's thread.
    func start(delivered: @escaping @Sendable (LogDelivery) -> Void)

    /// Appends an entry. Everything that is queued goes into one write and one sync (group commit).
    /// - Parameter reserved: the entry may use the space that is kept back for a full disk (ends of sessions).
    func submit(_ entry: [UInt8], reserved: Bool) -> LogPosition

    /// After `refused`: forget what was submitted since and go on at the refused position.
    func resume()

    /// Entries up to here are no longer needed; the log drops them in whole segments, at its convenience.
    func trim(through position: LogPosition)

    /// Writes what is queued, delivers it, and ends the thread. Not to be called from `delivered`.
    func close()
}

extension CommitLog {
    package func submit(_ entry: [UInt8]) -> LogPosition {
        submit(entry, reserved: false)
    }
}
