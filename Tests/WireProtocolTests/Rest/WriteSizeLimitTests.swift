import Testing
import WireProtocol

@Suite("How much one write may change")
struct WriteSizeLimitTests {
    @Test("130, leaves that go, leaves that come and the bytes of the body make the cost")
    func cost() {
        let cost = WriteSizeLimit.cost(removedLeaves: 400_000, addedLeaves: 99_000, bodyBytes: 16_015)
        #expect(cost == 500_000)
        #expect(WriteSizeLimit.tiny.allows(cost: cost) && !WriteSizeLimit.tiny.allows(cost: cost + 1))
        #expect(WriteSizeLimit.unlimited.allows(cost: .max))
        #expect(WriteSizeLimit.allCases.map(\.greatestCost) == WriteSizeLimit.allCases.map(\.greatestCost).sorted())
    }

    @Test("the limits stand in the proportion 1, 10, 30, 60")
    func proportion() {
        let tiny = WriteSizeLimit.tiny.greatestCost
        #expect(WriteSizeLimit.allCases.dropLast().map { $0.greatestCost / tiny } == [1, 10, 30, 60])
        // A body of the greatest length is no reason by itself to refuse a write under the default.
        let bytes = 256 << 20
        #expect(
            WriteSizeLimit.large.allows(cost: WriteSizeLimit.cost(removedLeaves: 0, addedLeaves: 0, bodyBytes: bytes)))
    }
}
