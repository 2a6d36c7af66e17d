/// Why a query object is refused. The text ends with what a client should send instead.
package enum QueryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The JSON around or inside the query is broken.
    case malformed(JSONError)
    case notAnObject
    /// A field of the query has a type that it cannot have.
    case wrongType(field: String, expected: String)
    case badLimit(String)
    case unknownAnchor(String)
    case badIndex(String)
    /// The key index compares keys, so that its bounds are strings.
    case keyBoundNotText(field: String)
    /// Priorities are numbers and strings.
    case priorityBoundType(field: String)
    /// A bound of an object: nothing can be written that equals it.
    case objectBound(field: String)
    /// A field that refines a bound without the bound.
    case withoutBound(field: String, bound: String)

    package var description: String {
        switch self {
        case .malformed(let error):
            "the query is not valid JSON: \(error)"
        case .notAnObject:
            "a query must be an object; send {} or leave it out for the whole node"
        case .wrongType(let field, let expected):
            "query field \"\(field)\" has the wrong type; send \(expected)"
        case .badLimit(let text):
            "query limit \"l\" is \(text); send a whole number from 1 to \(Query.Limit.greatestCount)"
        case .unknownAnchor(let text):
            "query field \"vf\" is \"\(text)\"; send \"l\" to count from the start or \"r\" to count from the end"
        case .badIndex(let text):
            "query index \"\(text)\" cannot be used; send \".key\", \".value\", \".priority\" or a child path such as \"a/b\""
        case .keyBoundNotText(let field):
            "query field \"\(field)\" must be a key when ordering by \".key\"; send a string"
        case .priorityBoundType(let field):
            "query field \"\(field)\" must be a priority when ordering by priority; send null, a number or a string"
        case .objectBound(let field):
            "query field \"\(field)\" is an object or array; send null, a boolean, a number or a string"
        case .withoutBound(let field, let bound):
            "query field \"\(field)\" stands without \"\(bound)\"; send both or neither"
        }
    }
}
