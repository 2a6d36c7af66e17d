import DataTree
import Testing

@testable import SecurityRules

@Suite("the query of a read as rules see it")
struct RuleQueryTests {
    /// The properties that are set, in their order.
    private func shown(_ wire: String, _ transport: RuleQuery.Transport = .socket) throws -> String {
        let query = try Array(wire.utf8).withUnsafeBytes { bytes in
            var cursor = JSONCursor(bytes)
            return try Query(cursor: &cursor)
        }
        let seen = RuleQuery(query, over: transport)
        let properties: [QueryProperty] = [
            .orderByKey, .orderByValue, .orderByPriority, .orderByChild, .startAt, .endAt, .equalTo, .limitToFirst,
            .limitToLast,
        ]
        return properties.compactMap { property in
            switch seen.value(property) {
            case .null, .bool(false): nil
            case .bool(true): property.rawValue
            case .number(let number): "\(property.rawValue) \(printedNumber(number))"
            case .text(let text): "\(property.rawValue) '\(text)'"
            case .object, .opaque: "\(property.rawValue)?"
            }
        }.joined(separator: ", ")
    }

    @Test(
        "has an order, bounds and limits",
        arguments: [
            ("{}", ""),
            (#"{"l": 5, "vf": "l"}"#, "orderByPriority, limitToFirst 5"),
            (#"{"i": ".key", "sp": "a", "ep": "m"}"#, "orderByKey, startAt 'a', endAt 'm'"),
            (#"{"i": ".value", "sp": 1, "l": 3, "vf": "r"}"#, "orderByValue, startAt 1, limitToLast 3"),
            (#"{"i": "a/b"}"#, "orderByChild 'a/b'"),
            (#"{"i": "a", "sp": "x", "ep": "x"}"#, "orderByChild 'a', equalTo 'x'"),
            (#"{"i": "a", "sp": "x", "sn": "k", "ep": "x", "en": "k"}"#, "orderByChild 'a', equalTo 'x'"),
            (#"{"i": "a", "sp": "x", "sn": "k", "ep": "x"}"#, "orderByChild 'a', startAt 'x', endAt 'x'"),
            // What SDKs send for startAfter and endBefore.
            (#"{"i": "a", "sp": 1, "sin": false, "sn": "[MAX_NAME]"}"#, "orderByChild 'a', startAt 1"),
            (#"{"i": "a", "ep": 1, "ein": false, "en": "[MIN_NAME]"}"#, "orderByChild 'a', endAt 1"),
            (#"{"i": ".key", "sp": "k", "ep": "k"}"#, "orderByKey, equalTo 'k'"),
        ])
    func properties(wire: String, expected: String) throws { #expect(try shown(wire) == expected) }

    @Test("over REST a read without an order is by key")
    func rest() throws {
        #expect(try shown("{}", .rest) == "orderByKey")
        #expect(try shown(#"{"i": ".value"}"#, .rest) == "orderByValue")
    }
}
