import DataTree

/// What can be asked of a snapshot.
enum SnapshotMethod: String, Sendable {
    case val
    case child
    case parent
    case hasChild
    case hasChildren
    case exists
    case isString
    case isNumber
    case isBoolean
    case getPriority

    /// The type of the answer.
    var type: RuleType {
        switch self {
        case .val, .getPriority: .value
        case .child, .parent: .snapshot
        case .hasChild, .hasChildren, .exists, .isString, .isNumber, .isBoolean: .boolean
        }
    }
}

/// What can be asked of a string, besides its `length`.
enum StringMethod: String, Sendable {
    case contains
    case beginsWith
    case endsWith
    case replace
    case toLowerCase
    case toUpperCase
    case matches

    var type: RuleType {
        switch self {
        case .contains, .beginsWith, .endsWith, .matches: .boolean
        case .replace, .toLowerCase, .toUpperCase: .string
        }
    }
}

/// What rules know of the query of a read.
enum QueryProperty: String, Sendable {
    case orderByChild
    case orderByKey
    case orderByPriority
    case orderByValue
    case startAt
    case endAt
    case equalTo
    case limitToFirst
    case limitToLast

    var type: RuleType {
        switch self {
        case .orderByKey, .orderByPriority, .orderByValue: .boolean
        default: .queryValue
        }
    }
}

extension RawRepresentable<String> {
    /// Finds a case by its exact bytes: Swift's strings also equal other spellings of a letter.
    init?(_ name: Text) {
        guard name.withUTF8({ $0.allSatisfy { $0 < 0x80 } }) else { return nil }
        self.init(rawValue: name.string)
    }
}
