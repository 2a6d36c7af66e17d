extension Query {
    /// Reads the query object of a `q`, `n` or `g` request. The cursor stands before the object, and behind it
    /// afterwards. Fields that this hub does not know are skipped.
    package init(cursor: inout JSONCursor) throws(QueryError) {
        self = try QueryFields(cursor: &cursor).query()
    }

    /// Writes the canonical query object: what the JavaScript SDK would send for this query, names in order, so that it
    /// finds the listen again when the hub revokes it (`QueryImpl._queryIdentifier`).
    package func write(to writer: inout JSONWriter) {
        var isFirst = true
        func name(_ name: StaticString) {
            writer.raw(isFirst ? "{\"" : ",\"")
            writer.raw(name)
            writer.raw("\":")
            isFirst = false
        }
        func bound(_ bound: QueryBound, absentKey: BoundKey, _ names: (StaticString, StaticString, StaticString)) {
            name(names.0)
            writer.raw(bound.isInclusive ? "true" : "false")
            if index != .key, bound.key != absentKey {
                name(names.1)
                write(bound.key, to: &writer)
            }
            name(names.2)
            if index == .key { write(bound.key, to: &writer) } else { write(bound.value, to: &writer) }
        }
        if let end { bound(end, absentKey: .greatest, ("ein", "en", "ep")) }
        switch index {
        case .priority: break
        case .key:
            name("i")
            writer.raw("\".key\"")
        case .value:
            name("i")
            writer.raw("\".value\"")
        case .path(let path):
            name("i")
            writer.path(path)
        }
        if let limit {
            name("l")
            writer.integer(Int64(limit.count))
        }
        if let start { bound(start, absentKey: .least, ("sin", "sn", "sp")) }
        if let limit {
            name("vf")
            writer.raw(limit.anchor == .first ? "\"l\"" : "\"r\"")
        }
        writer.raw(isFirst ? "{}" : "}")
    }

    private func write(_ key: BoundKey, to writer: inout JSONWriter) {
        switch key {
        case .least: writer.string(BoundKey.leastText)
        case .key(let key): writer.key(key)
        case .greatest: writer.string(BoundKey.greatestText)
        }
    }

    private func write(_ value: ValueOrder, to writer: inout JSONWriter) {
        switch value {
        case .null, .object: writer.raw("null")
        case .bool(let bool): writer.raw(bool ? "true" : "false")
        case .number(let number): writer.leaf(.number(number))
        case .string(let text): writer.text(text)
        }
    }
}

extension Query: CustomStringConvertible {
    /// The canonical query object as text.
    package var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension QueryFields {
    fileprivate init(cursor: inout JSONCursor) throws(QueryError) {
        self.init()
        guard cursor.peek() == .object else { throw .notAnObject }
        do throws(JSONError) { try cursor.enterObject() } catch { throw .malformed(error) }
        while let name = try Self.nextName(&cursor) {
            switch name {
            case "i": index = try Self.text("i", &cursor)
            case "sp": start.value = try Self.value("sp", &cursor)
            case "sn": start.key = try Self.text("sn", &cursor)
            case "sin": start.isInclusive = try Self.bool("sin", &cursor)
            case "ep": end.value = try Self.value("ep", &cursor)
            case "en": end.key = try Self.text("en", &cursor)
            case "ein": end.isInclusive = try Self.bool("ein", &cursor)
            case "l": limit = try Self.number("l", &cursor)
            case "vf": anchor = try Self.text("vf", &cursor)
            default: do throws(JSONError) { _ = try cursor.skipValue() } catch { throw .malformed(error) }
            }
        }
    }

    private static func nextName(_ cursor: inout JSONCursor) throws(QueryError) -> JSONName? {
        do throws(JSONError) { return try cursor.nextName() } catch { throw .malformed(error) }
    }

    private static func text(_ name: String, _ cursor: inout JSONCursor) throws(QueryError) -> String {
        guard cursor.peek() == .string else { throw .wrongType(field: name, expected: "a string") }
        do throws(JSONError) { return try cursor.readString() } catch { throw .malformed(error) }
    }

    private static func bool(_ name: String, _ cursor: inout JSONCursor) throws(QueryError) -> Bool {
        let kind = cursor.peek()
        guard kind == .true || kind == .false else { throw .wrongType(field: name, expected: "true or false") }
        do throws(JSONError) { return try cursor.readBool() } catch { throw .malformed(error) }
    }

    private static func number(_ name: String, _ cursor: inout JSONCursor) throws(QueryError) -> Leaf {
        guard cursor.peek() == .number else { throw .wrongType(field: name, expected: "a whole number") }
        do throws(JSONError) { return try cursor.readNumber() } catch { throw .malformed(error) }
    }

    private static func value(_ name: String, _ cursor: inout JSONCursor) throws(QueryError) -> ValueOrder {
        do throws(JSONError) {
            switch cursor.peek() {
            case .null:
                try cursor.readNull()
                return .null
            case .true, .false: return .bool(try cursor.readBool())
            case .number: return ValueOrder(try cursor.readNumber())
            case .string: return .string(try cursor.readText { Text(utf8: $0) })
            case .object, .array: break
            case .invalid, nil: _ = try cursor.skipValue()
            }
        } catch { throw .malformed(error) }
        throw .objectBound(field: name)
    }
}
