import Testing

@testable import hearth

@Suite("the address of a hub")
struct HubAddressTests {
    @Test(
        "is read from what a person or an SDK calls it",
        arguments: [
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000"), ("https://db.example/", "https://db.example"),
            ("127.0.0.1:9000", "http://127.0.0.1:9000"), ("wss://db.example:443", "https://db.example:443"),
            ("ws://[::1]:9000", "http://[::1]:9000"), ("HTTP://[::1]", "http://[::1]"),
        ])
    func forms(text: String, address: String) throws { #expect(try HubAddress(text).text == address) }

    @Test("may name the namespace as the URL of an SDK does")
    func namespace() throws {
        #expect(try HubAddress("http://127.0.0.1:9000/?ns=demo").namespace == "demo")
        #expect(try HubAddress("http://demo.localhost:9000").namespaceOfHost == "demo")
        #expect(try HubAddress("http://localhost:9000").namespaceOfHost == nil)
    }

    @Test(
        "that makes no sense is refused, and shows no secret",
        arguments: [
            ("ftp://x", "--url cannot be 'ftp://x'; give http://HOST:PORT"),
            ("http://", "--url cannot be 'http://'; give http://HOST:PORT"),
            ("http://x:0", "--url cannot be 'http://x:0'; give http://HOST:PORT"),
            ("::1", "--url cannot be '::1'; give http://HOST:PORT"),
            ("http://x?auth=hush", "--url cannot be 'http://x'; give http://HOST:PORT"),
            (
                "http://x/a/b.json?auth=hush",
                "--url cannot be 'http://x'; give http://HOST:PORT"
            ),
            ("http://x/a", "--url names a hub and no place in it; give http://HOST:PORT, and the place as PATH"),
            (
                "http://ada:hush@x",
                "--url takes no user and password; give http://HOST:PORT, and a token with --auth"
            ),
        ])
    func refusals(text: String, problem: String) {
        #expect(throws: CommandProblem.usage(problem)) { try HubAddress(text) }
    }

    @Test(
        "knows what is on this machine, where no proxy is asked",
        arguments: [
            ("http://localhost", true), ("http://demo.localhost:1", true), ("http://127.1.2.3", true),
            ("http://[::1]:9000", true), ("http://192.168.0.1", false), ("http://localhost.example", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws { #expect(try HubAddress(text).isLoopback == isLoopback) }

    @Test("is shown without user, place and parameters")
    func shown() {
        #expect(HubAddress.shown("http://ada:hush@x:1/a.json?auth=hush#hush") == "http://x:1")
    }
}
