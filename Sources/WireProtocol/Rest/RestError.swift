import DataTree

/// A refusal of a REST request: the HTTP status and the text that clients show (`protocol/rest.md`, "Errors").
package struct RestError: Error, Equatable, Sendable {
    package var status: Int
    package var text: String
    /// Whether the text is the whole body instead of a member of a JSON object.
    package var isPlainText: Bool

    package init(status: Int = 400, text: String, isPlainText: Bool = false) {
        self.status = status
        self.text = text
        self.isPlainText = isPlainText
    }

    /// The body of the response; pretty with a newline at the end, whatever form the request asked for.
    package var body: [UInt8] {
        if isPlainText { return Array(text.utf8) }
        var writer = JSONWriter()
        writer.raw("{\n  \"error\" : ")
        writer.string(text)
        writer.raw("\n}\n")
        return writer.bytes
    }

    /// The media type of `body`.
    package var contentType: String {
        isPlainText ? "text/plain; charset=utf-8" : "application/json; charset=utf-8"
    }
}

extension RestError {
    package static let permissionDenied = RestError(status: 401, text: "Permission denied")
    package static let invalidToken = RestError(status: 401, text: "Could not parse auth token.")
    package static let expiredToken = RestError(status: 401, text: "Auth token is expired")
    package static let unauthorized = RestError(status: 401, text: "Unauthorized request.")
    package static let invalidNamespace = RestError(status: 403, text: "Invalid Firebase database name")
    package static let invalidPath = RestError(text: "Invalid path: Invalid token in path")
    package static let invalidJSON = RestError(text: "Invalid data; couldn't parse JSON object, array, or value.")
    package static let readTooLarge = RestError(
        text: "Data requested exceeds the maximum size that can be accessed with a single request.")
    package static let writeTooLarge = RestError(
        text: "Data to write exceeds the maximum size that can be modified with a single request.")
    package static let payloadTooLarge = RestError(status: 413, text: "Payload is too large")
    package static let internalError = RestError(status: 500, text: "An internal error occurred")

    /// A query by `child` (`.value` for values) over children of `path` for which the rules declare no index.
    package static func indexNotDefined(_ child: String, at path: Path) -> RestError {
        RestError(text: "Index not defined, add \".indexOn\": \"\(child)\", for path \"/\(path)\", to the rules")
    }
}
