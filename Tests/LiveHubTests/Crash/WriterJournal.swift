import DataTree

/// What one writer knows of its writes: what the hub has acknowledged, and what it may or may not have stored. Kept
/// outside of the hub, over its crashes.
struct WriterJournal: Sendable {
    /// A place that only this writer writes, with what may be found there.
    struct Place: Sendable {
        /// The last acknowledged content; nil for nothing.
        var acknowledged: Int?
        /// Contents sent after it and not answered; any of them, or none, may have been stored.
        var unanswered: [Int?] = []

        func allows(_ found: Int?) -> Bool { found == acknowledged || unanswered.contains(found) }
    }

    let writer: Int
    var values: [Place]
    /// One number that every multi-path update writes at three places.
    var spread = Place()
    /// One number that is written together with a text as long as it says.
    var block = Place()
    /// Write ids of increments that were acknowledged, and of those that were not answered.
    var counted: Set<Int> = []
    var uncounted: Set<Int> = []
    /// The last number used.
    var last = 0
    /// Answers that no write here may get.
    var surprises: [String] = []

    static let valueCount = 20

    init(writer: Int) {
        self.writer = writer
        values = Array(repeating: Place(), count: Self.valueCount)
    }

    var root: String { "/load/w\(writer)" }

    /// The length of the text of a block with this number: up to several segments of the wire.
    static func length(ofBlock number: Int) -> Int { number * 7919 % 40_000 }

    /// Compares a database with what was promised and takes what is there for the truth from now on.
    ///
    /// - Returns: every promise that does not hold.
    mutating func settle(with tree: Node) -> [String] {
        var broken = surprises
        surprises = []
        let own = tree.node(at: Path(root))
        for index in values.indices {
            let found = own.node(at: Path("values/k\(index)")).number
            if !values[index].allows(found) {
                broken.append("\(root)/values/k\(index) is \(show(found)), \(values[index])")
            }
            values[index] = Place(acknowledged: found)
        }
        let places = ["\(root)/spread/near", "\(root)/spread/far/a/b/c", "/mirror/w\(writer)"]
        let found = places.map { tree.node(at: Path($0)).number }
        if Set(found).count != 1 { broken.append("a multi-path update is half there: \(found.map(show)) at \(places)") }
        if !spread.allows(found[0]) { broken.append("\(root)/spread is \(show(found[0])), \(spread)") }
        spread = Place(acknowledged: found[0])
        let number = own.node(at: Path("block/number")).number
        let text = own.node(at: Path("block/text")).textLength
        if !block.allows(number) { broken.append("\(root)/block is \(show(number)), \(block)") }
        if let number, text != WriterJournal.length(ofBlock: number) {
            broken.append("\(root)/block \(number) has a text of \(text)")
        }
        block = Place(acknowledged: number)
        return broken
    }

    /// Checks the counters, once no increment is unanswered.
    func checkCounters(in tree: Node) -> [String] {
        let own = tree.node(at: Path("\(root)/count"))
        return ["p", "m"].compactMap { kind in
            let wanted = counted.count { kind == "p" ? $0 % 2 == 0 : $0 % 2 != 0 }
            let found = own.node(at: Path(kind)).number ?? 0
            return found == wanted ? nil : "\(root)/count/\(kind) is \(found) after \(wanted) increments"
        }
    }

    private func show(_ number: Int?) -> String { number.map(String.init) ?? "nothing" }
}

extension Node {
    /// A whole number, or nil for anything else.
    var number: Int? {
        if case .integer(let value)? = leaf { return Int(value) }
        return nil
    }

    /// The UTF-8 bytes of a text, 0 for anything else.
    var textLength: Int {
        if case .string(let text)? = leaf { return text.string.utf8.count }
        return 0
    }
}
