/// Why a JSON text, or the data in it, was refused, and where.
///
/// `offset` counts bytes from the start of the input. For what concerns a whole token (a string that is too long, a key
/// with a forbidden character) it is the token's first byte.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    package var offset: Int
    package var reason: Reason

    package init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    package enum Reason: Equatable, Sendable {
        // The text is not JSON (RFC 8259).
        case unexpectedEnd
        case expectedValue(found: UInt8)
        case expectedKey(found: UInt8)
        case expectedColon(found: UInt8)
        case expectedCommaOrEnd(found: UInt8)
        case trailingBytes
        case invalidNumber
        case invalidLiteral
        case invalidEscape
        case invalidUTF8
        case controlCharacter(UInt8)
        case unexpectedKind(expected: JSONKind)

        // The text is JSON, but not data that a node can hold.
        case numberOutOfRange
        case notAnInteger
        case numberTooLong
        case stringTooLong(limit: Int)
        case nestedTooDeep(limit: Int)
        case emptyKey
        case keyTooLong(limit: Int)
        case keyCharacter(UInt8)
        case valueBesideChildren
        case valueNotScalar
        case invalidPriority
        case unknownServerValue
        case serverValueBesideChildren
    }

    /// True if the text itself is broken; false if it is well-formed JSON that no node can hold. A peer that sends the
    /// former does not speak the protocol; the latter is answered with a status.
    package var isSyntax: Bool {
        switch reason {
        case .unexpectedEnd, .expectedValue, .expectedKey, .expectedColon, .expectedCommaOrEnd, .trailingBytes,
            .invalidNumber, .invalidLiteral, .invalidEscape, .invalidUTF8, .controlCharacter:
            true
        case .unexpectedKind, .numberOutOfRange, .notAnInteger, .numberTooLong, .stringTooLong, .nestedTooDeep,
            .emptyKey,
            .keyTooLong, .keyCharacter, .valueBesideChildren, .valueNotScalar, .invalidPriority, .unknownServerValue,
            .serverValueBesideChildren:
            false
        }
    }

    package var description: String { "\(reason) (at byte \(offset))" }
}

extension JSONError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unexpectedEnd: "The JSON text ends too early; send it whole"
        case .expectedValue(let found):
            "A JSON value was expected, not \(KeyCharacters.name(of: found)); write a value here"
        case .expectedKey(let found):
            "An object key was expected, not \(KeyCharacters.name(of: found)); write a key in double quotes"
        case .expectedColon(let found):
            "A colon was expected after a key, not \(KeyCharacters.name(of: found)); write \"key\": value"
        case .expectedCommaOrEnd(let found):
            "A comma or a closing bracket was expected, not \(KeyCharacters.name(of: found)); add what is missing"
        case .trailingBytes: "There is more text after the JSON value; send one value only"
        case .invalidNumber: "A number is not written as JSON wants it; write it like -1, 0.5 or 1e21"
        case .invalidLiteral: "An unknown word; only true, false and null may stand without quotes"
        case .invalidEscape: "An unknown escape in a string; use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX"
        case .invalidUTF8: "A string is not valid UTF-8; encode the text as UTF-8"
        case .controlCharacter(let byte):
            "A raw control character in a string (\(KeyCharacters.name(of: byte))); escape it as \\u00XX"
        case .unexpectedKind(let expected): "Another kind of JSON value stands here; send \(expected.article)"
        case .numberOutOfRange: "A number is larger than a double can hold; keep it below 1.8e308"
        case .notAnInteger: "A whole number was expected; send one without fraction that fits 64 bits"
        case .numberTooLong: "A number has more than \(NumberText.longest) characters; write it shorter"
        case .stringTooLong(let limit): "A string is longer than \(limit) bytes; store it in smaller pieces"
        case .nestedTooDeep(let limit): "Objects and arrays are nested more than \(limit) deep; store the data flatter"
        case .emptyKey: "A key is empty; give it at least one character"
        case .keyTooLong(let limit): "A key is longer than \(limit) bytes; use a shorter one"
        case .keyCharacter(let byte):
            "A key contains \(KeyCharacters.name(of: byte)); leave out . # $ [ ] / and control characters"
        case .valueBesideChildren: "\".value\" stands beside children; a node has either a value or children, send one"
        case .valueNotScalar: "\".value\" is an object or array; write the children directly instead"
        case .invalidPriority: "A priority must be null, a number or a string; send one of these"
        case .unknownServerValue:
            "An unknown server value; send {\".sv\":\"timestamp\"} or {\".sv\":{\"increment\":<number>}}"
        case .serverValueBesideChildren: "\".sv\" stands beside children; a server value must stand alone, send one"
        }
    }
}

/// The kinds of JSON value, told from the first byte. `invalid` is a byte that begins no value.
package enum JSONKind: Sendable {
    case object, array, string, number, `true`, `false`, null, invalid

    fileprivate var article: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .true, .false: "true or false"
        case .null: "null"
        case .invalid: "a value"
        }
    }
}

/// What a JSON text may look like when it becomes a node.
package struct JSONLimits: Sendable {
    /// How deep objects and arrays may be nested in the text. It bounds the depth of every decoded node, and with it
    /// the recursion of whatever walks one.
    package var depth: Int
    /// The longest string leaf, in UTF-8 bytes.
    package var stringBytes: Int
    /// The longest key, in UTF-8 bytes.
    package var keyBytes: Int
    package var form: ExportForm

    package init(
        depth: Int = 1000, stringBytes: Int = 10_485_760, keyBytes: Int = 768, form: ExportForm = .write
    ) {
        self.depth = depth
        self.stringBytes = stringBytes
        self.keyBytes = keyBytes
        self.form = form
    }
}

/// How strictly the export form (`.value`, `.priority`, `.sv`) is read.
package enum ExportForm: Sendable {
    /// Data that a client asks to store: key characters and lengths are checked, `.value` and `.sv` must stand alone.
    case write
    /// Data from a hub, read as the official clients read it (`nodeFromJSON` in the JavaScript SDK): a `.value` wins
    /// over children, unknown keys that begin with a dot are skipped, other keys are taken as they are.
    case received
}
