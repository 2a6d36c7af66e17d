/// A value of a rules file: JSON with comments, commas before closing brackets and raw line breaks in strings
/// (reference in `RelaxedJSONParser`). Each value knows where it starts in the file.
struct RelaxedJSON: Sendable {
    enum Content: Sendable {
        case object([Member])
        case array([RelaxedJSON])
        case string(DecodedString)
        case bool(Bool)
        /// Numbers have no place in a rules file; which one it is matters to no message.
        case number
        case null
    }

    struct Member: Sendable {
        var key: DecodedString
        /// Where the key's opening quote stands.
        var keyOffset: Int
        var value: RelaxedJSON
    }

    var content: Content
    var offset: Int
}
