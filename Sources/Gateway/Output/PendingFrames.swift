import WireProtocol

/// What this turn will send, as chains of entries: one chain a connection, in the order posted.
///
/// Confined to the loop's thread. Entries hold frames without a reference of their own: the batches that they come from are kept
/// alive until the turn's sending is done. So a delivery costs no allocation and no reference count.
struct PendingFrames {
    struct Entry {
        /// The frame's bytes; they neither move nor change while the frame lives.
        var base: UnsafePointer<UInt8>
        var frame: Unmanaged<Frame>
        var count: Int32
        /// The connection's next entry, -1 at the end.
        var next: Int32
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = 1024
    private(set) var count = 0

    init() { entries = .allocate(capacity: capacity) }

    subscript(index: Int32) -> Entry { entries[Int(index)] }

    /// Adds an entry at the end of the connection's chain. `true` when it is the first one. Hot path: once for each delivery.
    @inline(__always)
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, of frame: Unmanaged<Frame>, to connection: UnsafeMutablePointer<Connection>
    ) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        if count == capacity { grow() }
        let index = Int32(truncatingIfNeeded: count)
        (entries + count).initialize(
            to: Entry(
                base: base.assumingMemoryBound(to: UInt8.self), frame: frame, count: Int32(clamping: bytes.count),
                next: -1))
        count += 1
        let last = connection.pointee.lastPending
        connection.pointee.lastPending = index
        if last >= 0 {
            entries[Int(last)].next = index
            return false
        }
        connection.pointee.firstPending = index
        return true
    }

    /// Forgets all entries; no connection may have a chain any more.
    mutating func removeAll() {
        count = 0
        // A burst does not keep its memory for ever.
        if capacity > 1 << 20 {
            entries.deallocate()
            capacity = 1024
            entries = .allocate(capacity: capacity)
        }
    }

    func deallocate() { entries.deallocate() }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }
}
