import Synchronization

/// A place for a digest that several threads may read and fill in at once.
///
/// All who fill it in write the same value. The words are atomic and the flag publishes them, so a reader sees all of
/// the digest or none. `reset` is for the sole owner of what is hashed.
struct CachedDigest: ~Copyable {
    private let first = Atomic<UInt64>(0)
    private let second = Atomic<UInt64>(0)
    /// The last 32 bits of the digest on top, 1 in the lowest bit when the digest is complete.
    private let third = Atomic<UInt64>(0)

    var value: SHA1Digest? {
        let last = third.load(ordering: .acquiring)
        guard last & 1 == 1 else { return nil }
        return SHA1Digest(
            first: first.load(ordering: .relaxed), second: second.load(ordering: .relaxed), third: last & ~1)
    }

    func store(_ digest: SHA1Digest) {
        first.store(digest.first, ordering: .relaxed)
        second.store(digest.second, ordering: .relaxed)
        third.store(digest.third | 1, ordering: .releasing)
    }

    func reset() { third.store(0, ordering: .relaxed) }
}
