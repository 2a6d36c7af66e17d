import Glibc

/// The conversations of this project, found from the place of this source file.
package enum ConversationFiles {
    package struct Unreadable: Error, CustomStringConvertible {
        let path: String
        package var description: String { "cannot read \(path); run the tests from the sources they were built from" }
    }

    /// All conversations, in the order of their files.
    package static func all() throws -> [Conversation] {
        var pieces = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        pieces.removeLast(3)
        let folder = pieces.joined(separator: "/") + "/protocol/conversations"
        guard let directory = opendir(folder) else { throw Unreadable(path: folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".jsonl") { names.append(name) }
        }
        var conversations: [Conversation] = []
        for name in names.sorted() {
            guard let text = TemporaryFolder.contents(of: "\(folder)/\(name)") else { throw Unreadable(path: name) }
            conversations += try Conversation.read(file: name, text: text)
        }
        return conversations
    }
}
