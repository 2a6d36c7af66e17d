/// Why a rule could not be evaluated. A rule that fails is false, whatever stands around the failing place.
package struct RuleFailure: Error, Equatable, Sendable {
    /// The operation that failed.
    let operation: Int32
    package let reason: Reason

    package enum Reason: UInt8, Sendable {
        case notNumbers
        case notOrdered
        case notAddable
        case notAString
        case argumentNotAString
        case parentOfRoot
        case tooManySteps
        case stringTooLong
    }
}

extension RuleFailure.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notNumbers: "an operand is not a number; test it with isNumber() or != null first"
        case .notOrdered: "the operands are not two numbers or two strings; test their types first"
        case .notAddable: "the operands are not numbers or strings; test their types first"
        case .notAString: "the value is not a string; test it with isString() or != null first"
        case .argumentNotAString: "an argument is not a string; test it with isString() or != null first"
        case .parentOfRoot: "the root has no parent; leave out a parent()"
        case .tooManySteps: "the decision takes too many steps; write less at once, or simplify the rules"
        case .stringTooLong: "the string becomes too long; limit the length of what it is made of"
        }
    }
}
