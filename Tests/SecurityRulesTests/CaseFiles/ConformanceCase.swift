import SecurityRules
import TestSupport
import Testing

/// One of the numbered cases in `Cases/conformance.json`: rules of its own, and what becomes of them.
///
/// The file is a file of rule cases whose cases have four more members: `number`, `section`, `rules` (the text of the
/// `rules` value), and, instead of an operation, `refused`: with which message the rules do not upload.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    enum Expectation: Sendable {
        case verdict(RuleCase)
        /// The message without its `line:column: `. Where the message begins with "unsupported", only the beginning of
        /// it is settled.
        case refusal(String)
    }

    let number: Int
    let section: String
    let name: String
    /// The value of the `rules` key.
    let rules: String
    let expectation: Expectation

    /// The text of the whole rules file.
    var document: String { "{\"rules\": \(rules)}" }

    var testDescription: String { "\(number). \(name)" }

    struct Malformed: Error {
        let number: Int?
    }

    static func all() throws -> [ConformanceCase] {
        let file = try ConversationJSON(CaseFiles.text("conformance.json"))
        guard case .array(let cases)? = file["cases"], case .object(let members) = file else {
            throw Malformed(number: nil)
        }
        return try cases.map { try ConformanceCase($0, surroundings: members.filter { $0.name != "cases" }) }
    }

    private init(_ json: ConversationJSON, surroundings: [(name: String, value: ConversationJSON)]) throws {
        guard case .object(let members) = json, let number = json["number"]?.integer,
            let section = json["section"]?.text, let name = json["name"]?.text,
            let rules = json["rules"]?.text
        else { throw Malformed(number: json["number"]?.integer) }
        self.number = number
        self.section = section
        self.name = name
        self.rules = rules
        if let message = json["refused"]?.text {
            expectation = .refusal(message)
            return
        }
        let rest = members.filter { !["number", "section", "rules"].contains($0.name) }
        let file = ConversationJSON.object(surroundings + [("cases", .array([.object(rest)]))])
        guard let read = try RuleCase.all(in: Array(file.json.utf8)).first else { throw Malformed(number: number) }
        expectation = .verdict(read)
    }
}
