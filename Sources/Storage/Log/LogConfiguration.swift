/// How a log uses the disk and the processor.
package struct LogConfiguration: Sendable {
    /// The size to which a segment is filled with zeros ahead of its use. A group that is larger gets a larger segment.
    package var segmentBytes = 8 << 20
    /// The size of the segment that is kept back for reserved entries when the disk is full.
    package var reserveBytes = 4 << 20
    /// The most that goes into one group, unless a single entry is larger.
    package var groupBytes = 4 << 20
    /// The largest entry.
    package var entryBytes = 1 << 30
    /// Nanoseconds between the starts of two syncs while entries keep arriving faster than syncs finish; 0 = no pacing.
    /// An entry that arrives when nothing is being written never waits.
    package var minimumSyncInterval: UInt64 = 0
    /// Nanoseconds after which a writer thread with nothing to do ends.
    package var idleNanoseconds: UInt64 = 10_000_000_000
    /// Fill the next segment on a thread of its own. Off, the writer thread does it between groups.
    package var preparesInBackground = true

    package init() {}
}
