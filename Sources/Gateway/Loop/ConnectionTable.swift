import HubEngine

/// The connections of one loop at stable addresses, by slot.
///
/// Confined to the loop's thread. The memory is raw because libwebsockets keeps the address of each element, and because a
/// fan-out walks it without touching reference counts; it is reserved whole, and the system provides a page when it is used.
final class ConnectionTable {
    private let storage: UnsafeMutablePointer<Connection>
    private let capacity: Int
    private let loop: UInt16
    /// Slots below this have been used.
    private(set) var highWater = 0
    /// Slots to use again, oldest first, so that generations last.
    private var free: [UInt32] = []
    private var firstFree = 0
    /// Slots in use.
    private(set) var count = 0

    init(capacity: Int, loop: UInt16) {
        self.capacity = capacity
        self.loop = loop
        storage = .allocate(capacity: capacity)
    }

    deinit {
        storage.deinitialize(count: highWater)
        storage.deallocate()
    }

    /// A slot for a new socket, or nil when all are taken.
    func acquire() -> UnsafeMutablePointer<Connection>? {
        let slot: UInt32
        // A young list is left alone: a slot that was just freed may still be named by outputs on their way.
        if firstFree < free.count, free.count - firstFree > 64 || highWater == capacity {
            slot = free[firstFree]
            firstFree += 1
            if firstFree > 1024 {
                free.removeFirst(firstFree)
                firstFree = 0
            }
        } else if highWater < capacity {
            slot = UInt32(highWater)
            (storage + highWater).initialize(to: Connection(slot: slot))
            highWater += 1
        } else {
            return nil
        }
        count += 1
        return storage + Int(slot)
    }

    /// Gives a slot back; from here on its old identifier finds nothing.
    func release(_ connection: UnsafeMutablePointer<Connection>) {
        guard connection.pointee.phase != .free else { return }
        let (slot, generation) = (connection.pointee.slot, connection.pointee.generation)
        connection.pointee = Connection(slot: slot)
        connection.pointee.generation = generation &+ 1
        free.append(slot)
        count -= 1
    }

    /// The connection that the identifier means, unless it is gone. Hot path: once for each delivery.
    @inline(__always)
    func find(_ id: ConnectionID) -> UnsafeMutablePointer<Connection>? {
        let slot = Int(id.slot)
        guard slot < highWater else { return nil }
        let connection = storage + slot
        return connection.pointee.generation == id.generation && connection.pointee.phase != .free ? connection : nil
    }

    /// The connection in a slot that has been used.
    func at(slot: Int) -> UnsafeMutablePointer<Connection> { storage + slot }

    func id(_ connection: UnsafeMutablePointer<Connection>) -> ConnectionID {
        ConnectionID(loop: loop, slot: connection.pointee.slot, generation: connection.pointee.generation)
    }
}
