import DataTree
import SecurityRules
import Testing

@Suite("declared indexes")
struct RuleIndexTests {
    private let rules: CompiledRules

    init() throws {
        rules = try Rules.compiled(
            """
            {"list": {".indexOn": ["pos", "a/b"], "$item": {".indexOn": ".value"}, "fixed": {}}, ".indexOn": "x"}
            """)
    }

    @Test("hold for the children of their place alone")
    func places() {
        #expect(rules.indexes(at: "list") == [.path("pos"), .path("a/b")])
        #expect(rules.indexes(at: "list/one") == [.value])
        #expect(rules.indexes(at: "list/fixed") == [])
        #expect(rules.indexes(at: "list/one/deeper") == [])
        #expect(rules.indexes(at: "other") == [])
        #expect(rules.indexes(at: .root) == [.path("x")])
    }

    @Test("are needed for order by child or value, not for order by key or priority")
    func need() {
        #expect(rules.isIndexed(.path("pos"), at: "list") && rules.isIndexed(.path("a/b"), at: "list"))
        #expect(!rules.isIndexed(.path("a"), at: "list") && !rules.isIndexed(.value, at: "list"))
        #expect(rules.isIndexed(.value, at: "list/one"))
        #expect(rules.isIndexed(.key, at: "other") && rules.isIndexed(.priority, at: "other"))
    }

    @Test("are asked for in the words of the official service")
    func text() {
        #expect(
            CompiledRules.indexNotDefined(.path("pos"), at: "list")
                == #"Index not defined, add ".indexOn": "pos", for path "/list", to the rules"#)
        #expect(
            CompiledRules.indexNotDefined(.value, at: .root)
                == #"Index not defined, add ".indexOn": ".value", for path "/", to the rules"#)
    }
}
