import DataTree
import Testing

@Suite("Query objects on the wire")
struct QueryWireTests {
    private func read(_ json: String) throws -> Query {
        let bytes = Array(json.utf8)
        return try bytes.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            let query = try Query(cursor: &cursor)
            try cursor.expectEnd()
            return query
        }
    }

    @Test(
        "query objects of all SDKs are read and written back in one form",
        arguments: [
            ("{}", "{}"),
            (#"{"i":".priority"}"#, "{}"),
            (#"{"i":"a/b"}"#, #"{"i":"a/b"}"#),
            (#"{"i":"/a/b/"}"#, #"{"i":"a/b"}"#),
            (#"{"l":2,"vf":"r","i":".key"}"#, #"{"i":".key","l":2,"vf":"r"}"#),
            (#"{"l":2.0,"vf":"l"}"#, #"{"l":2,"vf":"l"}"#),
            (#"{"l":2}"#, #"{"l":2,"vf":"r"}"#),
            (#"{"l":2,"sp":null}"#, #"{"l":2,"sin":true,"sp":null,"vf":"l"}"#),
            (#"{"sp":null}"#, #"{"sin":true,"sp":null}"#),
            (#"{"ep":null,"i":"n"}"#, #"{"ein":true,"ep":null,"i":"n"}"#),
            (
                #"{"i":"n","sp":1.0,"sn":"k","ep":1e0,"en":"k"}"#,
                #"{"ein":true,"en":"k","ep":1,"i":"n","sin":true,"sn":"k","sp":1}"#
            ),
            (
                #"{"sp":2,"sn":"[MAX_NAME]","sin":false,"i":"n"}"#,
                #"{"i":"n","sin":false,"sn":"[MAX_NAME]","sp":2}"#
            ),
            (#"{"sp":2,"sn":"[MAX_NAME]","i":"n"}"#, #"{"i":"n","sin":false,"sn":"[MAX_NAME]","sp":2}"#),
            (#"{"ep":2,"en":"[MIN_NAME]","i":"n"}"#, #"{"ein":false,"en":"[MIN_NAME]","ep":2,"i":"n"}"#),
            (#"{"ep":2,"en":"[MAX_NAME]","i":"n"}"#, #"{"ein":true,"ep":2,"i":"n"}"#),
            (#"{"i":".key","sp":"a","sin":false}"#, #"{"i":".key","sin":false,"sp":"a"}"#),
            (#"{"i":".key","sp":"a","sn":"b"}"#, #"{"i":".key","sin":true,"sp":"a"}"#),
            (#"{"i":".key","ep":"[MAX_NAME]"}"#, #"{"ein":true,"ep":"[MAX_NAME]","i":".key"}"#),
            (
                #"{"i":".value","sp":true,"ep":"\u00e9\"","future":{"x":[1]}}"#,
                #"{"ein":true,"ep":"é\"","i":".value","sin":true,"sp":true}"#
            ),
            (#"{"i":".value","sp":0.5,"ep":1e300}"#, #"{"ein":true,"ep":1e300,"i":".value","sin":true,"sp":0.5}"#),
        ])
    func canonicalForm(json: String, canonical: String) throws {
        let query = try read(json)
        #expect(query.description == canonical.replacing("1e300", with: number(1e300)))
        #expect(try read(query.description) == query)
    }

    private func number(_ value: Double) -> String {
        var writer = JSONWriter()
        writer.double(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "bad query objects are refused with their reason",
        arguments: [
            ("[]", QueryError.notAnObject), ("null", .notAnObject), ("5", .notAnObject),
            (#"{"l":0}"#, .badLimit("0")), (#"{"l":-1}"#, .badLimit("-1")), (#"{"l":1.5}"#, .badLimit("1.5")),
            (#"{"l":"5"}"#, .wrongType(field: "l", expected: "a whole number")),
            (#"{"l":null}"#, .wrongType(field: "l", expected: "a whole number")),
            (#"{"l":3,"vf":"x"}"#, .unknownAnchor("x")), (#"{"vf":1}"#, .wrongType(field: "vf", expected: "a string")),
            (#"{"i":5}"#, .wrongType(field: "i", expected: "a string")), (#"{"i":"$a"}"#, .badIndex("$a")),
            (#"{"sp":{}}"#, .objectBound(field: "sp")), (#"{"ep":[1]}"#, .objectBound(field: "ep")),
            (#"{"sp":1,"sin":1}"#, .wrongType(field: "sin", expected: "true or false")),
            (#"{"sp":1,"sn":null}"#, .wrongType(field: "sn", expected: "a string")),
            (#"{"sn":"k"}"#, .withoutBound(field: "sn", bound: "sp")),
            (#"{"i":".key","sp":1}"#, .keyBoundNotText(field: "sp")),
            (#"{"sp":true}"#, .priorityBoundType(field: "sp")),
        ])
    func refusals(json: String, expected: QueryError) {
        #expect(throws: expected) { try read(json) }
    }

    @Test("broken JSON is told apart from bad queries", arguments: ["{", #"{"sp":}"#, #"{"l":1,}"#, #"{"sp":1e999}"#])
    func brokenJSON(json: String) {
        do {
            _ = try read(json)
            Issue.record("\(json) was read")
        } catch QueryError.malformed {
        } catch {
            Issue.record("\(json) was refused with \(error)")
        }
    }

    @Test("any query survives being written and read", arguments: 1...20)
    func roundTrip(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<100 {
            let query = try random.query()
            #expect(try read(query.description) == query)
        }
    }
}
