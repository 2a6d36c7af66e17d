/// What one node of an expression does when a rule runs.
///
/// Plain numbers only, so that reading an operation touches no reference count: operands are indexes of operations, the
/// rest are indexes into the tables of `Program`. An operation has the index of the node that it was made of.
enum Operation: Equatable, Sendable {
    /// Something without a value of its own: the name of a method, a list, a pattern.
    case nothing

    // Values.
    case null
    case bool(Bool)
    case constant(Int32)
    case now
    case auth
    /// `auth.uid`
    case userID(Int32)
    /// What a wildcard stands for: the key of a level on the way.
    case capture(level: Int32)
    case query(QueryProperty, Int32)

    // Snapshots.
    case root
    case data
    case newData
    case child(Int32, Int32)
    /// A child under a literal path.
    case childPath(Int32, path: Int32, count: Int32)

    case parent(Int32)

    // Of snapshots.
    /// A deep one may be compared with another object, and then depends on all below its place.
    case val(Int32, isDeep: Bool)
    case priority(Int32)
    case exists(Int32)
    case isString(Int32)
    case isNumber(Int32)
    case isBoolean(Int32)
    case hasChildren(Int32)
    case hasChild(Int32, Int32)
    case hasChildPath(Int32, path: Int32, count: Int32)
    case hasAllChildren(Int32, names: Int32, count: Int32)
    /// The same with literal names: each name is two operands, the place and number of its keys.
    case hasAllPaths(Int32, names: Int32, count: Int32)

    // Of strings.
    case length(Int32)
    case contains(Int32, Int32)
    case beginsWith(Int32, Int32)
    case endsWith(Int32, Int32)
    case replace(Int32, Int32, Int32)
    case lowercase(Int32)
    case uppercase(Int32)
    case matches(Int32, pattern: Int32)

    // Of `auth`.
    case property(Int32, key: Int32)
    case claimLength(Int32, key: Int32)
    case element(Int32, Int32)

    // Operators.
    case not(Int32)
    case negate(Int32)
    case and(operands: Int32, count: Int32)
    case or(operands: Int32, count: Int32)
    case equal(Int32, Int32)
    case notEqual(Int32, Int32)
    case less(Int32, Int32)
    case lessOrEqual(Int32, Int32)
    case greater(Int32, Int32)
    case greaterOrEqual(Int32, Int32)
    case add(Int32, Int32)
    case subtract(Int32, Int32)
    case multiply(Int32, Int32)
    case divide(Int32, Int32)
    case remainder(Int32, Int32)
    case conditional(Int32, Int32, Int32)
}
