import DataTree

/// How a REST response shall look (`protocol/rest.md`, "Output").
package struct RestOutput: Equatable, Sendable {
    /// `print=pretty`.
    package var isPretty = false
    /// `print=silent`: 204 and no body; errors come as usual.
    package var isSilent = false
    /// `format=export`: with priorities.
    package var isExport = false
    /// The function around the JSON.
    package var callback: String?
    /// The file name of an attachment, only characters that a header can carry in quotes.
    package var download: String?

    package init() {}

    /// How nodes are written.
    package var form: RestForm { RestForm(keepsPriorities: isExport, isPretty: isPretty) }

    /// The media type of a successful response.
    package var contentType: String {
        callback == nil ? "application/json; charset=utf-8" : "application/javascript; charset=utf-8"
    }

    /// What goes around the JSON of a successful response.
    package var wrapping: (head: [UInt8], tail: [UInt8]) {
        guard let callback else { return ([], []) }
        return (Array("\(callback)(".utf8), Array(");".utf8))
    }

    /// The value of `Content-Disposition`.
    package var contentDisposition: String? { download.map { "attachment; filename=\"\($0)\"" } }

    static func callback(_ text: String) throws(RestError) -> String {
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        guard isName, (1...128).contains(text.utf8.count) else {
            throw RestError(
                text: "callback must name a function with letters, digits, _ . $ [ ], in at most 128 characters")
        }
        return text
    }

    /// A file name without what would end or leave the quotes of the header, or the folder.
    static func download(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars.prefix(255) {
            let isPlain = (0x20...0x7E).contains(scalar.value) && !"\"\\/:*?<>|;".unicodeScalars.contains(scalar)
            name.unicodeScalars.append(isPlain ? scalar : "_")
        }
        return name.isEmpty ? "data.json" : name
    }
}
