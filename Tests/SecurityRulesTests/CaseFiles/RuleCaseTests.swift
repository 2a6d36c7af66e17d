import DataTree
import SecurityRules
import Testing

private func cases(_ json: String) throws -> [RuleCase] { try RuleCase.all(in: Array(json.utf8)) }

private func problem(_ json: String) -> String {
    do throws(RuleCaseProblem) {
        _ = try RuleCase.all(in: Array(json.utf8))
        return ""
    } catch {
        return error.description
    }
}

/// A file with one case in it, on a line of its own.
private func problem(ofCase json: String) -> String {
    problem("{\"identities\": {\"ada\": {\"uid\": \"ada\"}, \"bob\": {\"uid\": \"bob\"}}, \"cases\": [\n\(json)]}")
}

@Suite("a file of rule cases")
struct RuleCaseTests {
    @Test("gives each case its operation, caller, data and time")
    func whole() throws {
        let cases = try cases(
            """
            {
              "cases": [
                {"name": "own", "read": "/notes/ada", "as": "ada", "expect": "allow"},
                {"set": "notes/ada/", "value": null, "as": null, "expect": "deny"},

                {"update": "/", "values": {"notes/ada": 1, "/x": {".sv": "timestamp"}}, "as": {"uid": "b"},
                 "now": 5, "data": null, "expect": "deny"}
              ],
              "now": 1700000000000, "data": {"notes": {"ada": "tea"}},
              "identities": {"ada": {"uid": "ada", "token": {"list": [1, null]}}}
            }
            """)
        #expect(cases.map(\.name) == ["own", "remove /notes/ada", "update / with 2 changes"])
        #expect(cases.map(\.line) == [3, 4, 6])
        #expect(cases.map(\.expectation) == [.allow, .deny, .deny])
        #expect(
            try cases.map(\.identity) == [
                RuleIdentity(json: #"{"uid": "ada", "token": {"list": [1, null]}}"#), .signedOut,
                RuleIdentity(json: #"{"uid": "b"}"#),
            ])
        #expect(cases.map(\.caller) == ["ada", nil, nil])
        #expect(cases.map(\.now) == [1_700_000_000_000, 1_700_000_000_000, 5])
        let tea = try Node(json: #"{"notes": {"ada": "tea"}}"#)
        #expect(cases.map(\.data) == [tea, tea, .empty])
        guard case .read("notes/ada", query: .default) = cases[0].operation else { throw Unexpected() }
        guard case .set("notes/ada", let removed) = cases[1].operation else { throw Unexpected() }
        #expect(removed.isEmpty)
        guard case .update(.root, let changes) = cases[2].operation else { throw Unexpected() }
        #expect(changes.map(\.path) == ["notes/ada", "x"])
        #expect(changes.map(\.value) == [Node(leaf: .integer(1)), Node(leaf: .deferred(.timestamp))])
    }

    @Test(
        "gives the query that an SDK would send",
        arguments: [
            (
                #"{"orderByChild": "owner", "equalTo": "ada"}"#,
                #"{"ein":true,"ep":"ada","i":"owner","sin":true,"sp":"ada"}"#
            ),
            (#"{"orderByChild": "a/b", "startAfter": 1}"#, #"{"i":"a/b","sin":false,"sn":"[MAX_NAME]","sp":1}"#),
            (
                #"{"orderByKey": true, "startAt": "a", "endBefore": "m"}"#,
                #"{"ein":false,"ep":"m","i":".key","sin":true,"sp":"a"}"#
            ),
            (#"{"orderByValue": true, "endBefore": true}"#, #"{"ein":false,"en":"[MIN_NAME]","ep":true,"i":".value"}"#),
            (#"{"limitToFirst": 50}"#, #"{"l":50,"vf":"l"}"#),
            (#"{"orderByPriority": true, "orderByKey": false, "limitToLast": 5}"#, #"{"l":5,"vf":"r"}"#),
            ("{}", "{}"),
        ])
    func queries(query: String, wire: String) throws {
        let read = try cases(#"{"cases": [{"read": "/l", "query": \#(query), "expect": "deny"}]}"#)
        guard case .read("l", let found) = read[0].operation else { throw Unexpected() }
        #expect(found.description == wire)
    }

    @Test(
        "is refused with a place and a remedy",
        arguments: [
            ("[]", "1:1: Another kind of JSON value stands here; send an object"),
            ("{}", "1:1: there are no cases; give them as \"cases\": […]"),
            ("{\n  \"cases\": [,]}", "2:13: A JSON value was expected, not ','; write a value here"),
            (
                #"{"now": 1, "cases": [], "tests": []}"#,
                "1:25: the file has no \"tests\"; it has now, identities, data, cases"
            ),
            (
                #"{"identities": {"ada": {"uid": 1e999}}, "cases": []}"#,
                "1:32: A number is larger than a double can hold; keep it below 1.8e308"
            ),
            (#"{"cases": [], "cases": []}"#, "1:15: \"cases\" is given twice; give it once"),
            (#"{"now": "1", "cases": []}"#, "1:9: Another kind of JSON value stands here; send a number"),
            (
                #"{"identities": {"é😀": 1}, "cases": []}"#,
                "1:24: \"auth\" is an object, or null when nobody is signed in; give one of them"
            ),
        ])
    func refusals(file: String, text: String) { #expect(problem(file) == text) }

    @Test(
        "names the case that makes no sense",
        arguments: [
            (#"{"read": "/"}"#, #"2:1: the case expects nothing; add "expect": "allow" or "deny""#),
            (
                #"{"expect": "deny"}"#,
                #"2:1: the case does nothing; add "read", "set" or "update" with a path"#
            ),
            (
                #"{"read": "/", "expect": "yes"}"#,
                #"2:25: "expect" is neither "allow" nor "deny"; give one of them"#
            ),
            (
                #"{"read": "/", "set": "/", "expect": "deny"}"#,
                #"2:22: a case has one operation, and "read" is there already; make two cases of it"#
            ),
            (#"{"set": "/", "expect": "deny"}"#, #"2:1: "set" has no "value"; add one, null to delete"#),
            (
                #"{"update": "/", "expect": "deny"}"#,
                #"2:1: "update" has no "values"; add an object of paths and values"#
            ),
            (
                #"{"read": "/", "value": 1, "expect": "deny"}"#,
                #"2:1: "value" belongs to "set", not to "read"; leave it out"#
            ),
            (
                #"{"read": "/", "as": "eve", "expect": "deny"}"#,
                #"2:21: there is no identity "eve"; give one of "ada", "bob""#
            ),
            (
                #"{"read": "/", "as": 7, "expect": "deny"}"#,
                #"2:21: "auth" is an object, or null when nobody is signed in; give one of them"#
            ),
            (
                #"{"set": "/a", "value": {".sv": "now"}, "expect": "deny"}"#,
                #"2:32: An unknown server value; send {".sv":"timestamp"} or {".sv":{"increment":<number>}}"#
            ),
            (
                #"{"update": "/", "values": {"a": 1, "a/b": 2}, "expect": "deny"}"#,
                #"2:12: The update names "/a" and "/a/b" below it; name each place once"#
            ),
            (
                #"{"read": "/a.b", "expect": "deny"}"#,
                #"2:10: A key of "/a.b" has '.'; leave out . # $ [ ] / and control characters"#
            ),
            (
                #"{"read": "/", "query": {"orderByKey": true, "orderByChild": "a"}, "expect": "deny"}"#,
                #"2:24: a query has one order, and this one has two; leave one out"#
            ),
            (
                #"{"read": "/", "query": {"orderByKey": true, "equalTo": 1}, "expect": "deny"}"#,
                #"2:24: "equalTo" is no key, and the query is ordered by key; give a string"#
            ),
            (
                #"{"read": "/", "query": {"equalTo": 1, "startAt": 1}, "expect": "deny"}"#,
                #"2:24: "startAt" and "equalTo" exclude each other; leave one of them out"#
            ),
            (
                #"{"read": "/", "query": {"limitToFirst": 0}, "expect": "deny"}"#,
                "2:24: a limit is not 0; give a whole number from 1 to 2147483647"
            ),
            (
                #"{"read": "/", "query": {"limit": 1}, "expect": "deny"}"#,
                "2:25: a query has no \"limit\"; it has orderByChild, orderByKey, orderByValue, orderByPriority, "
                    + "startAt, startAfter, endAt, endBefore, equalTo, limitToFirst, limitToLast"
            ),
        ])
    func caseRefusals(json: String, text: String) { #expect(problem(ofCase: json) == text) }
}

private struct Unexpected: Error {}
