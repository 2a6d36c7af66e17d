import DataTree

/// Reads a backup that arrives in slices, cut anywhere. Beyond the tree of one namespace it keeps no more than one line about a
/// namespace.
///
/// ```swift
/// let reader = BackupReader { backup in try restorer.add(backup) }
/// while let slice = try receive() { try reader.feed(slice) }
/// try reader.finish()
/// ```
package final class BackupReader {
    private enum Place {
        case header
        /// Before the line about the next namespace, or the last line.
        case information
        case data(BackupLines.Information)
        case end
    }

    /// What the first line says; nil before it was read.
    package private(set) var header: BackupHeader?
    private let found: (NamespaceBackup) throws -> Void
    private var place = Place.header
    /// The part of a line that is there.
    private var line: [UInt8] = []
    private var lineNumber = 1
    private var decoder: NodeDecoder?
    private var namesLeft: ArraySlice<String> = []

    /// A line about a namespace has at most so many bytes.
    private static let longestLine = 256 << 20
    private static let dataLimits = JSONLimits(depth: 10_000, stringBytes: .max, keyBytes: .max, form: .write)

    /// - Parameter found: called with each namespace, whole and compared with its hash.
    package init(_ found: @escaping (NamespaceBackup) throws -> Void) { self.found = found }

    /// - Throws: `BackupError`, or what `found` throws. The reader is of no more use then.
    package func feed(_ slice: UnsafeRawBufferPointer) throws {
        var rest = slice[...]
        while !rest.isEmpty {
            let newline = rest.firstIndex(of: UInt8(ascii: "\n"))
            let piece = UnsafeRawBufferPointer(rebasing: rest[..<(newline ?? rest.endIndex)])
            try take(piece, endsLine: newline != nil)
            rest = newline.map { rest[($0 + 1)...] } ?? rest[rest.endIndex...]
        }
    }

    /// - Throws: `BackupError.cutShort` when the backup is not complete.
    package func finish() throws {
        guard case .end = place, line.isEmpty else { throw BackupError.cutShort }
    }

    private func take(_ piece: UnsafeRawBufferPointer, endsLine: Bool) throws {
        switch place {
        case .data(let information):
            do {
                if decoder == nil { decoder = NodeDecoder(limits: Self.dataLimits) }
                try decoder?.feed(piece)
                if endsLine, let decoder = decoder.take() { try finish(information, tree: try decoder.finish()) }
            } catch let error as JSONError {
                throw BackupError.malformed(line: lineNumber, "\(error)")
            }
        case .end:
            throw BackupError.trailingBytes
        case .header, .information:
            guard line.count + piece.count <= Self.longestLine else {
                throw BackupError.malformed(line: lineNumber, "it is too long")
            }
            line += piece
            if !endsLine { return }
            let whole = line
            line = []
            try whole.withUnsafeBytes(takeLine)
        }
        if endsLine { lineNumber += 1 }
    }

    private func takeLine(_ text: UnsafeRawBufferPointer) throws {
        do {
            if case .header = place {
                let header = try BackupLines.readHeader(text)
                self.header = header
                namesLeft = header.namespaces[...]
                place = .information
                return
            }
            guard let name = namesLeft.first else {
                guard BackupLines.isEnd(text) else {
                    throw BackupError.malformed(line: lineNumber, "it is not the last line")
                }
                place = .end
                return
            }
            let information = try BackupLines.readInformation(text)
            guard information.backup.name.utf8.elementsEqual(name.utf8) else {
                throw BackupError.malformed(line: lineNumber, "it is not about namespace \(name)")
            }
            namesLeft = namesLeft.dropFirst()
            place = .data(information)
        } catch let error as JSONError {
            if case .header = place { throw BackupError.notABackup }
            throw BackupError.malformed(line: lineNumber, "\(error)")
        }
    }

    private func finish(_ information: BackupLines.Information, tree: Node) throws {
        var backup = information.backup
        backup.tree = tree
        guard tree.leafCount == information.leaves else {
            throw BackupError.differs(
                namespace: backup.name, "it has \(tree.leafCount) leaves instead of \(information.leaves)")
        }
        guard tree.hash() == information.hash else {
            throw BackupError.differs(namespace: backup.name, "its data do not have the hash that they had")
        }
        place = .information
        try found(backup)
    }
}
