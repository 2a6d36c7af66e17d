import DataTree
import Testing
import WireProtocol

@Suite("Entity tags in REST requests")
struct RestConditionsTests {
    static let mixing =
        "Mixing 'shallow', querying parameters or 'print=silent' and if-match or if-none-match requests "
        + "is not supported"

    func head(
        _ method: String, _ text: String = "", asks: Bool = false, ifMatch: String? = nil, ifNoneMatch: String? = nil
    ) -> RestHead {
        RestHead(method, "/a.json", text).with {
            if asks { $0.firebaseETag = "true" }
            $0.ifMatch = ifMatch
            $0.ifNoneMatch = ifNoneMatch
        }
    }

    func conditions(_ head: RestHead) throws -> RestConditions { try RestRequest(head).conditions }

    @Test("91, 92, 93 and 97, who asks for a tag or sends one gets one")
    func wants() throws {
        #expect(try conditions(head("GET")) == RestConditions())
        for method in ["GET", "PUT", "POST", "DELETE"] {
            #expect(try conditions(head(method, asks: true)).wantsETag)
        }
        let get = try conditions(head("GET", ifNoneMatch: "abc="))
        #expect(get.ifNoneMatch == "abc=" && get.wantsETag)
        let put = try conditions(head("PUT", ifMatch: "abc="))
        #expect(put.ifMatch == "abc=" && put.wantsETag)
        #expect(try conditions(head("DELETE", ifMatch: "null_etag")).ifMatch == "null_etag")
        #expect(try !conditions(head("GET").with { $0.firebaseETag = "false" }).wantsETag)
    }

    @Test("a tag counts with and without quotes; lists and stars are refused")
    func tags() throws {
        for text in ["abc=", "\"abc=\"", " abc= ", "W/\"abc=\""] {
            #expect(try conditions(head("PUT", ifMatch: text)).ifMatch == "abc=")
        }
        for text in ["*", "a, b", "\"a\", \"b\"", "\"\"", " "] {
            #expect(
                head("PUT", ifMatch: text).refusal
                    == "if-match must hold exactly one ETag; lists and * are not supported")
            #expect(
                head("GET", ifNoneMatch: text).refusal
                    == "if-none-match must hold exactly one ETag; lists and * are not supported")
        }
        #expect(try conditions(head("PUT", ifMatch: "")).ifMatch == nil)
    }

    @Test("98 and 99, where tags are not supported the method is named")
    func unsupported() {
        #expect(head("PATCH", asks: true).refusal == "ETag requests are not supported on PATCH requests")
        #expect(head("PATCH", ifMatch: "a").refusal == "if-match is not supported on PATCH requests")
        #expect(head("GET", ifMatch: "a").refusal == "if-match is not supported on GET requests")
        #expect(head("POST", ifMatch: "a").refusal == "if-match is not supported on POST requests")
        for method in ["PUT", "PATCH", "POST", "DELETE"] {
            #expect(
                head(method, ifNoneMatch: "a").refusal == "if-none-match is supported on GET requests only")
        }
    }

    @Test("100 and 101, tags do not mix with what shows less than the data")
    func mixing() {
        #expect(head("PUT", "print=silent", ifMatch: "a").refusal == Self.mixing)
        #expect(head("DELETE", "print=silent", ifMatch: "a").refusal == Self.mixing)
        #expect(head("GET", "print=silent", ifNoneMatch: "a").refusal == Self.mixing)
        #expect(head("GET", "shallow=true", ifNoneMatch: "a").refusal == Self.mixing)
        #expect(head("GET", #"orderBy="$key""#, ifNoneMatch: "a").refusal == Self.mixing)
        #expect(
            head("GET", #"orderBy="$key""#, asks: true).refusal
                == "Mixing querying parameters and ETag requests is not supported")
        #expect(
            head("GET", "shallow=true", asks: true).refusal == "Mixing 'shallow' and etag requests is not supported")
        #expect(head("PUT", "print=silent", asks: true).refusal == nil)
    }

    @Test("a stream has no tags; what a cache adds is ignored")
    func streams() throws {
        let head = head("GET", asks: true, ifNoneMatch: "a").with { $0.accept = "text/event-stream" }
        #expect(try conditions(head) == RestConditions())
    }

    @Test("the tag of a node is the hash that SDKs know")
    func tagOfNode() throws {
        #expect(RestETag.tag(of: .empty) == "null_etag")
        let node = try Node(json: #"{"a":1}"#)
        #expect(RestETag.tag(of: node) == node.hash())
        #expect(RestETag.tag(of: node.withPriority(.number(1))) != node.hash())
    }
}
