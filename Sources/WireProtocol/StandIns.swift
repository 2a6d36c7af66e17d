import DataTree

// Until the tree has them: queries as JSON, hashes of ranges.

extension Query {
    /// Reads the query object of a `q`, `n` or `g` request. The cursor stands before the object, and behind it
    /// afterwards. Fields that this hub does not know are skipped.
    init(standIn cursor: inout JSONCursor) throws(QueryError) {
        let fields: QueryFields
        do throws(QueryReadingFailure) {
            fields = try QueryFields(cursor: &cursor)
        } catch {
            switch error {
            case .json(let error): throw .malformed("\(error)")
            case .query(let error): throw error
            }
        }
        self = try fields.query()
    }
}

private enum QueryReadingFailure: Error {
    case json(JSONError)
    case query(QueryError)
}

extension QueryFields {
    fileprivate init(cursor: inout JSONCursor) throws(QueryReadingFailure) {
        self.init()
        guard cursor.peek() == .object else { throw .query(.notAnObject) }
        do throws(JSONError) { try cursor.enterObject() } catch { throw .json(error) }
        while let name = try Self.nextName(&cursor) { try read(name, &cursor) }
    }

    private static func nextName(_ cursor: inout JSONCursor) throws(QueryReadingFailure) -> String? {
        do throws(JSONError) { return try cursor.nextKey() } catch { throw .json(error) }
    }

    private mutating func read(_ name: String, _ cursor: inout JSONCursor) throws(QueryReadingFailure) {
        switch name {
        case "i": index = try Self.text(name, &cursor)
        case "sp": start.value = try Self.value(name, &cursor)
        case "sn": start.key = try Self.text(name, &cursor)
        case "sin": start.isInclusive = try Self.bool(name, &cursor)
        case "ep": end.value = try Self.value(name, &cursor)
        case "en": end.key = try Self.text(name, &cursor)
        case "ein": end.isInclusive = try Self.bool(name, &cursor)
        case "l": limit = try Self.number(name, &cursor)
        case "vf": anchor = try Self.text(name, &cursor)
        default: do throws(JSONError) { _ = try cursor.skipValue() } catch { throw .json(error) }
        }
    }

    private static func text(_ name: String, _ cursor: inout JSONCursor) throws(QueryReadingFailure) -> String {
        guard cursor.peek() == .string else { throw .query(.wrongType(field: name, expected: "a string")) }
        do throws(JSONError) { return try cursor.readString() } catch { throw .json(error) }
    }

    private static func bool(_ name: String, _ cursor: inout JSONCursor) throws(QueryReadingFailure) -> Bool {
        switch cursor.peek() {
        case .true, .false: break
        default: throw .query(.wrongType(field: name, expected: "true or false"))
        }
        do throws(JSONError) { return try cursor.readBool() } catch { throw .json(error) }
    }

    private static func number(_ name: String, _ cursor: inout JSONCursor) throws(QueryReadingFailure) -> Leaf {
        guard cursor.peek() == .number else { throw .query(.wrongType(field: name, expected: "a whole number")) }
        do throws(JSONError) { return try cursor.readNumber() } catch { throw .json(error) }
    }

    private static func value(_ name: String, _ cursor: inout JSONCursor) throws(QueryReadingFailure) -> ValueOrder {
        do throws(JSONError) {
            switch cursor.peek() {
            case .null:
                try cursor.readNull()
                return .null
            case .true, .false: return .bool(try cursor.readBool())
            case .number: return ValueOrder(try cursor.readNumber())
            case .string: return .string(Text(try cursor.readString()))
            default: break
            }
        } catch { throw .json(error) }
        throw .query(.objectBound(field: name))
    }
}

package struct CompoundHash: Sendable {
    package var hashes: [String]; package var paths: [Path];
    package init(hashes: [String], paths: [Path]) { self.hashes = hashes; self.paths = paths }
}

package struct RangeMerge: Sendable {
    package var start: Path?; package var end: Path?; package var node: Node;
    package init(start: Path?, end: Path?, node: Node) { self.start = start; self.end = end; self.node = node }
}
