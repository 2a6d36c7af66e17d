import DataTree
import WireProtocol

/// Small texts of JSON that belong to a namespace, by name. The hub goes by some of them; the others it keeps for those who
/// wrote them.
package struct NamespaceSettings: Sendable, Equatable {
    private var texts: [Text: Text] = [:]

    /// How many a namespace may have.
    package static let maxCount = 64
    /// Bytes of one text.
    package static let maxBytes = 65_536
    /// Bytes of one name.
    package static let maxNameBytes = 128

    package init() {}

    package var count: Int { texts.count }

    /// The text of a setting; nil for one that is not set.
    package subscript(name: String) -> String? {
        get { texts[Text(name)]?.string }
        set { texts[Text(name)] = newValue.map { Text($0) } }
    }

    /// By name, so that the result does not depend on a hash table's order.
    package var all: [(name: String, text: String)] {
        texts.sorted { $0.key < $1.key }.map { ($0.key.string, $0.value.string) }
    }
}

extension NamespaceSettings {
    /// How much a write may change that does not say so itself (`protocol/rest.md`, "Sizes").
    static let defaultWriteSize = "defaultWriteSizeLimit"

    /// What that setting says; `large` where nobody has set it.
    var writeSize: WriteSizeLimit {
        guard let text = self[Self.defaultWriteSize], let name = Self.string(text) else { return .large }
        return WriteSizeLimit(rawValue: name) ?? .large
    }

    /// The string that a text of JSON is, if it is one.
    static func string(_ json: String) -> String? {
        var json = json
        return json.withUTF8 { bytes in
            var cursor = JSONCursor(UnsafeRawBufferPointer(bytes))
            guard let text = try? cursor.readString(), (try? cursor.expectEnd()) != nil else { return nil }
            return text
        }
    }
}
