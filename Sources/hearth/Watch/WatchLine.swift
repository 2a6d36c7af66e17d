import DataTree

/// What an event of a stream means for who watches.
enum WatchLine: Equatable {
    /// A line to print, its end of line included.
    case line([UInt8])
    /// The hub only shows that it is there.
    case nothing
    /// The hub ends the stream for a reason.
    case end(String)

    init(_ event: StreamEvent) {
        switch event.name {
        case "put", "patch": self = Self.line(event) ?? .end("the hub sent an event that makes no sense; check --url")
        case "cancel": self = .end("the hub ended the stream: \(Self.reason(event)); check the rules and --auth")
        case "auth_revoked":
            self = .end("the hub ended the stream: \(Self.reason(event)); give a new token with --auth")
        default: self = .nothing
        }
    }

    private static func line(_ event: StreamEvent) -> WatchLine? {
        event.data.withUnsafeBytes { bytes -> WatchLine? in
            var cursor = JSONCursor(bytes)
            do throws(JSONError) {
                var path: Range<Int>?
                var data: Range<Int>?
                try cursor.enterObject()
                while let name = try cursor.nextName() {
                    switch name {
                    case "path": path = try cursor.skipValue()
                    case "data": data = try cursor.skipValue()
                    default: _ = try cursor.skipValue()
                    }
                }
                guard let path, let data else { return nil }
                var writer = JSONWriter(reserving: bytes.count + 32)
                writer.raw("{\"event\":")
                writer.string(event.name)
                writer.raw(",\"path\":")
                writer.bytes.append(contentsOf: bytes[path])
                writer.raw(",\"data\":")
                writer.bytes.append(contentsOf: bytes[data])
                writer.raw("}\n")
                return .line(writer.bytes)
            } catch {
                return nil
            }
        }
    }

    /// The text, with or without quotes.
    private static func reason(_ event: StreamEvent) -> String {
        var text = String(decoding: event.data, as: UTF8.self)
        if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") { text = String(text.dropFirst().dropLast()) }
        if text.hasSuffix(".") { text.removeLast() }
        return shown(text.isEmpty || text == "null" ? "no reason given" : text)
    }
}
