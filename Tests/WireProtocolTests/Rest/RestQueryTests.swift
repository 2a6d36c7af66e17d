import DataTree
import Testing
import WireProtocol

@Suite("Queries in REST requests")
struct RestQueryTests {
    /// The query as the WebSocket protocol writes it.
    func query(_ text: String) throws -> String? {
        try RestRequest(RestHead("GET", "/a.json", text)).query?.description
    }

    @Test(
        "66 to 73 and 90, parameters become the query that SDKs would send",
        arguments: [
            (#"orderBy="$key"&limitToFirst=2"#, #"{"i":".key","l":2,"vf":"l"}"#),
            (#"orderBy="height"&startAt=3.5"#, #"{"i":"height","sin":true,"sp":3.5}"#),
            (#"orderBy="height"&endAt=3.5"#, #"{"ein":true,"ep":3.5,"i":"height"}"#),
            (#"orderBy="height"&equalTo=0.6"#, #"{"ein":true,"ep":0.6,"i":"height","sin":true,"sp":0.6}"#),
            (#"orderBy="ratings/pos"&startAt=4"#, #"{"i":"ratings/pos","sin":true,"sp":4}"#),
            (#"orderBy="$value"&limitToLast=2"#, #"{"i":".value","l":2,"vf":"r"}"#),
            (#"orderBy="height"&startAfter=0.6"#, #"{"i":"height","sin":false,"sn":"[MAX_NAME]","sp":0.6}"#),
            (#"orderBy="height"&endBefore=0.6"#, #"{"ein":false,"en":"[MIN_NAME]","ep":0.6,"i":"height"}"#),
            (
                #"orderBy="height"&startAt=0.6,"pterodactyl""#,
                #"{"i":"height","sin":true,"sn":"pterodactyl","sp":0.6}"#
            ),
            (#"orderBy="h"&startAfter="x" , "k" "#, #"{"i":"h","sin":false,"sn":"k","sp":"x"}"#),
            (#"orderBy="$priority"&endAt=null"#, #"{"ein":true,"ep":null}"#),
            (
                #"orderBy="$value"&equalTo=true,"k""#,
                #"{"ein":true,"en":"k","ep":true,"i":".value","sin":true,"sn":"k","sp":true}"#
            ),
            (#"orderBy="$key"&startAfter="b"&endAt="d""#, #"{"ein":true,"ep":"d","i":".key","sin":false,"sp":"b"}"#),
            (
                #"orderBy="h"&startAt=1,"[MIN_NAME]"&endAt=2,"[MAX_NAME]""#,
                #"{"ein":true,"ep":2,"i":"h","sin":true,"sp":1}"#
            ),
            (
                #"orderBy="h"&startAt=","&limitToFirst=99999999999999999999"#,
                #"{"i":"h","l":2147483647,"sin":true,"sp":",","vf":"l"}"#
            ),
            (#"orderBy="/a/b/""#, #"{"i":"a/b"}"#),
        ])
    func taken(text: String, query: String) throws {
        #expect(try self.query(text) == query)
    }

    @Test("without query parameters there is no query")
    func none() throws {
        #expect(try query("print=pretty") == nil)
    }

    @Test(
        "74 and 75, orderBy is a JSON string that names a path",
        arguments: [
            "height", "%22height%22", "", "5", "null", #""a"b"#, #""""#, #""a.b""#, #""$other""#, #""a[""#, #"["a"]"#,
            #""\u0001""#,
        ])
    func orderBy(text: String) {
        #expect(
            RestHead("GET", "/a.json", "orderBy=\(text)").refusal == "orderBy must be a valid JSON encoded path")
    }

    static let refusals: [(arguments: String, text: String)] = [
        ("limitToFirst=2", "orderBy must be defined when other query parameters are defined"),
        ("equalTo=2", "orderBy must be defined when other query parameters are defined"),
        (#"orderBy="$key"&startAt=5"#, "Provided key index type is invalid, must be string"),
        (#"orderBy="$key"&equalTo=null"#, "Provided key index type is invalid, must be string"),
        (
            #"orderBy="$priority"&startAt=true"#,
            "Provided priority index type is invalid, must be null, a number or a string"
        ),
        (#"orderBy="height"&equalTo=abc"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="height"&equalTo="#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="height"&startAt={}"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="height"&startAt=[1]"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="height"&startAt=1 2"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="height"&startAt=1,"a.b""#, "Constraint key field must be a valid key name"),
        (#"orderBy="height"&startAt=1,2"#, "Constraint key field must be a valid key name"),
        (#"orderBy="height"&startAt=1,"#, "Constraint key field must be a valid key name"),
        (#"orderBy="height"&startAt=1,"""#, "Constraint key field must be a valid key name"),
        (
            #"orderBy="$key"&limitToFirst=1&limitToLast=1"#,
            "Only one of limitToFirst and limitToLast may be specified"
        ),
        (
            #"orderBy="h"&equalTo=1&startAt=1"#,
            "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
        ),
        (
            #"orderBy="h"&equalTo=1&endBefore=1"#,
            "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
        ),
        (#"orderBy="h"&startAt=1&startAfter=1"#, "Only one of startAt and startAfter may be specified"),
        (#"orderBy="h"&endAt=1&endBefore=1"#, "Only one of endAt and endBefore may be specified"),
        (#"orderBy="$key"&limitToFirst=0"#, "limitToFirst must be positive"),
        (#"orderBy="$key"&limitToFirst=-1"#, "limitToFirst must be positive"),
        (#"orderBy="$key"&limitToLast="#, "limitToLast must be positive"),
        (#"orderBy="$key"&limitToLast=x"#, "limitToLast must be an integer"),
        (#"orderBy="$key"&limitToLast=1.5"#, "limitToLast must be an integer"),
        (#"orderBy="$key"&limitToFirst="2""#, "limitToFirst must be an integer"),
    ]

    @Test("76 to 83, queries that make no sense are refused with the official texts", arguments: refusals)
    func refused(arguments: String, text: String) {
        #expect(RestHead("GET", "/a.json", arguments).refusal == text)
    }

    @Test("84, writes take no query", arguments: ["PUT", "PATCH", "POST", "DELETE"])
    func writes(method: String) {
        let text = "Querying related parameters not supported on this request type"
        #expect(RestHead(method, "/a.json", #"orderBy="$key""#).refusal == text)
        #expect(RestHead(method, "/a.json", "limitToFirst=1").refusal == text)
        #expect(RestHead(method, "/a.json", "shallow=true").refusal == text)
    }

    @Test("80, a missing index is named with its place")
    func indexNotDefined() {
        #expect(
            RestError.indexNotDefined("weight", at: "dinosaurs")
                == RestError(
                    text: #"Index not defined, add ".indexOn": "weight", for path "/dinosaurs", to the rules"#))
        #expect(RestError.indexNotDefined(".value", at: .root).text.contains(#"for path "/","#))
    }
}
