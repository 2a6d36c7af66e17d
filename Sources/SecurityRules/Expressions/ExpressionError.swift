/// What is wrong with an expression, and at which byte of it. An expression is told its first mistake only.
struct ExpressionError: Error, Equatable {
    var offset: Int
    var text: String
}
