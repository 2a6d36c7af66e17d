import Testing

@testable import DataTree

@Suite("Child index")
struct ChildIndexTests {
    private func entry(_ number: Int, _ key: Int) -> IndexEntry {
        IndexEntry(value: .number(Double(number)), key: Key("k\(key)"))
    }

    private func entries(_ index: ChildIndex) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        index.forEach(after: nil) {
            entries.append($0); return true
        }
        return entries
    }

    @Test("stays ordered, balanced and complete through random insertions and removals", arguments: [1, 2, 3])
    func randomChanges(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var index = ChildIndex(of: .empty, by: .value)
        var model: [Int: IndexEntry] = [:]
        for step in 0..<20_000 {
            let key = random.below(3000)
            // Growth first, then shrinking to nothing.
            let isRemoval = random.chance(step < 10_000 ? 20 : 85)
            let new = isRemoval ? nil : entry(random.below(40), key)
            index.update(model[key], to: new)
            model[key] = new
            if step % 1000 == 0 { #expect(index.isWellFormed) }
        }
        #expect(index.isWellFormed)
        #expect(entries(index) == model.values.sorted())
        for (_, entry) in model { index.update(entry, to: nil) }
        #expect(index.isWellFormed)
        #expect(index.count == 0)
    }

    @Test("walks from any place in both directions")
    func walks() {
        var random = SeededRandom(seed: 9)
        var index = ChildIndex(of: .empty, by: .value)
        var all: [IndexEntry] = []
        for key in 0..<1000 {
            let new = entry(random.below(100), key)
            index.update(nil, to: new)
            all.append(new)
        }
        all.sort()
        for _ in 0..<500 {
            let key: BoundKey = random.pick([.least, .greatest, .key(Key("k\(random.below(1100))"))])
            let cut = IndexCut(value: .number(Double(random.below(102)) - 1), key: key, isAfter: random.chance(50))
            var after: [IndexEntry] = []
            index.forEach(after: cut) {
                after.append($0); return after.count < 70
            }
            var before: [IndexEntry] = []
            index.forEach(before: cut) {
                before.append($0); return before.count < 70
            }
            let place = all.firstIndex { cut.precedes($0) } ?? all.count
            #expect(after == Array(all[place...].prefix(70)))
            #expect(before == Array(all[..<place].suffix(70).reversed()))
        }
    }

    @Test("a copy is a snapshot")
    func snapshots() {
        var index = ChildIndex(of: .empty, by: .value)
        for key in 0..<500 { index.update(nil, to: entry(key % 7, key)) }
        let copy = index
        let before = entries(index)
        for key in 0..<500 { index.update(entry(key % 7, key), to: key % 3 == 0 ? nil : entry(key % 5, key)) }
        #expect(entries(copy) == before)
        #expect(copy.isWellFormed && index.isWellFormed)
        #expect(entries(index) != before)
    }

    @Test("is built in the order of values and keys", arguments: [1, 2, 3, 4])
    func builds(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for index in [Query.Index.priority, .value, .key, .path("n"), .path("deep/n")] {
            let children = (0..<300).map { (Key("k\($0)"), random.child(prioritized: true)) }
            let node = Node(children: children)
            let built = ChildIndex(of: node, by: index)
            #expect(built.isWellFormed)
            #expect(entries(built) == children.compactMap { index.entry(key: $0.0, child: $0.1) }.sorted())
        }
    }

    @Test("ascending insertion fills pages")
    func ascending() {
        var index = ChildIndex(of: .empty, by: .value)
        for key in 0..<10_000 { index.update(nil, to: entry(key, key)) }
        #expect(index.isWellFormed)
        #expect(index.pageCount <= 10_000 / 60 + 10)
    }
}
