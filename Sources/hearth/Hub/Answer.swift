import DataTree
import SecurityRules

/// Short answers of a hub as values, for reading their members.
extension ReportValue {
    /// Nil unless the bytes are one JSON value.
    init?(answer bytes: [UInt8]) {
        let value: ReportValue? = bytes.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            do throws(JSONError) {
                let value = try Self.read(&cursor, depth: 0)
                try cursor.expectEnd()
                return value
            } catch {
                return nil
            }
        }
        guard let value else { return nil }
        self = value
    }

    private static func read(_ cursor: inout JSONCursor, depth: Int) throws(JSONError) -> ReportValue {
        guard depth < 32 else { throw JSONError(offset: 0, reason: .nestedTooDeep(limit: 32)) }
        switch cursor.peek() {
        case .object:
            var members: [Member] = []
            try cursor.enterObject()
            while let name = try cursor.nextKey() { members.append(Member(name, try read(&cursor, depth: depth + 1))) }
            return .object(members)
        case .array:
            var values: [ReportValue] = []
            try cursor.enterArray()
            while try cursor.nextElement() { values.append(try read(&cursor, depth: depth + 1)) }
            return .list(values)
        case .string: return .text(try cursor.readString())
        case .true, .false: return .bool(try cursor.readBool())
        case .null:
            try cursor.readNull()
            return .null
        default:
            switch try cursor.readNumber() {
            case .integer(let value): return .number(Double(value))
            case .double(let value): return .number(value)
            default: return .null
            }
        }
    }

    subscript(name: String) -> ReportValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var flag: Bool { self == .bool(true) }

    var integer: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }

    var list: [ReportValue] { if case .list(let values) = self { values } else { [] } }
}
