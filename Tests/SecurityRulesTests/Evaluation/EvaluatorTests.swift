import DataTree
import Testing

@testable import SecurityRules

@Suite("evaluating an expression")
struct EvaluatorTests {
    private static let notOrdered = "\(RuleFailure.Reason.notOrdered)"
    private static let notNumbers = "\(RuleFailure.Reason.notNumbers)"
    private static let notAddable = "\(RuleFailure.Reason.notAddable)"
    private static let notAString = "\(RuleFailure.Reason.notAString)"
    private static let argument = "\(RuleFailure.Reason.argumentNotAString)"
    private static let parentOfRoot = "\(RuleFailure.Reason.parentOfRoot)"

    @Test(
        "fails as a whole where an operand has the wrong type",
        arguments: [
            ("data.child('n').val() < 'a' || true", notOrdered),
            ("data.child('o').val() < data.child('o').val()", notOrdered),
            ("data.child('b').val() > 0", notOrdered),
            ("-data.child('s').val() == 1", notNumbers),
            ("data.child('o').val() - 1 == 1", notNumbers),
            ("1 / data.child('none').val() == 1", notNumbers),
            ("data.child('o').val() + 'x' == 'x'", notAddable),
            ("(true ? data : 1) + 1 == 1", notAddable),
            ("'x' + data.child('b').val() == 'xtrue'", notAddable),
            ("data.child('n').val().length == 1", notAString),
            ("data.child('o').val().contains('a')", notAString),
            ("auth.uid.toLowerCase() == 'a'", notAString),
            ("'a'.contains(auth.uid)", argument),
            ("'a'.replace('a', data.child('n').val()) == 'a'", argument),
            ("data.hasChildren(['none', data.child('n').val()])", argument),
            ("root.hasChild(data.child('b').val())", argument),
            ("data.parent().exists()", parentOfRoot),
            ("data.child('s').parent().parent().exists()", parentOfRoot),
        ])
    func failures(expression: String, reason: String) throws {
        let judge = try Judge(data: #"{"n": 5, "s": "text", "b": true, "o": {"x": 1}}"#)
        #expect(try judge(expression) == reason)
        #expect(try judge("!(\(expression))") == reason)
        #expect(try judge("(\(expression)) || true") == reason)
        #expect(try judge("true || (\(expression))") == "true")
        #expect(try judge("false && (\(expression))") == "false")
        #expect(try judge("true ? true : (\(expression))") == "true")
    }

    @Test(
        "has the arithmetic of JavaScript, but divides by zero into nothing",
        arguments: [
            ("1 / 0 == 1 / 0", "false"), ("1 % 0 != 1 % 0", "true"), ("-1 / 0 < 0", "false"),
            ("5.5 % 2 == 1.5", "true"), ("-5 % 3 == -2", "true"), ("0.1 + 0.2 == 0.3", "false"),
            ("'' + 0.1 == '0.1'", "true"), ("'' + -0 == '0'", "true"), ("1e21 + '' == '1e+21'", "true"),
            ("1 + 2 + 'a' == '3a'", "true"), ("'a' + 1 + 2 == 'a12'", "true"),
            ("'' + 1e308 * 10 == 'Infinity'", "true"),
            ("now + '' == '1700000000000'", "true"), ("9007199254740993 == 9007199254740992", "true"),
        ])
    func arithmetic(expression: String, expected: String) throws { #expect(try Judge()(expression) == expected) }

    @Test(
        "compares and searches text by UTF-16 code units",
        arguments: [
            ("'\u{E9}' == 'e\u{301}'", "false"), ("'\u{E9}' != 'e\u{301}'", "true"),
            ("'e\u{301}'.contains('e')", "true"),
            ("'e\u{301}'.length == 2", "true"), ("'👩‍👩‍👧'.length == 8", "true"),
            // A surrogate sorts before U+FF61, though its character is beyond it.
            ("'😀' < '｡'", "true"), ("'｡' > '😀'", "true"), ("'a' < 'ab'", "true"), ("'' < 'a'", "true"),
            ("'a' <= 'a' && 'a' >= 'a'", "true"), ("'Z' < 'a'", "true"), ("'ab'.beginsWith('')", "true"),
            ("'ab'.endsWith('abc')", "false"), ("'aXbX'.replace('X', 'XX') == 'aXXbXX'", "true"),
            ("'aaa'.replace('aa', 'b') == 'ba'", "true"), ("'abc'.replace('', 'x') == 'abc'", "true"),
            ("'é😀'.replace('😀', '') == 'é'", "true"), ("'ŒÄİ'.toLowerCase() == 'œäi\u{307}'", "true"),
            ("'straße'.toUpperCase() == 'STRASSE'", "true"), ("'ΑΣ'.toLowerCase().length == 2", "true"),
        ])
    func text(expression: String, expected: String) throws { #expect(try Judge()(expression) == expected) }

    @Test(
        "sees the tree before as data and root, the tree after as newData",
        arguments: [
            ("data.child('a').val() == 1 && newData.child('a').val() == 2", "true"),
            ("root.child('a').val() == 1", "true"),
            ("newData.child('b/c').parent().parent().child('a').val() == 2", "true"),
            ("newData.child('b').hasChildren(['c', 'd/e']) && !data.hasChildren(['b'])", "true"),
            ("newData.child('b/d').hasChildren() && !newData.child('a').hasChildren()", "true"),
            ("newData.child('none/x').parent().parent().child('a').exists()", "true"),
            ("newData.child('a.b').parent().child('a').exists()", "true"),
            ("newData.hasChildren(['']) && newData.child('/').exists()", "true"),
            ("newData.child('b').getPriority() == 7 && newData.getPriority() == null", "true"),
            ("newData.child('b/d').child(newData.child('key').val()).val() == 'x'", "true"),
            ("newData.child(newData.child('path').val()).exists()", "true"),
            ("(newData.exists() ? newData : data).child('a').val() == 2", "true"),
        ])
    func snapshots(expression: String, expected: String) throws {
        let judge = try Judge(
            data: #"{"a": 1}"#,
            newData: """
                {"a": 2, "b": {".priority": 7, "c": true, "d": {"e": "x"}}, "key": "e", "path": "/b//d/e/"}
                """)
        #expect(try judge(expression) == expected)
    }

    @Test(
        "compares objects with all below them but their priorities, and with nothing else",
        arguments: [
            ("data.child('a').val() == data.child('b').val()", "true"),
            ("data.child('a').val() == data.child('c').val()", "false"),
            ("data.child('a').val() != data.child('d').val()", "true"),
            ("data.child('a').val() != null && data.child('a').val() != 'x'", "true"),
            ("auth.token.map == data.child('a').val()", "true"),
            ("auth == auth && auth != null", "true"),
            ("(true ? data : 1) == (true ? data : 1)", "false"),
        ])
    func objects(expression: String, expected: String) throws {
        let judge = try Judge(
            data: """
                {"a": {"x": 1, "y": {"z": "t"}}, "b": {"x": {".value": 1, ".priority": 3}, "y": {"z": "t"}},
                 "c": {"x": 1, "y": {"z": "u"}}, "d": {"x": 1, "w": {"z": "t"}}}
                """,
            auth: #"{"uid": "u", "token": {"map": {"x": 1, "y": {"z": "t"}}}}"#)
        #expect(try judge(expression) == expected)
    }

    @Test(
        "reads claims without failing where there are none",
        arguments: [
            ("auth.token.list[1] == 'b' && auth.token.list['1'] == 'b'", "true"),
            ("auth.token.list[2] == null && auth.token.list[0.5] == null && auth.token.list[-1] == null", "true"),
            ("auth.token.list.length == null", "true"),
            ("auth.token.none.length == null && auth.uid.length == 3", "true"),
            ("auth.token.length == 5", "true"),
            ("auth.token['https://x.y/role'] == 'r'", "true"),
            ("auth.token[data.val()] == null && auth.token[null] == null", "true"),
            ("auth.uid.x.y[1][auth] == null", "true"),
            ("auth.token.admin == true && auth.token.admin != 'true'", "true"),
            ("auth.tenant == null && auth.provider == null", "true"),
        ])
    func claims(expression: String, expected: String) throws {
        let judge = try Judge(
            auth: """
                {"uid": "bob", "token": {"list": ["a", "b"], "admin": true, "length": 5, "https://x.y/role": "r"}}
                """)
        #expect(try judge(expression) == expected)
        // An empty map is somebody.
        #expect(try Judge(auth: "{}")("auth != null && auth.uid == null") == "true")
    }

    @Test("gives up after a number of steps, and charges long texts and paths by length")
    func steps() throws {
        var judge = try Judge(data: "{\"big\": \"\(String(repeating: "x", count: 1 << 20))\", \"n\": 1}")
        judge.limits.steps = 900
        let tooMany = "\(RuleFailure.Reason.tooManySteps)"
        let cheap = Array(repeating: "data.child('n').val() == 1", count: 100).joined(separator: " && ")
        #expect(try judge(cheap) == "true")
        #expect(try judge(cheap + " && " + cheap + " && " + cheap) == tooMany)
        #expect(try judge("data.child('big').val().contains('y')") == tooMany)
        #expect(try judge("data.child('big').val().length > 0") == tooMany)
        #expect(try judge("data.child('big').val() == data.child('big').val() + ''") == tooMany)
        #expect(try judge("data.child('big').val().matches(/y/)") == tooMany)
        let path = String(repeating: "a/", count: 1000)
        #expect(try judge("data.child('\(path)').exists()") == tooMany)
        #expect(try judge("data.child('\(path)' + '').exists()") == tooMany)
    }

    @Test("refuses to build long strings before it builds them")
    func longStrings() throws {
        var judge = try Judge(data: "\"aaaaaaaaaa\"")
        judge.limits.stringBytes = 1000
        let tooLong = "\(RuleFailure.Reason.stringTooLong)"
        let grown = "data.val()" + String(repeating: ".replace('a', 'aaaaaaaaaa')", count: 2)
        #expect(try judge("\(grown).length == 1000") == "true")
        #expect(try judge("\(grown) + 'b' != ''") == tooLong)
        #expect(try judge("\(grown).replace('a', 'aaaaaaaaaa') != ''") == tooLong)
        #expect(try judge("\(grown).replace('a', 'ß').toUpperCase() != ''") == tooLong)
        judge.limits.stringBytes = 100_000
        let huge = "data.val()" + String(repeating: ".replace('a', 'aaaaaaaaaa')", count: 95)
        #expect(try judge("\(huge) != ''") == tooLong)
    }

    @Test("keeps its stack small where expressions nest as deep as they may")
    func nesting() throws {
        let judge = try Judge(data: "1")
        let sum = Array(repeating: "data.val()", count: 190).joined(separator: " + ")
        #expect(try judge("\(sum) == 190") == "true")
        #expect(try judge(String(repeating: "!", count: 198) + "true") == "true")
        let parents = String(repeating: ".child('a')", count: 45) + String(repeating: ".parent()", count: 45)
        #expect(try judge("data\(parents).val() == 1") == "true")
        let conditions = Array(repeating: "data.val() == 2", count: 2000).joined(separator: " || ")
        #expect(try judge("\(conditions) || data.val() == 1") == "true")
    }
}
