import DataTree

/// What somebody without a connection asks about the lease that holds his presence at a place: a device that can do no more
/// than send a request now and then. Whose lease it is, the credential says; each holder has at most one at a place.
package struct LeaseRequest: Sendable {
    package enum Kind: Sendable {
        /// Begins the lease or renews it: it ends when nothing comes for so long.
        case hold(Terms)
        /// Ends it: what is registered is written.
        case end
        /// Asks how long it still lasts.
        case look
    }

    /// What is agreed while a lease lasts.
    package struct Terms: Sendable, Equatable {
        /// How long it lasts without being renewed, in milliseconds.
        package var timeToLive: Int64
        /// What is written as it begins, and when this differs from the last time; nil writes nothing.
        package var online: Node?
        /// What is written when it ends, however that comes.
        package var onDisconnect: Node

        package init(timeToLive: Int64, online: Node? = nil, onDisconnect: Node) {
            self.timeToLive = timeToLive
            self.online = online
            self.onDisconnect = onDisconnect
        }
    }

    package var path: Path
    package var kind: Kind
    /// The `User-Agent` header, for those who look who is there.
    package var agent: String
    /// The peer's numeric address.
    package var remoteAddress: String
    /// Fresh and unguessable: it names the session of a lease that begins. The driver fills it in.
    package var random: (UInt64, UInt64) = (0, 0)

    package init(path: Path, kind: Kind, agent: String = "", remoteAddress: String = "127.0.0.1") {
        self.path = path
        self.kind = kind
        self.agent = agent
        self.remoteAddress = remoteAddress
    }

    var isWrite: Bool {
        if case .look = kind { return false }
        return true
    }

    /// About how much memory its values hold, in leaves.
    var leaves: Int {
        guard case .hold(let terms) = kind else { return 0 }
        return (terms.online?.leafCount ?? 0) + terms.onDisconnect.leafCount
    }
}

/// What became of a lease, for whoever watches the time: it ends a lease with `leaseExpired` when its time is up.
package enum LeaseNews: Sendable, Equatable {
    /// It has just begun or been renewed and lasts so many milliseconds from here on.
    case held(ConnectionID, Int64)
    case ended(ConnectionID)
}

/// Who holds a lease, and where.
struct LeaseKey: Hashable {
    enum Holder: Hashable {
        case anonymous
        case administrator
        case user(Text)
    }

    let holder: Holder
    let path: Path

    init(_ identity: Identity, _ path: Path) {
        self.path = path
        holder =
            switch identity {
            case .anonymous: .anonymous
            case .administrator: .administrator
            case .user(let user): .user(Text(user.uid))
            }
    }
}

/// A lease that lasts: a session of the transport `lease`, which has no connection.
struct Lease {
    let session: Session
    var terms: LeaseRequest.Terms
    /// When it ends unless it is renewed, by the hub's wall clock: what clients are told. The driver goes by another clock.
    var expires: Int64
}

extension ConnectionID {
    /// The loop that leases seem to be of; there is none of that number.
    static let leaseLoop: UInt16 = .max

    /// Names a lease as if it had a connection.
    init(lease number: UInt64) {
        self.init(packed: UInt64(Self.leaseLoop) << 48 | number & 0xFFFF_FFFF_FFFF)
    }

    package var isLease: Bool { loop == Self.leaseLoop }
}
