import DataTree
import Testing
import WireProtocol

@Suite("Decoding requests")
struct RequestDecoderTests {
    @Test(
        "every action",
        arguments: [
            ("s", #"{"c":{"sdk.js.12-0-0":1}}"#, "stats"),
            ("auth", #"{"cred":"eyJ"}"#, "authenticate auth eyJ"),
            ("gauth", #"{"cred":"owner"}"#, "authenticate gauth owner"),
            (
                "gauth", #"{"cred":"owner","authvar":{"uid":"x","a.b":1}}"#,
                #"authenticate gauth owner as={"a.b":1,"uid":"x"}"#
            ),
            ("gauth", #"{"noauth":true,"cred":"owner","authvar":null}"#, "authenticate gauth owner nobody"),
            ("unauth", "{}", "unauthenticate"),
            ("appcheck", #"{"token":"t"}"#, "appCheck"),
            ("unappcheck", "{}", "unAppCheck"),
            ("unappeck", "{}", "unAppCheck"),
            ("echo", #"{"d":{"a":[1,2]}}"#, #"echo {"a":{"0":1,"1":2}}"#),
            ("q", #"{"p":"/a/b","h":""}"#, "listen /a/b {} h="),
            ("q", #"{"h":"abc","p":"a/b/"}"#, "listen /a/b {} h=abc"),
            ("q", #"{"p":"/"}"#, "listen / {} h="),
            ("q", #"{"p":""}"#, "listen / {} h="),
            ("q", #"{"p":"/.info/connected","h":""}"#, "listen /.info/connected {} h="),
            (
                "q", #"{"p":"/log","q":{"l":2,"vf":"r","i":".key"},"t":1,"h":""}"#,
                #"listen /log {"i":".key","l":2,"vf":"r"} h= t=1 q={"l":2,"vf":"r","i":".key"}"#
            ),
            ("q", #"{"p":"/log","q":{"i":"x"},"t":4,"h":""}"#, "listen /log {} h="),
            ("q", #"{"p":"/log","q":{},"h":""}"#, "listen /log {} h="),
            ("q", #"{"p":"/log","q":null,"t":null,"h":null}"#, "listen /log {} h="),
            ("q", #"{"p":"/a","h":"x","ch":{"hs":["y",""],"ps":["foo"]}}"#, "listen /a {} h=x ch"),
            ("q", #"{"p":"/a","h":"x","ch":{"hs":["y"],"ps":["foo"]}}"#, "listen /a {} h=x"),
            ("n", #"{"p":"/a"}"#, "unlisten /a {}"),
            ("n", #"{"p":"/a","q":{"l":1},"t":7}"#, #"unlisten /a {"l":1,"vf":"r"} t=7"#),
            ("g", #"{"p":"/a","q":{"i":"x"}}"#, #"get /a {"i":"x"}"#),
            ("g", #"{"p":"/a"}"#, "get /a {}"),
            ("p", #"{"p":"/a/b","d":{"x":1,"y":null}}"#, #"put /a/b {"x":1}"#),
            ("p", #"{"d":null,"p":"a"}"#, "put /a null"),
            ("p", #"{"p":"a","d":1,"h":""}"#, "put /a 1 h="),
            ("p", #"{"p":"a","d":6,"h":"w28swksk9+tXf5jEdS9R5oSFAv8="}"#, "put /a 6 h=w28swksk9+tXf5jEdS9R5oSFAv8="),
            ("p", #"{"p":"a","d":1,"w":"k3Jd91bQ.17"}"#, "put /a 1 w=k3Jd91bQ.17"),
            ("p", #"{"p":"a/.priority","d":3}"#, "put /a/.priority 3"),
            ("p", #"{"p":"a/.priority","d":null}"#, "put /a/.priority null"),
            ("p", #"{"p":"a/.priority","d":{".sv":"timestamp"}}"#, #"put /a/.priority {".sv":"timestamp"}"#),
            ("p", #"{"p":"\/rooms\/r1","d":"\u00e9"}"#, "put /rooms/r1 \"\u{E9}\""),
            ("m", #"{"p":"/r","d":{"topic":null,"members/ann":true}}"#, "merge /r topic=null members/ann=true"),
            (
                "m", #"{"p":"/r","d":{"/x//y/":[1,null,3],"z/.priority":2}}"#,
                #"merge /r x/y={"0":1,"2":3} z/.priority=2"#
            ),
            ("m", #"{"p":"/r","d":{}}"#, "merge /r "),
            ("o", #"{"p":"/p","d":{".sv":"timestamp"}}"#, #"onDisconnectPut /p {".sv":"timestamp"}"#),
            ("om", #"{"p":"/u","d":{"x/y":1,"z":null}}"#, "onDisconnectMerge /u x/y=1 z=null"),
            ("oc", #"{"p":"/p","d":null}"#, "onDisconnectCancel /p"),
            ("zz", #"{"p":1}"#, "unknown zz"),
            ("", "{}", "unknown "),
        ])
    func actions(action: String, body: String, expected: String) throws {
        let decoded = try #require(try RequestTexts.action(action, body))
        #expect(RequestTexts.describe(decoded) == expected)
    }

    @Test(
        "members in any order, with white space and unknown ones between",
        arguments: [
            #"{"t":"d","d":{"r":5,"a":"p","b":{"p":"/a","d":{"x":1}}}}"#,
            #"{"t":"d","d":{"a":"p","b":{"p":"/a","d":{"x":1}},"r":5}}"#,
            #"{"t":"d","d":{"b":{"d":{"x":1},"p":"/a"},"a":"p","r":5}}"#,
            #"{"d":{"b":{"d":{"x":1},"p":"/a"},"r":5,"a":"p"},"t":"d"}"#,
            #" { "x" : [1,{"t":2}] , "d" : { "z" : {} , "b" : { "q9" : "}" , "d" : { "x" : 1 } , "p" : "/a" } , "r" : 5 , "a" : "p" } , "t" : "d" } "#,
            #"{"t":"d","d":{"r":5.0,"a":"p","b":{"p":"a","d":{"x":1.0}}}}"#,
        ])
    func anyOrder(text: String) throws {
        guard case .request(let request) = try RequestTexts.decode(text) else {
            Issue.record("no request")
            return
        }
        #expect(request.number == 5)
        #expect(RequestTexts.describe(request.action) == #"put /a {"x":1}"#)
    }

    @Test("numbers of requests", arguments: [0, 1, -1, 4_294_967_296])
    func numbers(number: Int) throws {
        guard case .request(let request) = try RequestTexts.decode(RequestTexts.request("unauth", "{}", number: number))
        else {
            Issue.record("no request")
            return
        }
        #expect(request.number == number)
    }

    @Test(
        "control messages",
        arguments: [
            (#"{"t":"c","d":{"t":"p","d":{}}}"#, "ping"), (#"{"d":{"d":{},"t":"p"},"t":"c"}"#, "ping"),
            (#"{"t":"c","d":{"t":"a","d":{}}}"#, "switch"), (#"{"t":"c","d":{"t":"n","d":{}}}"#, "end"),
            (#"{"t":"c","d":{"t":"x","d":{}}}"#, "other"), (#"{"t":"c","d":{"t":"pp"}}"#, "other"),
            (#"{"t":"c","d":{}}"#, "other"),
        ])
    func control(text: String, kind: String) throws {
        switch try RequestTexts.decode(text) {
        case .ping: #expect(kind == "ping")
        case .switchAcknowledged: #expect(kind == "switch")
        case .transmissionEnded: #expect(kind == "end")
        case .control: #expect(kind == "other")
        default: Issue.record("no control message")
        }
    }

    @Test("a keep-alive")
    func keepAlive() throws {
        guard case .keepAlive = try RequestTexts.decode("0") else {
            Issue.record("no keep-alive")
            return
        }
    }

    @Test(
        "what is no message ends the connection",
        arguments: [
            "", "hello", "17", "\"t\"", "[]", "{", "{}", #"{"t":"d"}"#, #"{"d":{}}"#, #"{"t":"x","d":{}}"#,
            #"{"t":1,"d":{}}"#,
            #"{"t":"d","d":[]}"#, #"{"t":"d","d":{}}"#, #"{"t":"d","d":{"a":"p","b":{}}}"#,
            #"{"t":"d","d":{"r":"1","a":"p","b":{}}}"#, #"{"t":"d","d":{"r":1.5,"a":"p","b":{}}}"#,
            #"{"t":"d","d":{"r":99999999999999999999,"a":"p","b":{}}}"#, #"{"t":"d","d":{"r":1,"a":7,"b":{}}}"#,
            #"{"t":"d","d":{"r":1,"b":{"p":"a","d":1}}}"#, #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"a","d":1}}}}"#,
            #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"a","d":1}}} x"#,
            #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"a","d":01}}}"#,
            #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"a","d":tru}}}"#,
            #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"a","d":"\x"}}}"#,
            #"{"t":"d","d":{"r":1,"a":"zz","b":{"p":}}}"#, #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"a","q":{"l":}}}}"#,
            "{\"t\":\"d\",\"d\":{\"r\":1,\"a\":\"p\",\"b\":{\"p\":\"a\n\",\"d\":1}}}",
        ])
    func malformed(text: String) {
        #expect(throws: MalformedMessage.self) { _ = try RequestTexts.decode(text) }
    }

    @Test("bytes that are no UTF-8 end the connection")
    func invalidUTF8() {
        for position in ["p", "d"] {
            let other = position == "p" ? "d" : "p"
            let bytes =
                Array(#"{"t":"d","d":{"r":1,"a":"p","b":{"\#(other)":"x","\#(position)":""#.utf8) + [0x61, 0xC3, 0x28]
                + Array(#""}}}"#.utf8)
            #expect(throws: MalformedMessage.self) { try bytes.withUnsafeBytes { _ = try RequestDecoder.decode($0) } }
        }
    }

    @Test(
        "a wrong body of a known action is answered, and the text says what to do",
        arguments: [
            ("p", "[]", "invalid_data: The body has no path 'p'; send one such as \"a/b\""),
            ("p", #"{"d":1}"#, "invalid_data: The body has no path 'p'; send one such as \"a/b\""),
            ("p", #"{"p":"a"}"#, "invalid_data: The body has no 'd'; send the value, or null to delete"),
            ("p", #"{"p":7,"d":1}"#, "invalid_data: The member 'p' of the body must be a path such as \"a/b\""),
            ("p", #"{"p":"a","d":1,"h":7}"#, "invalid_data: The member 'h' of the body must be a text"),
            (
                "p", #"{"p":"a.b","d":1}"#,
                "invalid_data: A key of \"/a.b\" has '.'; leave out . # $ [ ] / and control characters"
            ),
            (
                "p", #"{"p":"a\u0001/b","d":1}"#,
                "invalid_data: A key of \"/a\u{1}\" has byte 0x01; leave out . # $ [ ] / and control characters"
            ),
            (
                "q", #"{"p":"a/.priority","h":""}"#,
                "invalid_data: A key of \"/a/.priority\" has '.'; leave out . # $ [ ] / and control characters"
            ),
            (
                "m", #"{"p":"a/.priority","d":{"x":1}}"#,
                "invalid_data: A key of \"/a/.priority\" has '.'; leave out . # $ [ ] / and control characters"
            ),
            (
                "p", #"{"p":".info/x","d":1}"#,
                "invalid_data: \"/.info/x\" belongs to the client; write somewhere else"
            ),
            (
                "m", #"{"p":"/","d":{".info/x":1}}"#,
                "invalid_data: \"/.info/x\" belongs to the client; write somewhere else"
            ),
            (
                "p", #"{"p":"a","d":{".value":1,"b":2}}"#,
                "invalid_data: \".value\" stands beside children; a node has either a value or children, send one (at byte 45)"
            ),
            (
                "p", #"{"p":"a/.priority","d":true}"#,
                "invalid_data: The value for \"/a/.priority\" is no priority; send null, a number or a string"
            ),
            (
                "p", #"{"p":"a/.priority","d":{"b":1}}"#,
                "invalid_data: The value for \"/a/.priority\" is no priority; send null, a number or a string"
            ),
            (
                "m", #"{"p":"a","d":{"b/.priority":{".value":1,".priority":2}}}"#,
                "invalid_data: The value for \"/b/.priority\" is no priority; send null, a number or a string"
            ),
            (
                "m", #"{"p":"a","d":[1]}"#,
                "invalid_data: The member 'd' of an update must be an object of paths and values"
            ),
            ("m", #"{"p":"a"}"#, "invalid_data: The body has no 'd'; send an object of paths and values"),
            ("m", #"{"p":"a","d":{"/":1}}"#, "invalid_data: A path in an update is empty; name at least one key"),
            (
                "m", #"{"p":"x","d":{"a":1,"b":3,"a/b":2}}"#,
                "invalid_data: The update names \"/a\" and \"/a/b\" below it; name each place once"
            ),
            (
                "m", #"{"p":"x","d":{"a":1,"/a/":2}}"#,
                "invalid_data: The update names \"/a\" and \"/a\" below it; name each place once"
            ),
            (
                "q", #"{"p":"a","q":{"l":1},"h":""}"#,
                "invalid_query: A listen with a range or a limit has no tag 't'; send an integer above 0"
            ),
            (
                "q", #"{"p":"a","q":{"l":1},"t":0,"h":""}"#,
                "invalid_data: The member 't' of the body must be an integer above 0"
            ),
            (
                "q", #"{"p":"a","q":{"l":1},"t":"1","h":""}"#,
                "invalid_data: The member 't' of the body must be an integer above 0"
            ),
            (
                "q", #"{"p":"a","q":{"l":-1},"t":1,"h":""}"#,
                "invalid_query: query limit \"l\" is -1; send a whole number from 1 to 2147483647"
            ),
            (
                "g", #"{"p":"a","q":[]}"#,
                "invalid_query: a query must be an object; send {} or leave it out for the whole node"
            ),
            ("auth", "{}", "invalid_token: The body has no 'cred'; send the token as text"),
            ("auth", #"{"cred":5}"#, "invalid_data: The member 'cred' of the body must be a text"),
            (
                "p", #"{"p":"a","d":1,"w":""}"#,
                "invalid_data: The write id 'w' must have 1 to 128 bytes; leave it out otherwise"
            ),
        ])
    func invalid(action: String, body: String, expected: String) throws {
        let decoded = try #require(try RequestTexts.action(action, body))
        #expect(RequestTexts.describe(decoded) == "invalid " + expected)
    }

    @Test("forbidden characters are refused in paths, keys of values and keys of updates")
    func forbidden() throws {
        for character in [".", "#", "$", "[", "]", #"\u0000"#, #"\u001f"#, #"\u007f"#] {
            let key = "x\(character)y"
            for (action, body) in [
                ("p", #"{"p":"a/\#(key)","d":1}"#), ("p", #"{"p":"a","d":{"\#(key)":1}}"#),
                ("m", #"{"p":"a","d":{"\#(key)":1}}"#), ("o", #"{"p":"\#(key)","d":1}"#),
                ("q", #"{"p":"\#(key)","h":""}"#),
            ] {
                let decoded = try #require(try RequestTexts.action(action, body))
                #expect(RequestTexts.describe(decoded).hasPrefix("invalid invalid_data: "), "\(action) \(body)")
            }
        }
        // These are allowed, though they look odd.
        let decoded = try #require(try RequestTexts.action("p", #"{"p":"a b/\"q\"/\u0080/\ud83d\ude00","d":{"-":1}}"#))
        #expect(RequestTexts.describe(decoded) == "put /a b/\"q\"/\u{80}/\u{1F600} {\"-\":1}")
    }

    @Test("32 keys from the root to a value are allowed, 33 are not")
    func depth() throws {
        func path(_ count: Int) -> String { Array(repeating: "k", count: count).joined(separator: "/") }
        func value(_ count: Int) -> String {
            String(repeating: #"{"k":"#, count: count) + "1" + String(repeating: "}", count: count)
        }
        func isInvalid(_ action: String, _ body: String) throws -> Bool {
            if case .invalid(.invalidData, _) = try #require(try RequestTexts.action(action, body)) { return true }
            return false
        }
        for (length, levels) in [(32, 0), (1, 31), (16, 16), (0, 32)] {
            #expect(try !isInvalid("p", #"{"p":"\#(path(length))","d":\#(value(levels))}"#))
            #expect(try isInvalid("p", #"{"p":"\#(path(length))","d":\#(value(levels + 1))}"#))
            #expect(try isInvalid("p", #"{"d":\#(value(levels)),"p":"\#(path(length))/z"}"#))
        }
        #expect(try !isInvalid("p", #"{"p":"\#(path(32))/.priority","d":1}"#))
        #expect(try isInvalid("p", #"{"p":"\#(path(33))/.priority","d":1}"#))
        #expect(try !isInvalid("m", #"{"p":"\#(path(10))","d":{"\#(path(10))":\#(value(12))}}"#))
        #expect(try isInvalid("m", #"{"p":"\#(path(10))","d":{"\#(path(10))":\#(value(13))}}"#))
        #expect(try isInvalid("q", #"{"p":"\#(path(33))","h":""}"#))
    }

    @Test("a key may have 768 bytes, in a path as in a value")
    func keyLength() throws {
        for count in [768, 769] {
            let key = String(repeating: "k", count: count)
            for (action, body) in [
                ("p", #"{"p":"a/\#(key)/b","d":1}"#), ("p", #"{"p":"a","d":{"\#(key)":1}}"#),
                ("m", #"{"p":"a","d":{"\#(key)":1}}"#),
            ] {
                let decoded = try #require(try RequestTexts.action(action, body))
                #expect(RequestTexts.describe(decoded).hasPrefix("invalid") == (count == 769), "\(action) \(count)")
            }
        }
    }

    @Test("the limits are those handed in")
    func limits() throws {
        let limits = RequestLimits(write: WriteLimits(depth: 2, keyBytes: 3, stringBytes: 4), writeIDBytes: 5)
        for (body, reason) in [
            (#"{"p":"a/b/c","d":1}"#, "The write at \"/a/b/c\" reaches more than 2 keys deep; store the data flatter"),
            (#"{"p":"a","d":"12345"}"#, "A string is longer than 4 bytes; store it in smaller pieces (at byte 45)"),
            (#"{"p":"abcd","d":1}"#, "A key under \"/\" is longer than 3 bytes; use a shorter one"),
            (#"{"p":"a","d":1,"w":"123456"}"#, "The write id 'w' must have 1 to 5 bytes; leave it out otherwise"),
        ] {
            let decoded = try #require(try RequestTexts.action("p", body, limits: limits))
            #expect(RequestTexts.describe(decoded) == "invalid invalid_data: " + reason)
        }
    }

    @Test("the head of a message that was too long tells its number", arguments: [true, false])
    func oversized(hasNumber: Bool) {
        let member = hasNumber ? #""r":7,"# : ""
        let head = Array(#"{"t":"d","d":{\#(member)"a":"p","b":{"p":"/a","d":"xxxxxx"#.utf8)
        let request = RequestDecoder.oversized(head: head, byteCount: 20_000_000)
        #expect((request?.number == 7) == hasNumber)
        if let request {
            #expect(
                RequestTexts.describe(request.action)
                    == "invalid too_big: The message has 20000000 bytes, more than this hub takes; write in smaller parts"
            )
        }
    }

    @Test("the texts of malformed messages say what to send")
    func texts() {
        let failure = #expect(throws: MalformedMessage.self) {
            _ = try RequestTexts.decode(#"{"t":"d","d":{"a":"p"}}"#)
        }
        #expect(
            failure?.description
                == #"the message has no 'r' that is an integer; send {"t":"d","d":{"r":<integer>,"a":<action>,"b":{…}}} or {"t":"c","d":{…}}"#
        )
        let broken = #expect(throws: MalformedMessage.self) { _ = try RequestTexts.decode("{") }
        #expect(
            broken?.description
                == "the message cannot be read: The JSON text ends too early; send it whole (at byte 1)")
    }
}
