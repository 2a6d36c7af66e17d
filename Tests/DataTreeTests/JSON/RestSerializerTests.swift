import DataTree
import Testing

@Suite("Nodes as REST shows them")
struct RestSerializerTests {
    static let pretty = RestForm(isPretty: true)
    static let export = RestForm(keepsPriorities: true)
    static let prettyExport = RestForm(keepsPriorities: true, isPretty: true)

    func text(_ node: Node, _ form: RestForm = RestForm()) -> String {
        var writer = JSONWriter()
        writer.rest(node, form: form)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// All slices of at most about `count` bytes.
    func slices(of node: Node, _ form: RestForm, upTo count: Int) -> [[UInt8]] {
        var serializer = RestSerializer(node, form: form)
        var slices: [[UInt8]] = []
        var goesOn = true
        while goesOn {
            var slice: [UInt8] = []
            goesOn = serializer.next(upTo: count, into: &slice)
            slices.append(slice)
        }
        #expect(serializer.isFinished)
        return slices
    }

    static let shapes: [(json: String, written: String)] = [
        ("null", "null"), ("true", "true"), ("-7", "-7"), ("0.1", "0.1"), (#""é\n""#, #""é\n""#),
        ("[1,2,3]", "[1,2,3]"),
        (#"{"0":"a","2":"c"}"#, #"["a",null,"c"]"#),
        (#"{"1":1}"#, "[null,1]"),
        (#"{"0":1,"9":2}"#, #"{"0":1,"9":2}"#),
        (#"{"0":0,"1":1,"2":2,"6":6,"7":7}"#, "[0,1,2,null,null,null,6,7]"),
        (#"{"0":0,"1":1,"2":2,"8":8}"#, #"{"0":0,"1":1,"2":2,"8":8}"#),
        (#"{"00":1,"1":2}"#, #"{"00":1,"1":2}"#),
        (#"{"0":1,"01":2,"2":3}"#, #"{"0":1,"01":2,"2":3}"#),
        (#"{"-0":1,"1":2}"#, #"{"-0":1,"1":2}"#),
        (#"{"-1":1,"0":2}"#, #"{"-1":1,"0":2}"#),
        (#"{"0":1,"a":2}"#, #"{"0":1,"a":2}"#),
        (#"{"a":[[1],{"x":[2,{"y":3}]}]}"#, #"{"a":[[1],{"x":[2,{"y":3}]}]}"#),
        (#"{".value":"T",".priority":1}"#, #""T""#),
        (#"{".priority":"p","0":{".value":1,".priority":2}}"#, "[1]"),
    ]

    @Test("41 to 44, what looks like an array is one, and priorities are not shown", arguments: shapes)
    func plain(json: String, written: String) throws {
        #expect(text(try Node(json: json)) == written)
    }

    @Test("slices of any size make the same text, in every form", arguments: shapes)
    func anySize(json: String, written: String) throws {
        let node = try Node(json: json)
        for form in [RestForm(), Self.pretty, Self.export, Self.prettyExport] {
            let whole = text(node, form)
            for count in 1...30 {
                #expect(String(decoding: slices(of: node, form, upTo: count).joined(), as: UTF8.self) == whole)
            }
        }
    }

    @Test("37 and 39, the export form is the one in which nodes travel", arguments: NodeJSONTests.readings)
    func export(json: String, written: String) throws {
        #expect(text(try Node(json: json), Self.export) == written)
    }

    @Test("29, pretty output indents objects and keeps arrays on their line")
    func prettyShapes() throws {
        #expect(
            text(try Node(json: #"{"id":1,"k":[1,2]}"#), Self.pretty) == """
                {
                  "id" : 1,
                  "k" : [ 1, 2 ]
                }

                """)
        #expect(
            text(try Node(json: #"{"a":{"b":{"c":true}},"l":[{"x":1},{"x":[{"y":2}]}],"q\"":"s"}"#), Self.pretty) == """
                {
                  "a" : {
                    "b" : {
                      "c" : true
                    }
                  },
                  "l" : [ {
                    "x" : 1
                  }, {
                    "x" : [ {
                      "y" : 2
                    } ]
                  } ],
                  "q\\"" : "s"
                }

                """)
        #expect(text(.empty, Self.pretty) == "null\n")
        #expect(text(try Node(json: "[1,null,[2]]"), Self.pretty) == "[ 1, null, [ 2 ] ]\n")
    }

    @Test("pretty export shows priorities as members")
    func prettyPriorities() throws {
        let node = try Node(json: #"{".priority":2,"0":{".value":"T",".priority":"p"},"1":1}"#)
        #expect(
            text(node, Self.prettyExport) == """
                {
                  ".priority" : 2,
                  "0" : {
                    ".value" : "T",
                    ".priority" : "p"
                  },
                  "1" : 1
                }

                """)
    }

    @Test("slices keep near their size: wide objects, arrays of holes, long strings")
    func bounded() throws {
        let long = String(repeating: "aé€😀\n", count: 20_000)
        let node = Node(children: [
            ("long", Node(leaf: .string(Text(long)), priority: .number(1))),
            ("holes", Node(children: (5000...9999).map { (Key("\($0)"), Node(leaf: .bool(true))) })),
            ("records", Node(children: (0..<5000).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) })),
        ])
        for form in [RestForm(), Self.pretty, Self.export] {
            let whole = text(node, form)
            #expect(whole.contains("[null,null") || whole.contains("[ null, null") || form.keepsPriorities)
            for count in [1, 100, 5000, 100_000] {
                let slices = slices(of: node, form, upTo: count)
                #expect(Array(slices.joined()) == Array(whole.utf8))
                #expect(slices.allSatisfy { $0.count <= count + 8300 })
                #expect(slices.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
            }
        }
    }

    @Test("nodes deeper than any recursion would bear are written")
    func deep() throws {
        let json = String(repeating: #"{"a":["#, count: 500) + "1" + String(repeating: "]}", count: 500)
        let node = try Node(json: json)
        #expect(text(node) == json)
        #expect(Array(slices(of: node, RestForm(), upTo: 10).joined()) == Array(json.utf8))
        let pretty = text(node, Self.pretty)
        #expect(try Node(json: pretty) == node)
    }
}
