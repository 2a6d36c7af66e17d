import DataTree

extension RestError {
    /// The refusal of a body.
    /// - Parameter position: of the error's offset; nil when it is not known any more.
    package init(body error: JSONError, at position: LineCounter.Position?) {
        if error.isSyntax {
            self = .invalidJSON
            return
        }
        let place = position.map { " beginning at \($0)" } ?? ""
        switch error.reason {
        case .unexpectedKind: self = .invalidJSON
        case .emptyKey, .keyCharacter:
            self.init(text: "Invalid data; couldn't parse key\(place). \(Self.keyRule)")
        case .keyTooLong(let limit):
            self.init(text: "Invalid data; key\(place) is longer than \(limit) bytes. Use a shorter one.")
        default:
            let place = position.map { " at \($0)" } ?? ""
            self.init(text: "Invalid data\(place). \(error.reason).")
        }
    }

    /// The refusal of a write whose text was good.
    package init(_ error: WriteError) {
        switch error {
        case .emptyKey, .keyCharacter: self.init(text: "Invalid data; couldn't parse key. \(Self.keyRule)")
        default: self.init(text: "Invalid data. \(error).")
        }
    }

    /// The refusal of a change in an update under its name as sent.
    init(_ error: WriteError, inChange name: Key) {
        switch error {
        case .emptyKey, .keyCharacter, .reservedPath:
            self.init(text: "Invalid data; couldn't parse key \"\(name)\". \(Self.keyRule)")
        default: self.init(error)
        }
    }

    private static let keyRule = "Key value can't be empty or contain $ # [ ] / or ."
}
