import DataTree

/// The parameters that select and order children (`protocol/rest.md`, "Queries").
struct RestQuery {
    static let bounds = ["startAt", "startAfter", "endAt", "endBefore", "equalTo"]
    static let names = ["orderBy", "limitToFirst", "limitToLast"] + bounds

    let head: RestHead

    /// Whether any of the parameters is there.
    var isPresent: Bool { head.arguments.contains { Self.names.contains($0.name) } }

    /// The query, or nil when nothing is asked.
    func query() throws(RestError) -> Query? {
        guard isPresent else { return nil }
        guard let orderBy = head.argument("orderBy") else {
            throw RestError(text: "orderBy must be defined when other query parameters are defined")
        }
        let index = try Self.index(orderBy)
        try checkCombination()
        let equal = try bound("equalTo", under: index)
        let start = try start(under: index) ?? equal?.bound(isStart: true, isInclusive: true)
        let end = try end(under: index) ?? equal?.bound(isStart: false, isInclusive: true)
        let first = try limit("limitToFirst", .first)
        let last = try limit("limitToLast", .last)
        do throws(QueryError) {
            return try Query(index: index, start: start, end: end, limit: first ?? last)
        } catch {
            throw RestError(text: "\(error)")
        }
    }

    private func checkCombination() throws(RestError) {
        func has(_ name: String) -> Bool { head.argument(name) != nil }
        if has("limitToFirst"), has("limitToLast") {
            throw RestError(text: "Only one of limitToFirst and limitToLast may be specified")
        }
        if has("equalTo"), Self.bounds.contains(where: { $0 != "equalTo" && has($0) }) {
            throw RestError(
                text: "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore")
        }
        if has("startAt"), has("startAfter") {
            throw RestError(text: "Only one of startAt and startAfter may be specified")
        }
        if has("endAt"), has("endBefore") {
            throw RestError(text: "Only one of endAt and endBefore may be specified")
        }
    }

    // MARK: - Order

    private static func index(_ text: String) throws(RestError) -> Query.Index {
        let failure = RestError(text: "orderBy must be a valid JSON encoded path")
        guard let name = string(text) else { throw failure }
        switch name {
        case "$key": return .key
        case "$value": return .value
        case "$priority": return .priority
        default:
            let path = Path(name)
            let isValid = path.keys.allSatisfy { key in
                key.utf8Count <= 768 && key.withUTF8 { !$0.contains(where: RestPath.isForbiddenInKeys) }
            }
            guard !path.isRoot, path.count <= 32, isValid else { throw failure }
            return .path(path)
        }
    }

    /// The content of a JSON string that is the whole text.
    private static func string(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            do throws(JSONError) {
                guard cursor.peek() == .string else { return nil }
                let string = try cursor.readString()
                try cursor.expectEnd()
                return string
            } catch { return nil }
        }
    }

    // MARK: - Bounds

    /// A value and maybe a key, before it is known at which end they stand.
    private struct Place {
        var value: ValueOrder
        var key: BoundKey?

        func bound(isStart: Bool, isInclusive: Bool) -> QueryBound {
            // Without a key an exclusive bound leaves out all children with the value.
            let edge: BoundKey = isStart == isInclusive ? .least : .greatest
            return QueryBound(value: value, key: key ?? edge, isInclusive: isInclusive)
        }
    }

    private func start(under index: Query.Index) throws(RestError) -> QueryBound? {
        if let place = try bound("startAt", under: index) { return place.bound(isStart: true, isInclusive: true) }
        return try bound("startAfter", under: index)?.bound(isStart: true, isInclusive: false)
    }

    private func end(under index: Query.Index) throws(RestError) -> QueryBound? {
        if let place = try bound("endAt", under: index) { return place.bound(isStart: false, isInclusive: true) }
        return try bound("endBefore", under: index)?.bound(isStart: false, isInclusive: false)
    }

    private func bound(_ name: String, under index: Query.Index) throws(RestError) -> Place? {
        guard let text = head.argument(name) else { return nil }
        let (value, key) = try Self.parts(text)
        switch index {
        case .key:
            guard case .string(let text) = value else {
                throw RestError(text: "Provided key index type is invalid, must be string")
            }
            // A second key has nothing to decide here.
            return Place(value: .null, key: BoundKey(text.string))
        case .priority:
            if case .bool = value {
                throw RestError(text: "Provided priority index type is invalid, must be null, a number or a string")
            }
        case .value, .path: break
        }
        return Place(value: value, key: key)
    }

    /// A JSON primitive, maybe with a comma and a key as a JSON string behind it.
    private static func parts(_ text: String) throws(RestError) -> (ValueOrder, BoundKey?) {
        let bytes = Array(text.utf8)
        guard let (value, end) = bytes.withUnsafeBytes(primitive) else { throw .notPrimitive }
        var rest = bytes[end...].drop(while: isWhitespace)
        guard let comma = rest.popFirst() else { return (value, nil) }
        guard comma == UInt8(ascii: ",") else { throw .notPrimitive }
        let failure = RestError(text: "Constraint key field must be a valid key name")
        guard let name = string(String(decoding: rest, as: UTF8.self)) else { throw failure }
        let key = BoundKey(name)
        if case .key(let key) = key {
            let isValid = key.withUTF8 { !$0.isEmpty && !$0.contains(where: RestPath.isForbiddenInKeys) }
            guard isValid, key.utf8Count <= 768 else { throw failure }
        }
        return (value, key)
    }

    /// The value at the start of the text, and where it ends; nil for what is no primitive.
    private static func primitive(_ buffer: UnsafeRawBufferPointer) -> (ValueOrder, Int)? {
        var cursor = JSONCursor(buffer)
        do throws(JSONError) {
            switch cursor.peek() {
            case .null:
                try cursor.readNull()
                return (.null, cursor.offset)
            case .true, .false:
                let value = try cursor.readBool()
                return (.bool(value), cursor.offset)
            case .number:
                let value = try cursor.readNumber()
                return (ValueOrder(value), cursor.offset)
            case .string:
                let text = try cursor.readText { Text(utf8: $0) }
                return (.string(text), cursor.offset)
            default: return nil
            }
        } catch { return nil }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    // MARK: - Limits

    private func limit(_ name: String, _ anchor: Query.Limit.Anchor) throws(RestError) -> Query.Limit? {
        guard let count = try Self.limit(name, in: head) else { return nil }
        return Query.Limit(count: count, anchor: anchor)
    }

    /// A count of children. One beyond what clients can count means all of them.
    static func limit(_ name: String, in head: RestHead) throws(RestError) -> Int? {
        guard let text = head.argument(name) else { return nil }
        let isNegative = text.hasPrefix("-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, !isNegative || !digits.isEmpty else {
            throw RestError(text: "\(name) must be an integer")
        }
        let count = digits.isEmpty ? 0 : Int(text) ?? (isNegative ? -1 : .max)
        guard count > 0 else { throw RestError(text: "\(name) must be positive") }
        return min(count, Query.Limit.greatestCount)
    }
}

extension RestError {
    fileprivate static let notPrimitive = RestError(text: "Constraint index field must be a JSON primitive")
}
