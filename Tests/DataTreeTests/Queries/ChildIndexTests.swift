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

    @Test("finds every entry after whole stretches went and came back", arguments: 1...4)
    func stretches(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var present = Array(repeating: true, count: 12_000)
        // Ascending insertion makes full pages, of which whole ones can go; three levels, so that inner pages merge too.
        var index = ChildIndex(of: .empty, by: .value)
        for number in present.indices { index.update(nil, to: entry(number, 0)) }
        for round in 0..<150 {
            let start = random.below(present.count)
            let chanceToStay = round % 50 < 35 ? random.below(8) : 60
            for number in start..<min(start + 600, present.count) {
                let isPresent = random.chance(chanceToStay)
                index.update(present[number] ? entry(number, 0) : nil, to: isPresent ? entry(number, 0) : nil)
                present[number] = isPresent
            }
        }
        #expect(index.isWellFormed)
        #expect(index.count == present.count { $0 })
        for number in present.indices where present[number] { index.update(entry(number, 0), to: nil) }
        #expect(index.count == 0)
    }

    @Test("an entry before the lowest one of its page is found after inner pages merged")
    func innerMerge() {
        let page = IndexPage.capacity
        // Ascending insertion makes full pages; the first removals join the inner pages to full ones.
        var index = ChildIndex(of: .empty, by: .value)
        for number in 0..<(200 * page) { index.update(nil, to: entry(number, 0)) }
        func removePages(_ pages: Range<Int>) {
            for number in (pages.lowerBound * page)..<(pages.upperBound * page) {
                index.update(entry(number, 0), to: nil)
            }
        }
        for first in [10, 70, 140] { removePages(first..<(first + 1)) }
        // Whole first pages go, and an entry comes back in their place.
        let returned = (1..<200).filter { $0 % 32 == 0 }
        for first in returned { removePages(first..<(first + 1)) }
        for first in returned { index.update(nil, to: entry(first * page + 1, 0)) }
        for start in stride(from: 0, to: 180, by: 32) { removePages((start + 11)..<min(start + 32, 200)) }
        #expect(index.isWellFormed)
        let count = index.count
        for first in returned { index.update(entry(first * page + 1, 0), to: nil) }
        #expect(index.count == count - returned.count)
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
