import DataTree
import WireProtocol

/// A new text for a setting of a namespace, checked: a proposal like any other.
package struct SettingChange: Sendable {
    package let name: String
    /// JSON; nil forgets the setting.
    package let text: String?
    /// Who wants it, for the log.
    package let author: String
    /// Told why it was not changed, or nil, once that is durable.
    package let reply: OneReply<SettingFailure?>

    /// - Throws: what is wrong with the name or the text.
    package init(
        name: String, text: String?, author: String, reply: OneReply<SettingFailure?>
    ) throws(SettingFailure) {
        guard (1...NamespaceSettings.maxNameBytes).contains(name.utf8.count) else {
            throw .invalid("A setting's name has 1 to \(NamespaceSettings.maxNameBytes) bytes. Choose another one.")
        }
        if let text { try Self.check(text, of: name) }
        self.name = name
        self.text = text
        self.author = author
        self.reply = reply
    }

    private static func check(_ text: String, of name: String) throws(SettingFailure) {
        guard text.utf8.count <= NamespaceSettings.maxBytes else {
            throw .invalid("A setting holds at most \(NamespaceSettings.maxBytes) bytes. Send less.")
        }
        var copy = text
        let isJSON = copy.withUTF8 { bytes in
            var cursor = JSONCursor(UnsafeRawBufferPointer(bytes))
            return (try? cursor.skipValue()) != nil && (try? cursor.expectEnd()) != nil
        }
        guard isJSON else { throw .invalid("A setting is one JSON value, and this is none. Send JSON.") }
        guard name.utf8.elementsEqual(NamespaceSettings.defaultWriteSize.utf8) else { return }
        guard NamespaceSettings.string(text).flatMap(WriteSizeLimit.init) != nil else {
            let names = WriteSizeLimit.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw .invalid("\(name) is one of \(names). Send one of these.")
        }
    }
}

/// Why a setting was not changed. The texts reach the administrator.
package enum SettingFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case invalid(String)
    /// The namespace has as many settings as it may have.
    case tooMany(limit: Int)
    /// It cannot be stored now; the text says why and what to do.
    case unavailable(String)

    package var description: String {
        switch self {
        case .invalid(let text), .unavailable(let text): text
        case .tooMany(let limit): "This namespace has its maximum of \(limit) settings. Remove one first."
        }
    }

    /// For whoever asks a hub that stops, or a namespace that is deleted.
    static let gone = SettingFailure.unavailable("The namespace cannot be reached now. Try again in a few seconds.")
}

extension Engine {
    func change(_ change: SettingChange) {
        withOwedPaid {
            if let refusal { return answer(change, .unavailable(refusal)) }
            let known = settings[change.name]
            if known == nil, change.text != nil, settings.count >= NamespaceSettings.maxCount {
                return answer(change, .tooMany(limit: NamespaceSettings.maxCount))
            }
            if known.map({ Array($0.utf8) }) != change.text.map({ Array($0.utf8) }) {
                batch.undo.append(.settings(settings))
                settings[change.name] = change.text
                unsaved.settings.insert(change.name)
                batch.entry.records.append(.setting(name: change.name, text: change.text))
                let (log, namespace) = (log, configuration.namespace)
                outbox.reply {
                    log.info(
                        "setting.changed",
                        [
                            "namespace": LogValue(namespace), "name": LogValue(change.name),
                            "author": LogValue(change.author),
                        ])
                }
            }
            answer(change, nil)
        }
    }

    private func answer(_ change: SettingChange, _ failure: SettingFailure?) {
        batch.requests.append(.administrative(.changeSetting(change)))
        outbox.reply { change.reply.send(failure) }
    }
}
