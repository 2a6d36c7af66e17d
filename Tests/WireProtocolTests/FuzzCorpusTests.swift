import Fuzzing
import Testing

@Suite("inputs that a fuzzer found")
struct FuzzCorpusTests {
    @Test("decoders agree over every input of the corpus, and none makes them trap", arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) throws {
        let folder = "Tests/Corpus/\(target.rawValue)"
        let names = try ProjectFiles.names(in: folder, suffix: "").filter { !$0.hasPrefix(".") }
        #expect(names.count > 100)
        for name in names {
            let disagreement = try ProjectFiles.bytes("\(folder)/\(name)").withUnsafeBytes { bytes in
                target.disagreement(over: bytes)
            }
            #expect(disagreement == nil, "\(target) \(name)")
        }
    }
}
