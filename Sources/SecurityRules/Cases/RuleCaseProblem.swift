/// What is wrong with a file of rule cases, and where.
package struct RuleCaseProblem: Error, Equatable, CustomStringConvertible {
    package let position: SourcePosition
    /// A sentence that ends with the remedy.
    package let message: String

    package init(position: SourcePosition, message: String) {
        self.position = position
        self.message = message
    }

    package var description: String { "\(position): \(message)" }
}
