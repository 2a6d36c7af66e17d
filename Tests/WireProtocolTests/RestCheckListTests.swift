import Testing

/// The checks of REST clients have numbers, 1 to 132; the titles of the tests that prove them begin with these.
@Suite("The checks of REST clients")
struct RestCheckListTests {
    private static let files = [
        "Basics", "Output", "ServerValue", "Error", "Query", "ETag", "Streaming", "Access", "Management", "Connection",
    ]

    /// The numbers at the beginning of a title: `57, …`, `53, 54, 55, …` or `66 to 73, …`.
    private func numbers(of title: Substring) -> [Int] {
        var numbers: [Int] = []
        var rest = title
        while let end = rest.firstIndex(where: { !$0.isNumber }), let number = Int(rest[..<end]) {
            rest = rest[end...]
            if rest.hasPrefix(" to "), let last = Int(rest.dropFirst(4).prefix { $0.isNumber }) {
                return numbers + Array(number...last)
            }
            guard rest.hasPrefix(", ") else { break }
            numbers.append(number)
            rest = rest.dropFirst(2)
        }
        return numbers
    }

    @Test("each has a test that names it, and no test names another")
    func all() throws {
        var proved: Set<Int> = []
        for file in RestCheckListTests.files {
            let text = try ProjectFiles.text("Tests/LiveHubTests/REST/Rest\(file)Tests.swift")
            for part in text.split(separator: "@Test(").dropFirst() {
                let title = part.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" }
                proved.formUnion(numbers(of: title))
            }
        }
        #expect(proved.sorted() == Array(1...132))
    }
}
