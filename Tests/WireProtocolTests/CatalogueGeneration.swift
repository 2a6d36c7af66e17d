import CJansson

/// Generates from the catalogues in `protocol/` what would otherwise be written twice: the Swift enums and the tables of
/// `protocol/websocket.md`. `scripts/generate-catalogues` runs it; a test compares.
enum CatalogueGeneration {
    struct Malformed: Error, CustomStringConvertible {
        let file: String
        let reason: String
        var description: String { "protocol/\(file): \(reason)" }
    }

    struct Status {
        let name, status, text, when, client: String
    }

    struct Reason {
        let name, text, when: String
        let closeCode: Int?
    }

    static func statuses() throws -> [Status] {
        try entries("errors.json", "statuses") { entry in
            Status(
                name: try entry("name"), status: try entry("status"), text: try entry("text"), when: try entry("when"),
                client: try entry("client"))
        }
    }

    static func reasons() throws -> [Reason] {
        var codes: [Int?] = []
        try read("close-reasons.json", "reasons") { entry in
            let code = Int(json_integer_value(json_object_get(entry, "closeCode")))
            codes.append(code == 0 ? nil : code)
        }
        var remaining = codes[...]
        return try entries("close-reasons.json", "reasons") { entry in
            Reason(
                name: try entry("name"), text: try entry("text"), when: try entry("when"),
                closeCode: remaining.removeFirst())
        }
    }

    /// `Sources/WireProtocol/Status.swift`.
    static func statusSource() throws -> String {
        let statuses = try statuses()
        var source = """
            // Generated from protocol/errors.json by scripts/generate-catalogues; change the catalogue, not this file.

            /// How a hub answers a request; the raw value is what travels (`protocol/websocket.md`, "Statuses").
            package enum Status: String, CaseIterable, Sendable {

            """
        for status in statuses {
            source += "    /// \(status.when)\n    case \(status.name) = \(quoted(status.status))\n"
        }
        source += "\n    /// What a refusal says when nothing more precise is known; empty for `ok`.\n"
        source += "    package var text: String {\n        switch self {\n"
        for status in statuses { source += "        case .\(status.name): \(quoted(status.text))\n" }
        return source + "        }\n    }\n}\n"
    }

    /// `Sources/WireProtocol/LeaveReason.swift`.
    static func reasonSource() throws -> String {
        let reasons = try reasons()
        var source = """
            // Generated from protocol/close-reasons.json by scripts/generate-catalogues; change the catalogue, not this file.

            /// Why a session ended. The raw value is the text that logs, presence and the console show
            /// (`protocol/websocket.md`, "How a session ends").
            package enum LeaveReason: String, CaseIterable, Sendable {

            """
        for reason in reasons {
            source += "    /// \(reason.when)\n    case \(reason.name) = \(quoted(reason.text))\n"
        }
        source += "\n    /// The WebSocket close code that goes with it; nil when there is nobody left to tell.\n"
        source += "    package var closeCode: UInt16? {\n        switch self {\n"
        for reason in reasons {
            source += "        case .\(reason.name): \(reason.closeCode.map(String.init) ?? "nil")\n"
        }
        source += "        }\n    }\n"
        source += "\n    /// The value of the label `reason` in metrics.\n"
        source += "    package var metricLabel: String {\n        switch self {\n"
        for reason in reasons {
            source += "        case .\(reason.name): \(quoted(reason.text.replacing(" ", with: "_")))\n"
        }
        return source + "        }\n    }\n}\n"
    }

    static func statusTable() throws -> String {
        var table =
            "| status | when | text unless a better one is known | what official clients do |\n| --- | --- | --- | --- |\n"
        for status in try statuses() {
            table += "| `\(status.status)` | \(status.when) | \(status.text) | \(status.client) |\n"
        }
        return table
    }

    static func reasonTable() throws -> String {
        var table = "| reason | close code | when |\n| --- | --- | --- |\n"
        for reason in try reasons() {
            table += "| \(reason.text) | \(reason.closeCode.map(String.init) ?? "none") | \(reason.when) |\n"
        }
        return table
    }

    /// `document` with what stands between `<!-- generated: name -->` and `<!-- end: name -->` replaced.
    static func replacing(_ name: String, with table: String, in document: String) throws -> String {
        let begin = "<!-- generated: \(name) -->\n"
        let end = "<!-- end: \(name) -->"
        guard let first = document.firstRange(of: begin), let last = document.firstRange(of: end),
            first.upperBound <= last.lowerBound
        else { throw Malformed(file: "websocket.md", reason: "the marks of the table '\(name)' are missing") }
        return document[..<first.upperBound] + table + document[last.lowerBound...]
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func entries<Entry>(
        _ file: String, _ list: String, _ body: ((String) throws -> String) throws -> Entry
    ) throws -> [Entry] {
        var entries: [Entry] = []
        try read(file, list) { entry in
            var members: [String: String] = [:]
            var iterator = json_object_iter(entry)
            while let position = iterator {
                if let text = json_string_value(json_object_iter_value(position)) {
                    members[String(cString: json_object_iter_key(position))] = String(cString: text)
                }
                iterator = json_object_iter_next(entry, position)
            }
            let known = members
            entries.append(
                try body { member in
                    guard let text = known[member] else {
                        throw Malformed(file: file, reason: "an entry has no text '\(member)'")
                    }
                    return text
                })
        }
        return entries
    }

    private static func read(
        _ file: String, _ list: String, _ body: (UnsafeMutablePointer<json_t>) throws -> Void
    ) throws {
        let text = try ProjectFiles.text("protocol/\(file)")
        var failure = json_error_t()
        guard let document = json_loads(text, 0, &failure) else {
            throw Malformed(file: file, reason: "no JSON, line \(failure.line)")
        }
        defer { json_delete(document) }
        let array = json_object_get(document, list)
        for index in 0..<json_array_size(array) {
            if let entry = json_array_get(array, index) { try body(entry) }
        }
    }
}
