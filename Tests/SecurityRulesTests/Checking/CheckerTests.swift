import DataTree
import Testing

@testable import SecurityRules

/// What the upload of one rule under `/$key` is told; nothing if it is accepted.
private func message(_ expression: String, kind: RuleKind = .write) -> String {
    var writer = JSONWriter()
    writer.raw("{\"rules\": {\"$key\": {")
    writer.string(kind.key)
    writer.raw(":")
    writer.string(expression)
    writer.raw("}}}")
    let refusal = Rules.refusal(String(decoding: writer.bytes, as: UTF8.self))
    return String(refusal.drop { $0 != " " }.dropFirst().prefix { $0 != "\n" })
}

@Suite("the static checker")
struct CheckerTests {
    @Test(
        "accepts what has the right types",
        arguments: [
            "data.val() == true", "auth.token.admin == true", "auth['token']['a b'].c.d[0][now] != null",
            "$key == 'a' && $key.length > 2", "root.child($key + '/x').parent().exists()",
            "newData.hasChildren(['a', $key, auth.uid, data.val()])", "newData.hasChildren([])",
            "data.val() + 1 > auth.uid", "(now > 5 ? data : newData).child('x').exists()",
            "(now > 5 ? data.val() : 1) == 1", "data.val().replace('a', auth.uid).toLowerCase().matches(/a/i)",
            "query.orderByKey && query.limitToFirst <= 10", "(now > 5 ? 1 : true) == 1",
            "-query.startAt - -data.val() < now % 2", "data['exists']()", "auth.uid['contains']('a')",
            "'a' < 1", "data.child(now > 5 ? 'a' : 1).exists()", "data.child(now > 1 ? 1 : true).exists()",
            "auth.uid.length.x == null", "'a'.contains('b')", "data.val().length == $key.length",
            "(now > 5 ? query : query).orderByKey", "auth.token.val == 1",
        ])
    func accepted(expression: String) { #expect(message(expression) == "") }

    @Test(
        "says what does not fit",
        arguments: [
            ("query == null", "Invalid == expression: left operand is not a number, boolean, string, null."),
            ("null != data", "Invalid != expression: right operand is not a number, boolean, string, or null."),
            ("(now > 1 ? data : query) == 1 && $other == 1", "Unknown variable '$other'."),
            ("now && true", "Left operand of && must be boolean."),
            ("true && false && 'a'", "Right operand of && must be boolean."),
            ("true || data", "Right operand of || must be boolean."),
            ("-true == 1", "- only operates on numbers."),
            ("-null == 1", "- only operates on numbers."),
            ("null < 1", "Invalid < expression: left operand must be a number or string."),
            ("1 >= data", "Invalid >= expression: right operand must be a number or string."),
            ("1 + true == 2", "Invalid + expression: right operand is not a number or string."),
            ("'a' * 2 == 2", "Invalid * expression: left operand is not a number."),
            ("1 ? true : false", "condition of ? must be boolean."),
            ("true ? 1 : 2", "Expression must evaluate to a boolean."),
            ("data.val", "Expression must evaluate to a boolean."),
            ("/a/", "Expression must evaluate to a boolean."),
            ("data.exists().x == 1", "Invalid property access: target is not an object."),
            ("null.x == 1", "Invalid property access: target is not an object."),
            ("/a/.x == 1", "Invalid property access: target is not an object."),
            ("data.exists.x == 1", "Invalid property access: target is not an object."),
            ("(true ? 1 : true).x == 1", "Invalid property access: target is not an object."),
            ("query.startAt[0] == 1", "Invalid property access."),
            ("data['ex' + 'ists']()", "Invalid property access."),
            ("$key[0] == 'a'", "Invalid property access."),
            ("data.length == 1", "No such method/property 'length'."),
            ("'a'.val() == 1", "No such method/property 'val'."),
            ("query['x'] == 1", "No such method/property 'x'."),
            ("query.orderBy\u{212A}ey", "No such method/property 'orderBy\u{212A}ey'."),
            ("now() == 1", "Type error: Function call on target that is not a function."),
            ("data() == 1", "Type error: Function call on target that is not a function."),
            ("data.val()() == 1", "Type error: Function call on target that is not a function."),
            ("auth.uid.length() == 1", "Type error: Function call on target that is not a function."),
            ("(true ? data.exists : data.exists)()", "Type error: Function call on target that is not a function."),
            ("data.val(1) == 1", "val() expects no arguments."),
            ("'a'.toLowerCase('x') == 'a'", "toLowerCase() expects no arguments."),
            ("data.parent(1).exists()", "parent() expects no arguments."),
            ("data.hasChild()", "hasChild() expects 1 argument."),
            ("data.child('a', 'b').exists()", "child() expects 1 argument."),
            ("'a'.beginsWith(null)", "beginsWith() expects a string argument."),
            ("'a'.endsWith(query.startAt)", "endsWith() expects a string argument."),
            ("data.child(true).exists()", "child() expects a string argument."),
            ("'a'.replace('b', 'c', 'd') == 'a'", "replace() expects two arguments."),
            ("'a'.replace(1, 'b') == 'a'", "Argument 1 of replace() must be a string."),
            ("'a'.matches()", "matches() expects 1 regular expression literal argument."),
            ("'a'.matches(/a/, /b/)", "matches() expects 1 regular expression literal argument."),
            ("'a'.matches(true ? /a/ : /b/)", "matches() expects a regular expression literal argument."),
            ("data.hasChildren(['a', null])", "hasChildren() expects an array of strings."),
            ("data.hasChildren($key)", "hasChildren() expects an array of child names."),
            ("data.child(['a']).exists()", "Unexpected array literal."),
            ("['a']", "Unexpected array literal."),
            ("data.hasChildren([['a']])", "Unexpected array literal."),
            ("undefined == null", "Unknown variable 'undefined'."),
            ("Data.exists()", "Unknown variable 'Data'."),
        ])
    func refused(expression: String, text: String) { #expect(message(expression) == text) }

    @Test("knows newData everywhere but in .read, and query everywhere")
    func variables() {
        #expect(message("newData.exists()", kind: .read) == "newData is invalid in .read expressions.")
        #expect(message("newData.exists()", kind: .validate) == "")
        for kind in RuleKind.allCases { #expect(message("query.orderByKey", kind: kind) == "") }
    }

    @Test("knows the captures on the way down, and of no other place")
    func captures() {
        #expect(Rules.refusal(#"{"rules": {"$a": {"b": {"$c": {".read": "$a == $c"}}}}}"#) == "")
        #expect(
            Rules.refusal(#"{"rules": {"$a": {".read": "$b == 'x'", "$b": {}}, "c": {".read": "$a == 'x'"}}}"#)
                == "1:68: Unknown variable '$a'.\n1:29: Unknown variable '$b'.\n")
        // Composed and decomposed letters are two names.
        #expect(
            Rules.refusal("{\"rules\": {\"$\u{E9}\": {\".read\": \"$e\u{301} == 'x'\"}}}")
                == "1:29: Unknown variable '$e\u{301}'.\n")
    }

    @Test("tells each expression its first mistake, and all expressions from the last to the first")
    func order() {
        let text = """
            {
              "rules": {
                ".read": "data.foo == 1 && data.bar == 2",
                "a": {
                  ".write": "true &&
                    (now)",
                  ".validate": "\\u0074rue && foo", // an escape of six characters for one
                  ".indexOn": 5
                }
              }
            }
            """
        #expect(
            Rules.refusal(text) == """
                8:19: Invalid indexOn expression. Must be either a string or an array of strings
                7:34: Unknown variable 'foo'.
                5:18: Right operand of && must be boolean.
                3:15: No such method/property 'foo'.

                """)
    }

    @Test("checks operands from left to right")
    func operands() {
        #expect(message("data == foo") == "Invalid == expression: left operand is not a number, boolean, string, null.")
        #expect(message("foo == data") == "Unknown variable 'foo'.")
        #expect(message("data.child(foo, bar).exists()") == "child() expects 1 argument.")
    }
}
