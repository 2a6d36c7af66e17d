import DataTree

/// A JSON value of a conversation: what was read, in the order of its text.
///
/// Texts compare byte by byte, numbers as doubles, objects whatever the order of their members.
package indirect enum ConversationJSON: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([ConversationJSON])
    case object([(name: String, value: ConversationJSON)])

    package init(_ json: String) throws(JSONError) {
        let bytes = Array(json.utf8)
        do {
            self = try bytes.withUnsafeBytes { bytes in
                var cursor = JSONCursor(bytes, limits: JSONLimits(stringBytes: 1 << 30))
                let value = try ConversationJSON.read(&cursor)
                try cursor.expectEnd()
                return value
            }
        } catch let error as JSONError {
            throw error
        } catch {
            throw JSONError(offset: 0, reason: .unexpectedEnd)
        }
    }

    private static func read(_ cursor: inout JSONCursor) throws -> ConversationJSON {
        switch cursor.peek() {
        case .object:
            var members: [(name: String, value: ConversationJSON)] = []
            try cursor.enterObject()
            while let name = try cursor.nextKey() { members.append((name, try read(&cursor))) }
            return .object(members)
        case .array:
            var elements: [ConversationJSON] = []
            try cursor.enterArray()
            while try cursor.nextElement() { elements.append(try read(&cursor)) }
            return .array(elements)
        case .string: return .text(try cursor.readString())
        case .number:
            switch try cursor.readNumber() {
            case .integer(let value): return .number(Double(value))
            case .double(let value): return .number(value)
            default: return .null
            }
        case .true, .false: return .bool(try cursor.readBool())
        default:
            try cursor.readNull()
            return .null
        }
    }

    /// Compact JSON text.
    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.double(value)
        case .text(let text): writer.string(text)
        case .array(let elements):
            writer.raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.raw(",") }
                element.write(to: &writer)
            }
            writer.raw("]")
        case .object(let members):
            writer.raw("{")
            for (index, member) in members.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.string(member.name)
                writer.raw(":")
                member.value.write(to: &writer)
            }
            writer.raw("}")
        }
    }

    /// The member of an object; the last when there are several.
    package subscript(name: String) -> ConversationJSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { ConversationJSON.isSame($0.name, name) }?.value
    }

    package var text: String? {
        if case .text(let text) = self { return text }
        return nil
    }

    package var integer: Int? {
        if case .number(let number) = self { return Int(exactly: number) }
        return nil
    }

    package var isTrue: Bool {
        if case .bool(true) = self { return true }
        return false
    }

    /// Whether two texts have the same bytes; Swift's `==` would take composed and decomposed characters for one.
    static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
