/// Names one client connection of one gateway loop.
///
/// The slot is an index into the loop's table; the generation tells a connection from an earlier one in the same slot,
/// so an output that arrives after the end of its connection is recognised and discarded. All three fit one word.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// `loop` in bits 48–63, `generation` in bits 32–47, `slot` in bits 0–31.
    package let packed: UInt64

    package init(loop: UInt16, slot: UInt32, generation: UInt16) {
        packed = UInt64(loop) << 48 | UInt64(generation) << 32 | UInt64(slot)
    }

    /// Restores an identifier from `packed`.
    package init(packed: UInt64) { self.packed = packed }

    /// The gateway loop that owns the connection.
    package var loop: UInt16 { UInt16(truncatingIfNeeded: packed >> 48) }
    /// The index in the loop's table of connections.
    package var slot: UInt32 { UInt32(truncatingIfNeeded: packed) }
    /// Counts the connections that have used the slot; wraps around.
    package var generation: UInt16 { UInt16(truncatingIfNeeded: packed >> 32) }

    /// `loop.slot.generation`, for logs.
    package var description: String { "\(loop).\(slot).\(generation)" }
}

/// An immutable list of connections of one loop: the receivers of a fan-out.
///
/// Shared between the engine, which keeps it for as long as the listeners stay the same, and the loop, which walks it
/// without copying.
package final class ConnectionList: Sendable {
    /// All of the same loop; none twice.
    package let connections: [ConnectionID]

    package init(_ connections: [ConnectionID]) { self.connections = connections }

    package var count: Int { connections.count }
}
