/// What is known of a value before any rule runs.
enum RuleType: UInt8, Sendable {
    case boolean
    case number
    case string
    case null
    case regularExpression
    /// `data`, `newData`, `root` and what `child` and `parent` make of them.
    case snapshot
    /// The name of a method without a call.
    case method
    /// Stored data: any scalar, null, or an object.
    case value
    /// `auth` and whatever is reached from it.
    case auth
    case query
    /// A bound or limit of the query, or null.
    case queryValue
    /// A conditional whose branches differ.
    case mixed

    /// Whether values may be compared by `==` and `!=`.
    var isComparable: Bool {
        switch self {
        case .boolean, .number, .string, .null, .value, .auth, .queryValue, .mixed: true
        case .regularExpression, .snapshot, .method, .query: false
        }
    }

    /// Whether `+` and the ordering operators take it.
    var isOrderable: Bool {
        switch self {
        case .number, .string, .value, .auth, .queryValue, .mixed: true
        default: false
        }
    }

    /// Whether the arithmetic operators take it.
    var isNumeric: Bool { isOrderable && self != .string }

    /// Whether methods take it where they want a string; whether it is one shows when the rule runs.
    var isStringLike: Bool {
        switch self {
        case .string, .value, .auth, .mixed: true
        default: false
        }
    }

    /// Whether a value may be an object.
    var mayBeObject: Bool { self == .value || self == .auth || self == .mixed }

    /// The type of a conditional with these branches.
    static func common(_ left: RuleType, _ right: RuleType) -> RuleType {
        if left == right { return left }
        let open: [RuleType] = [.string, .value, .auth]
        return open.contains(left) || open.contains(right) ? .value : .mixed
    }
}
