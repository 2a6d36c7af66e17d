import Glibc
import TestSupport
import Testing

@Suite("REST: credentials and rules", .blocking)
struct RestAccessTests {
    @Test("115, closed rules refuse every method with 401")
    func closed() throws {
        let rest = try RestHub.ruled(115).anonymous
        for method in ["GET", "PUT", "PATCH", "POST", "DELETE"] {
            let body = method == "GET" || method == "DELETE" ? nil : #"{"a":1}"#
            #expect(try rest.request(method, "/closed.json", body).outcome == "401 error: Permission denied")
        }
        #expect(try rest.get("/readable.json").outcome == "200 null")
        #expect(try rest.put("/readable.json", "1").outcome == "401 error: Permission denied")
    }

    @Test("116, in --dev any bearer is an administrator; in production none but the secret's")
    func bearers() throws {
        #expect(try RestHub.ruled(116, bearer: "anything").get("/closed.json").status == 200)
        #expect(try RestHub.ruled(116, bearer: nil).get("/closed.json?access_token=x").status == 200)
        let hub = try HubProcess("--namespace", "demo")
        let secret = try String(decoding: DataFiles.read(hub.dataPath + "/admin.secret"), as: UTF8.self)
            .filter { !$0.isWhitespace }
        func client(_ bearer: String?) -> RestClient {
            RestClient(port: hub.port, namespace: "demo", bearer: bearer)
        }
        for bearer in ["owner", "anything", UnsignedTokens.user("ada"), secret + "x"] {
            #expect(try client(bearer).get("/a.json").outcome == "401 error: Unauthorized request.")
            let argument = try client(nil).get("/a.json?auth=\(bearer)")
            #expect(argument.outcome == "401 error: Could not parse auth token.")
        }
        #expect(try client(secret).put("/a.json", "1").outcome == "200 1")
        #expect(try client(nil).get("/a.json?auth=\(secret)").outcome == "200 1")
        #expect(try client(nil).get("/a.json").outcome == "401 error: Permission denied")
        #expect(try RestClient(port: hub.port, namespace: "none", bearer: secret).get("/a.json").status == 404)
        #expect(!hub.log.contains(secret), "the log holds the secret")
    }

    @Test("117, an unsigned token names a user in --dev")
    func user() throws {
        let rest = try RestHub.ruled(117).anonymous
        let token = UnsignedTokens.user("u1")
        #expect(try rest.put("/users/u1.json?auth=\(token)", "1").outcome == "200 1")
        #expect(try rest.put("/users/u2.json?auth=\(token)", "1").outcome == "401 error: Permission denied")
        #expect(try rest.get("/users/u1.json").outcome == "401 error: Permission denied")
    }

    @Test("118, a bad token is refused, also where rules are open")
    func garbage() throws {
        let rest = try RestHub.ruled(118).anonymous
        for token in ["garbage", "a.b.c", "owner2"] {
            let answer = try rest.get("/open.json?auth=\(token)")
            #expect(answer.outcome == "401 error: Could not parse auth token.")
        }
        // A query that would be refused for want of an index does not come first.
        let query = try rest.get(#"/open.json?auth=garbage&orderBy="x""#)
        #expect(query.outcome == "401 error: Could not parse auth token.")
    }

    @Test("118, a token of another time is told the hub's time")
    func clock() throws {
        let rest = try RestHub.ruled(118).anonymous
        let now = time(nil)
        func answer(_ issued: Int, _ expires: Int) throws -> ReceivedAnswer {
            let token = UnsignedTokens.token(#"{"sub":"u1","iat":\#(issued),"exp":\#(expires)}"#)
            return try rest.get("/open.json?auth=\(token)")
        }
        let late = try answer(now - 7200, now - 3600)
        #expect(late.status == 401 && late.error?.hasPrefix("Auth token is expired") == true)
        #expect(late.error?.contains("server's time is \(now / 100)") == true, "\(late.outcome)")
        let early = try answer(now + 7200, now + 10_800)
        #expect(early.status == 401 && early.error?.contains("before it is valid") == true)
        #expect(early.error?.contains("server's time is \(now / 100)") == true, "\(early.outcome)")
        #expect(try answer(now + 60, now + 3600).status == 200)
    }

    @Test("119, an administrator can act as somebody, or as nobody")
    func override() throws {
        let rest = try RestHub.ruled(119)
        let user = "auth_variable_override=%7B%22uid%22:%22user1%22%7D"
        #expect(try rest.put("/users/user1.json?\(user)", "1").outcome == "200 1")
        #expect(try rest.put("/users/user2.json?\(user)", "1").outcome == "401 error: Permission denied")
        #expect(try rest.get("/users/user1.json?auth_variable_override=null").outcome == "401 error: Permission denied")
        #expect(
            try rest.get("/users/user1.json?auth_variable_override=%7B%7D").outcome == "401 error: Permission denied")
        #expect(try rest.get("/users/user1.json").outcome == "200 1")
        #expect(try rest.anonymous.get("/open.json?\(user)").status == 401)
        #expect(try rest.get("/open.json?auth_variable_override=5").status == 400)
        let stream = try EventStreamClient(rest, "/users/user2.json?\(user)")
        #expect(stream.answer.outcome == "401 error: Permission denied")
    }

    @Test("120, an update is written as a whole or not at all")
    func atomic() throws {
        let rest = try RestHub.ruled(120)
        let answer = try rest.anonymous.patch("/.json", #"{"open/x":1,"closed/y":1}"#)
        #expect(answer.outcome == "401 error: Permission denied")
        #expect(try rest.get("/.json").outcome == "200 null")
        #expect(try rest.anonymous.patch("/.json", #"{"open/x":1,"open/y":2}"#).status == 200)
    }

    @Test("121, who may not read is not told about indexes")
    func index() throws {
        let rest = try RestHub.ruled(121).anonymous
        #expect(try rest.get(#"/closed.json?orderBy="h""#).outcome == "401 error: Permission denied")
        let condition = try rest.put("/closed.json", "1", ["if-match": "x"])
        #expect(condition.outcome == "401 error: Permission denied")
    }
}
