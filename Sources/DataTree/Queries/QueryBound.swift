/// The key part of a query's start or end: an ordinary key of any length, or an end of the key order.
///
/// The ends are written `[MIN_NAME]` and `[MAX_NAME]` on the wire, which no stored key can spell
/// (public JavaScript SDK, `util.ts` `MIN_NAME`, `MAX_NAME`).
package enum BoundKey: Hashable, Sendable {
    case least
    case key(Key)
    case greatest

    static let leastText = "[MIN_NAME]"
    static let greatestText = "[MAX_NAME]"

    /// Reads the key of a bound as a client wrote it.
    package init(_ text: String) {
        // The sentinels are ASCII, so that comparing bytes is comparing text.
        if text.utf8.elementsEqual(Self.leastText.utf8) {
            self = .least
        } else if text.utf8.elementsEqual(Self.greatestText.utf8) {
            self = .greatest
        } else {
            self = .key(Key(text))
        }
    }
}

/// The start or the end of a query: an index value, a key that breaks ties, and whether that very place belongs to it.
///
/// Under the key index the value is `.null` and the key is the bound itself.
package struct QueryBound: Hashable, Sendable {
    package var value: ValueOrder
    package var key: BoundKey
    package var isInclusive: Bool

    package init(value: ValueOrder, key: BoundKey, isInclusive: Bool = true) {
        self.value = value
        self.key = key
        self.isInclusive = isInclusive
    }

    /// A bound for the key index.
    package init(key: Key, isInclusive: Bool = true) {
        self.init(value: .null, key: .key(key), isInclusive: isInclusive)
    }

    /// Where no key can be equal to the bound's, inclusion has no meaning. One spelling is kept for each place, the
    /// one that the JavaScript SDK sends, so that clients of all platforms share a window.
    func normalized(isStart: Bool) -> QueryBound {
        switch key {
        case .key: self
        case .least: QueryBound(value: value, key: .least, isInclusive: isStart)
        case .greatest: QueryBound(value: value, key: .greatest, isInclusive: !isStart)
        }
    }
}
