/// Where an export goes: a file, or standard output.
final class FileOrOutput {
    private enum Place {
        case file(OutputFile)
        case output(GzipWriter?)
    }

    private let place: Place
    private let environment: CommandEnvironment
    private var outputBytes = 0

    /// `-` is standard output.
    init(_ path: String, isCompressed: Bool, _ environment: CommandEnvironment) throws(CommandProblem) {
        self.environment = environment
        place =
            path == "-"
            ? .output(isCompressed ? try GzipWriter() : nil) : .file(try OutputFile(path, isCompressed: isCompressed))
    }

    /// How many bytes came out, compressed or not.
    var fileBytes: Int { if case .file(let file) = place { file.fileBytes } else { outputBytes } }

    /// Whether others can lie beside it; to be asked before `finish`.
    var isOrdinary: Bool { if case .file(let file) = place { file.isOrdinary } else { false } }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandProblem) {
        switch place {
        case .file(let file): try file.write(bytes)
        case .output(let gzip?): try gzip.write(bytes) { piece throws(CommandProblem) in try put(piece) }
        case .output(nil):
            try environment.write(bytes)
            outputBytes += bytes.count
        }
    }

    func finish() throws(CommandProblem) {
        switch place {
        case .file(let file): try file.finish()
        case .output(let gzip): try gzip?.finish { piece throws(CommandProblem) in try put(piece) }
        }
    }

    private func put(_ piece: ArraySlice<UInt8>) throws(CommandProblem) {
        try environment.write(bytes: Array(piece))
        outputBytes += piece.count
    }
}
