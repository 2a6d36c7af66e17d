import DataTree
import TestSupport
import Testing

@testable import SecurityRules

@Suite("the evaluator against a slow one written from the language's description")
struct ReferencePropertyTests {
    @Test("gives every expression the same outcome, failures included")
    func expressions() throws {
        var outcomes = [0, 0, 0]
        for seed in 0..<UInt64(TestScale.pick(1500, short: 300)) {
            var generator = ReferenceGenerator(seed: seed)
            let place = [generator.key(), generator.key()]
            let reference = ReferenceEvaluator(
                old: generator.tree(3), new: generator.tree(3), place: place,
                captures: ["$first": place[0], "$second": place[1]],
                auth: generator.below(4) == 0 ? nil : generator.tree(2), now: 1_700_000_000_000)
            let term = generator.boolean(1 + Int(seed % 5), ["$first", "$second"])
            let expected = reference.outcome(term)
            outcomes[expected.map { $0 ? 0 : 1 } ?? 2] += 1
            let outcome = try outcome(of: term, as: reference)
            #expect(outcome == expected, "seed \(seed): \(term.text)")
        }
        // The comparison means something only if everything happens often.
        #expect(outcomes.allSatisfy { $0 > outcomes.reduce(0, +) / 10 }, "\(outcomes)")
    }

    private func outcome(of term: ReferenceTerm, as reference: ReferenceEvaluator) throws -> Bool? {
        let rules = ReferenceRules()
        let second = ReferenceRules()
        second.write = term
        let first = ReferenceRules()
        first.wildcard = ("$second", second)
        rules.wildcard = ("$first", first)
        let compiled = try Rules.compiled(rules.text)
        var evaluator = Evaluator(
            compiled, by: RuleIdentity(auth: reference.auth?.node), now: Int64(reference.now), query: .none,
            old: reference.old.node, new: reference.new.node, observer: NoObserver())
        let place = reference.place.map { Key($0.text) }
        guard evaluator.descend(place[0]), evaluator.descend(place[1]) else { return nil }
        switch evaluator.outcome(of: 0, at: 2) {
        case .granted: return true
        case .refused: return false
        case .failed: return nil
        }
    }

    @Test("decides every read and write the same way")
    func decisions() throws {
        var verdicts = [true: 0, false: 0]
        for seed in 0..<UInt64(TestScale.pick(700, short: 150)) {
            var generator = ReferenceGenerator(seed: seed)
            let rules = generator.rules(3)
            let compiled = try Rules.compiled(rules.text)
            let auth = generator.below(3) == 0 ? nil : generator.tree(2)
            let identity = RuleIdentity(auth: auth?.node)
            let old = generator.tree(3)
            for _ in 0..<3 {
                let path = generator.path(3)
                let request = ReferenceRules.Request(auth: auth, now: 5, old: old, new: old)
                let expected = rules.allowsRead(path, request)
                let decision = compiled.read(Path(keys: path.map { Key($0.text) }), by: identity, now: 5, in: old.node)
                #expect(decision.isAllowed == expected, "seed \(seed): read \(path.map(\.text)) by \(rules.text)")
                verdicts[expected, default: 0] += 1

                var paths: [[Units]] = []
                var new = old
                for _ in 0...generator.below(3) {
                    let path = generator.path(3)
                    if paths.contains(where: { $0.starts(with: path) || path.starts(with: $0) }) { continue }
                    paths.append(path)
                    new = new.setting(path[...], to: generator.below(5) == 0 ? .empty : generator.tree(2))
                }
                let write = ReferenceRules.Request(auth: auth, now: 5, old: old, new: new)
                let isAllowed = rules.allowsWrite(paths, write)
                let judged = compiled.write(
                    paths.map { RuleWrite(Path(keys: $0.map { Key($0.text) })) }, by: identity, now: 5,
                    from: old.node, to: new.node)
                #expect(
                    judged.isAllowed == isAllowed,
                    "seed \(seed): write \(paths.map { $0.map(\.text) }) by \(rules.text)")
                verdicts[isAllowed, default: 0] += 1
            }
        }
        #expect(verdicts.values.allSatisfy { $0 > 300 || TestScale.isShort }, "\(verdicts)")
    }

    @Test("prints numbers the same way")
    func numbers() {
        var random = SeededRandom(11)
        for _ in 0..<TestScale.pick(5000, short: 1000) {
            let value = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
            #expect(printedNumber(value) == ReferenceEvaluator.printed(value).text)
            let short = (Double(Int64.random(in: -1_000_000...1_000_000, using: &random))) / 1000
            #expect(printedNumber(short) == ReferenceEvaluator.printed(short).text)
        }
    }
}
