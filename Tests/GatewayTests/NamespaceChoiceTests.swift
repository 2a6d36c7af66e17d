import HubEngine
import Testing

@testable import Gateway

@Suite("The choice of a namespace")
struct NamespaceChoiceTests {
    let choice = NamespaceChoice(suffixes: ["db.example.org"])

    @Test(
        "takes ns, else the label before a suffix of the host, else the default",
        arguments: [
            ("demo", "other.localhost:9000", "demo"),
            (nil, "demo.localhost:9000", "demo"),
            (nil, "Demo.LOCALHOST", "demo"),
            (nil, "room.db.example.org", "room"),
            (nil, "a.room.db.example.org:80", "room"),
            (nil, "db.example.org", "default"),
            (nil, "localhost:9000", "default"),
            (nil, "127.0.0.1:9000", "default"),
            (nil, "[::1]:9000", "default"),
            (nil, "hub.internal", "default"),
            ("", "demo.localhost", "demo"),
            ("Mixed_Case-1", "x", "Mixed_Case-1"),
        ] as [(String?, String, String)])
    func chosen(query: String?, host: String, name: String) {
        #expect(choice.name(query: query, host: host) == .success(name))
    }

    @Test(
        "refuses names that are not allowed",
        arguments: ["_accounts", "-a", "a b", "a/b", "ä", "a.b", String(repeating: "a", count: 65), "a\u{0}"])
    func refused(name: String) {
        #expect(choice.name(query: name, host: "x") == .failure(.invalidName(name)))
    }

    @Test("allows 64 characters")
    func longest() {
        #expect(NamespaceChoice.isValid(String(repeating: "a", count: 64)))
    }

    @Test("says in a refusal what to do")
    func texts() {
        #expect(NamespaceRefusal.unknown("demo").description.hasSuffix("or start the hub with `--namespace demo`"))
        #expect(NamespaceRefusal.unknown("demo").status == 404)
        #expect(NamespaceRefusal.tooMany(limit: 64).description.contains("--max-namespaces"))
    }
}
