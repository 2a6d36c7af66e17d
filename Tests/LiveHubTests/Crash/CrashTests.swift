import TestSupport
import Testing

@Suite("a hub that is killed", .blocking, .serialized)
struct CrashTests {
    @Test(
        "keeps every acknowledged write, no half of an update, no write twice, and runs every onDisconnect operation once"
    )
    func rounds() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed)
        let scene = try CrashScene(writers: 4, seed: seed)
        for round in 1...TestScale.pick(12, short: 4) {
            let end: CrashScene.End = round % 6 == 0 ? .stopped : round % 3 == 0 ? .killedStopping : .killed
            try scene.round(
                load: .milliseconds(Int.random(in: 20...700, using: &random)), end: end, killedStarts: round % 3)
            let broken = try scene.brokenPromises()
            for promise in broken.prefix(5) { Issue.record("round \(round), seed \(seed), \(end): \(promise)") }
            if !broken.isEmpty { return }
        }
        let figures = scene.figures
        let least = TestScale.pick(10, short: 2)
        #expect(figures.increments > least && figures.sessions > least, "the load was no load: \(figures)")
    }
}
