import DataTree
import Testing

@Suite("Query identity and errors")
struct QueryTests {
    private func query(_ edit: (inout QueryFields) -> Void) throws -> Query {
        var fields = QueryFields()
        edit(&fields)
        return try fields.query()
    }

    private func error(_ edit: (inout QueryFields) -> Void) -> QueryError? {
        do {
            _ = try query(edit)
            return nil
        } catch {
            return error as? QueryError
        }
    }

    @Test("no fields are the default query, also with the priority index spelled out")
    func defaults() throws {
        #expect(try query { _ in } == .default)
        #expect(try query { $0.index = ".priority" } == .default)
        #expect(try query { $0.index = ".key" } == .complete(by: .key))
    }

    @Test("1 and 1.0 are one endpoint, and so are 0 and -0")
    func numbers() throws {
        func start(_ leaf: Leaf) throws -> Query {
            try query {
                $0.index = ".value"
                $0.start.value = ValueOrder(leaf)
            }
        }
        #expect(try start(.integer(1)) == start(.double(1)))
        #expect(try start(.double(-0.0)).hashValue == start(.integer(0)).hashValue)
        #expect(try start(.integer(1)) != start(.bool(true)))
    }

    @Test("a null bound is a bound")
    func nullBound() throws {
        let query = try query { $0.start.value = .null }
        #expect(query.start != nil && query.filters)
    }

    @Test("included is the default, and has no meaning at the ends of the key order")
    func inclusion() throws {
        let plain = try query { $0.start.value = .number(1) }
        let spelled = try query {
            $0.start.value = .number(1)
            $0.start.key = "[MIN_NAME]"
            $0.start.isInclusive = false
        }
        #expect(plain == spelled)
        let end = try query { $0.end.value = .number(1) }
        let spelledEnd = try query {
            $0.end.value = .number(1)
            $0.end.key = "[MAX_NAME]"
            $0.end.isInclusive = false
        }
        #expect(end == spelledEnd)
        let before = try query {
            $0.end.value = .number(1)
            $0.end.key = "[MIN_NAME]"
        }
        #expect(before.end?.isInclusive == false && before != end)
    }

    @Test("a bound of the key index is a key, and a tie-breaking key beside it is passed over")
    func keyIndex() throws {
        let query = try query {
            $0.index = ".key"
            $0.start.value = .string("a")
            $0.start.key = "b"
        }
        #expect(query.start == QueryBound(key: "a"))
        #expect(
            error {
                $0.index = ".key"; $0.end.value = .number(1)
            } == .keyBoundNotText(field: "ep"))
    }

    @Test("keys longer than a stored key may be are accepted in bounds")
    func longKeys() throws {
        let key = String(repeating: "z", count: 786)
        let query = try query {
            $0.start.value = .number(1)
            $0.start.key = key
        }
        #expect(query.start?.key == .key(Key(key)))
    }

    @Test("without an anchor a limit counts from the start when there is one, else from the end")
    func anchors() throws {
        #expect(try query { $0.limit = .integer(3) }.limit == .init(count: 3, anchor: .last))
        let started = try query {
            $0.limit = .integer(3)
            $0.start.value = .null
        }
        #expect(started.limit == .init(count: 3, anchor: .first))
    }

    @Test(
        "limits out of range are refused",
        arguments: [
            (Leaf.integer(0), QueryError.badLimit("0")), (.integer(-1), .badLimit("-1")),
            (.double(1.5), .badLimit("1.5")), (.double(1e300), .badLimit("1e+300")),
            (.integer(2_147_483_648), .badLimit("2147483648")), (.integer(.max), .badLimit("9223372036854775807")),
            (.string("5"), .wrongType(field: "l", expected: "a whole number")),
        ])
    func limits(limit: Leaf, expected: QueryError) {
        #expect(error { $0.limit = limit } == expected)
    }

    @Test("fields that contradict each other are refused")
    func contradictions() {
        #expect(error { $0.anchor = "x" } == .unknownAnchor("x"))
        #expect(error { $0.start.key = "k" } == .withoutBound(field: "sn", bound: "sp"))
        #expect(error { $0.end.isInclusive = true } == .withoutBound(field: "ein", bound: "ep"))
        #expect(error { $0.start.value = .bool(true) } == .priorityBoundType(field: "sp"))
        for text in [".keys", "a.b", "", "/", "a/$b"] { #expect(error { $0.index = text } == .badIndex(text)) }
    }

    @Test(
        "refusals say what to send instead",
        arguments: [
            (
                QueryError.badLimit("0"),
                "query limit \"l\" is 0; send a whole number from 1 to 2147483647"
            ),
            (
                .unknownAnchor("x"),
                "query field \"vf\" is \"x\"; send \"l\" to count from the start or \"r\" to count from the end"
            ),
            (
                .badIndex("a.b"),
                "query index \"a.b\" cannot be used; send \".key\", \".value\", \".priority\" or a child path such as \"a/b\""
            ),
            (.notAnObject, "a query must be an object; send {} or leave it out for the whole node"),
            (
                .keyBoundNotText(field: "sp"),
                "query field \"sp\" must be a key when ordering by \".key\"; send a string"
            ),
            (
                .priorityBoundType(field: "ep"),
                "query field \"ep\" must be a priority when ordering by priority; send null, a number or a string"
            ),
            (
                .objectBound(field: "sp"),
                "query field \"sp\" is an object or array; send null, a boolean, a number or a string"
            ),
            (.withoutBound(field: "sn", bound: "sp"), "query field \"sn\" stands without \"sp\"; send both or neither"),
            (
                .wrongType(field: "sin", expected: "true or false"),
                "query field \"sin\" has the wrong type; send true or false"
            ),
            (
                .malformed(JSONError(offset: 3, reason: .unexpectedEnd)),
                "the query is not valid JSON: The JSON text ends too early; send it whole (at byte 3)"
            ),
        ])
    func texts(error: QueryError, text: String) {
        #expect("\(error)" == text)
    }
}
