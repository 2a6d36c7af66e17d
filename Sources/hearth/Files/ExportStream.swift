import SecurityRules

/// Takes an export of a hub apart as it comes: one line that says what it is, then the data.
struct ExportStream {
    /// The first line.
    struct Head: Equatable {
        var leaves: Int
        /// The source of the rules; nil when there are none, or the export is of a part.
        var rules: String?
        /// When it was, in milliseconds since 1970.
        var time: Int?
    }

    private(set) var head: Head?
    private var line: [UInt8] = []

    private static let longestLine = 64 << 20

    /// Answers which part of the piece is data; nil as long as the first line goes on.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(CommandProblem) -> UnsafeRawBufferPointer? {
        if head != nil { return bytes }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        line.append(contentsOf: bytes[..<(end ?? bytes.endIndex)])
        guard let end else {
            guard line.count < Self.longestLine else { throw Self.unknown }
            return nil
        }
        guard let value = ReportValue(answer: line), value["hearth"] != nil, let leaves = value["leaves"]?.integer
        else { throw Self.unknown }
        guard value["hearth"]?.integer == 1 else {
            throw .failure("the hub exports in a newer form than this command knows; use its own version of hearth")
        }
        head = Head(leaves: leaves, rules: value["rules"]?.text, time: value["time"]?.integer)
        line = []
        return UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
    }

    static let unknown = CommandProblem.failure("what came is no export of a hub; check --url")
}
