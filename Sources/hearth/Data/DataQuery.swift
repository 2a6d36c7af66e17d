import DataTree

/// The options of a query, as parameters of the REST interface.
enum DataQuery {
    static let options: [CommandSyntax.Option] = [
        .init(
            name: "order-by", argument: "CHILD", help: "a child such as height or a/b, or '$key', '$value', '$priority'"
        ),
        .init(name: "start-at", argument: "VALUE", help: "from here on"),
        .init(name: "start-after", argument: "VALUE", help: "from behind here on"),
        .init(name: "end-at", argument: "VALUE", help: "up to here"),
        .init(name: "end-before", argument: "VALUE", help: "up to before here"),
        .init(name: "equal-to", argument: "VALUE", help: "only these"),
        .init(name: "limit-to-first", argument: "N", help: "at most so many, from the first"),
        .init(name: "limit-to-last", argument: "N", help: "at most so many, to the last"),
    ]

    /// For the help.
    static let note = """
        VALUE is JSON, as "tea", 3 or true; other text is a string as it is, and so is all
        text when the order is '$key'. 3,"ada" begins or ends at one child of several.
        """

    private static let bounds = [
        ("start-at", "startAt"), ("start-after", "startAfter"), ("end-at", "endAt"), ("end-before", "endBefore"),
        ("equal-to", "equalTo"),
    ]
    private static let limits = [("limit-to-first", "limitToFirst"), ("limit-to-last", "limitToLast")]

    /// The hub judges whether they fit each other; what it would not understand is refused here.
    static func parameters(_ arguments: CommandArguments) throws(CommandProblem) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        let order = arguments["order-by"]
        if let order {
            let isOrder = ["$key", "$value", "$priority"].contains(order)
            if !isOrder { _ = try DataPath(order) }
            parameters.append(("orderBy", quoted(order)))
        }
        for (option, name) in bounds {
            guard let value = arguments[option] else { continue }
            guard let order else { throw missingOrder(option) }
            parameters.append((name, bound(value, isKey: order == "$key")))
        }
        for (option, name) in limits {
            guard let value = arguments[option] else { continue }
            // The keys alone may be limited in the order that they always have.
            guard order != nil || (arguments.isOn("shallow") && name == "limitToFirst") else {
                throw missingOrder(option)
            }
            guard let count = Int32(value), count > 0 else {
                throw .usage("--\(option) cannot be '\(shown(value))'; give a whole number above 0")
            }
            parameters.append((name, "\(count)"))
        }
        return parameters
    }

    private static func missingOrder(_ option: String) -> CommandProblem {
        .usage("--\(option) needs an order; add --order-by CHILD, or --order-by '$key'")
    }

    /// A value of a bound, and the key of a child behind a comma when one is there.
    private static func bound(_ text: String, isKey: Bool) -> String {
        let isJSON: Bool = Array(text.utf8).withUnsafeBytes { bytes in
            var cursor = JSONCursor(bytes)
            do throws(JSONError) {
                let kind = cursor.peek()
                guard kind != .object, kind != .array, kind == .string || !isKey else { return false }
                let value = try cursor.skipValue()
                if value.upperBound == bytes.count { return true }
                var rest = JSONCursor(UnsafeRawBufferPointer(rebasing: bytes[(value.upperBound + 1)...]))
                guard bytes[value.upperBound] == UInt8(ascii: ","), rest.peek() == .string else { return false }
                _ = try rest.skipValue()
                try rest.expectEnd()
                return true
            } catch {
                return false
            }
        }
        return isJSON ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
