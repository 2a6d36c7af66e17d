import DataTree

/// The node where the hub itself keeps who is online: an overlay over the tree, seen by reads and listens at or under its
/// path only. Connections and numbers live in memory; a hub that starts has nobody online.
///
/// ```
/// users/<uid>/connections/<name> = {since, transport, agent}
/// lastSeen/<uid> = {at, reason}
/// stats = {users, connections}
/// ```
struct PresenceNode {
    let path: Path
    /// The overlay's content, rooted at `path`.
    private(set) var root: Node = .empty
    private var connectionsByUser: [Text: Int] = [:]
    private var connections = 0
    private var lastName: UInt64 = 0
    private var statsTime: Int64 = .min
    /// When the numbers are to be published next; nil when they are up to date.
    private(set) var statsDue: Int64?

    static let users = Key("users")
    static let connectionsKey = Key("connections")
    static let lastSeenKey = Key("lastSeen")
    static let stats = Key("stats")

    init(path: Path, lastSeen: LastSeenTable) {
        self.path = path
        root = Node(children: [
            (Self.lastSeenKey, Node(children: lastSeen.all.map { (Self.key(for: $0.uid), Self.node(for: $0.entry)) })),
            (Self.stats, Self.stats(users: 0, connections: 0)),
        ])
    }

    /// The key under which a user appears: the id, with characters that keys cannot have written as `%XX`.
    static func key(for uid: String) -> Key {
        let forbidden = Set(".#$[]/%".utf8)
        guard uid.utf8.contains(where: { forbidden.contains($0) || $0 < 0x20 || $0 == 0x7F }) else { return Key(uid) }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in uid.utf8 {
            if forbidden.contains(byte) || byte < 0x20 || byte == 0x7F {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return Key(String(decoding: bytes, as: UTF8.self))
    }

    /// Adds a connection of a user and tells its name and what changed.
    mutating func join(_ uid: String, _ opening: SessionOpening, since: Int64) -> (name: Key, effect: WriteEffect) {
        lastName += 1
        let name = Key("c\(lastName)")
        connections += 1
        connectionsByUser[Text(uid), default: 0] += 1
        let node = Node(children: [
            (Key("since"), Node(leaf: .integer(since))),
            (Key("transport"), Node(leaf: .string(Text(opening.transport.rawValue)))),
            (Key("agent"), Node(leaf: .string(Text(opening.userAgent)))),
        ])
        return (name, set(node, at: Path(keys: [Self.users, Self.key(for: uid), Self.connectionsKey, name])))
    }

    /// Removes a connection of a user. `isLast` when the user has none left.
    mutating func leave(_ uid: String, name: Key) -> (effect: WriteEffect, isLast: Bool) {
        connections -= 1
        let left = (connectionsByUser[Text(uid)] ?? 1) - 1
        connectionsByUser[Text(uid)] = left > 0 ? left : nil
        let effect = set(.empty, at: Path(keys: [Self.users, Self.key(for: uid), Self.connectionsKey, name]))
        return (effect, left <= 0)
    }

    mutating func setLastSeen(_ uid: String, _ entry: LastSeenTable.Entry?) -> WriteEffect {
        set(entry.map(Self.node) ?? .empty, at: Path(keys: [Self.lastSeenKey, Self.key(for: uid)]))
    }

    /// Notes that the numbers have changed: they go out at once, or when `interval` has passed since the last time.
    mutating func markStats(now: Int64, interval: Int64) {
        guard statsDue == nil else { return }
        statsDue = statsTime == .min ? now : max(now, statsTime + interval)
    }

    /// Writes the numbers that are due.
    mutating func updateStats(now: Int64) -> WriteEffect? {
        guard let due = statsDue, due <= now else { return nil }
        statsDue = nil
        statsTime = now
        let effect = set(
            Self.stats(users: connectionsByUser.count, connections: connections), at: Path(keys: [Self.stats]))
        return effect.change.isEffective ? effect : nil
    }

    /// Writes a value at an absolute path that the node has had there before.
    mutating func write(_ node: Node, at path: Path) -> WriteEffect { set(node, at: path.dropFirst(self.path.count)) }

    /// Takes a change back.
    mutating func undo(_ change: NodeChange) -> NodeChange { write(change.old, at: change.path).change }

    private mutating func set(_ node: Node, at relative: Path) -> WriteEffect {
        let change = root.set(node, at: relative)
        return WriteEffect(
            place: WritePath(path.appending(relative)),
            change: NodeChange(path: path.appending(change.path), old: change.old, new: change.new))
    }

    private static func node(for entry: LastSeenTable.Entry) -> Node {
        Node(children: [
            (Key("at"), Node(leaf: .integer(entry.at))), (Key("reason"), Node(leaf: .string(Text(entry.reason)))),
        ])
    }

    private static func stats(users: Int, connections: Int) -> Node {
        Node(children: [
            (Key("users"), Node(leaf: .integer(Int64(users)))),
            (Key("connections"), Node(leaf: .integer(Int64(connections)))),
        ])
    }
}
