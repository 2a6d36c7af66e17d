import TestSupport
import Testing

@Suite("The list of conformance checks")
struct CheckListTests {
    struct Row {
        let number: Int
        let proof: String

        /// What stands in the proof between backquotes and looks like a file.
        var files: [String] {
            proof.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 && $0.element.contains("/") }.map { String($0.element) }
        }

        var conversations: Set<String> {
            Set(files.filter { $0.hasPrefix("conversations/") }.map { String($0.dropFirst("conversations/".count)) })
        }
    }

    private func rows() throws -> [Row] {
        try ProjectFiles.text("protocol/checks.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            guard line.hasPrefix("| "), cells.count >= 3, let number = Int(cells[0].split(separator: " ").first ?? "")
            else {
                return nil
            }
            return Row(number: number, proof: String(cells[2]))
        }
    }

    @Test("it has the checks 1 to 117, each once and in order")
    func numbers() throws {
        #expect(try rows().map(\.number) == Array(1...117))
    }

    @Test("it names for each check the conversations that name the check, and no others")
    func conversations() throws {
        var files: [Int: Set<String>] = [:]
        for conversation in try ConversationFiles.all() {
            for check in conversation.checks { files[check, default: []].insert(conversation.file) }
        }
        for row in try rows() { #expect(row.conversations == files[row.number] ?? [], "check \(row.number)") }
        #expect(files.keys.allSatisfy { (1...117).contains($0) })
    }

    @Test("every check has a proof, or a reason why it has none")
    func proofs() throws {
        for row in try rows() where row.files.isEmpty {
            #expect(row.proof.hasPrefix("Open: ") || row.proof.hasPrefix("Different: "), "check \(row.number)")
        }
    }

    @Test("the tests it names are there")
    func files() throws {
        for row in try rows() {
            for file in row.files where !row.conversations.contains(String(file.dropFirst("conversations/".count))) {
                #expect(throws: Never.self, "check \(row.number)") { try ProjectFiles.bytes(file) }
            }
        }
    }
}
