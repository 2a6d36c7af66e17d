/// A segment file that was filled with zeros and synced before it is needed, so that syncing a group changes no
/// metadata of the file.
struct PreparedSegment {
    var file: any StorageFile
    var path: String
    var size: Int64
    fileprivate var kind: SegmentSupply.Kind
}

/// The segments that a log keeps ahead: `spare`, the next one, and `reserve`, which only reserved entries may begin
/// when the disk has no room for a spare.
final class SegmentSupply: Sendable {
    enum Kind: String {
        case spare
        case reserve
    }

    fileprivate enum Readiness {
        case absent
        /// A thread is making it.
        case preparing
        case ready
        /// The attempt of the background failed; the writer tries again when it needs the segment.
        case missed
    }

    fileprivate struct State {
        var spare = Readiness.absent
        var reserve = Readiness.absent
    }

    private let state = Monitor(State())
    private let directory: String
    private let files: any StorageFiles
    private let configuration: LogConfiguration
    private let identity: UInt64

    private static let suffix = ".preparing"
    private static let sliceBytes = 1 << 20

    init(directory: String, files: any StorageFiles, configuration: LogConfiguration, identity: UInt64) {
        self.directory = directory
        self.files = files
        self.configuration = configuration
        self.identity = identity
    }

    /// Takes over what an earlier run left, removes what is unfinished or not of this log, and makes the reserve.
    /// A disk without room for the reserve is no error here: ordinary entries are refused until there is room.
    func recover(names: [String]) throws(FileError) {
        for name in names where name.hasSuffix(SegmentSupply.suffix) {
            try files.remove(path(name))
        }
        for kind in [Kind.spare, .reserve] where names.contains(kind.rawValue) {
            if try isIntact(kind) {
                state.with { $0[kind] = .ready }
            } else {
                try files.remove(path(kind.rawValue))
            }
        }
        _ = try? ensureReserve()
    }

    /// The segment to begin next, open. It stays in the supply until `didUse`.
    func next(_ kind: Kind) throws(FileError) -> PreparedSegment {
        let isReady = state.wait { state -> Bool? in
            switch state[kind] {
            case .preparing: nil
            case .ready: true
            case .absent, .missed: false
            }
        }
        if isReady != true {
            try prepare(kind)
            state.with { $0[kind] = .ready }
        }
        let path = path(kind.rawValue)
        let file = try files.open(path, create: false)
        return PreparedSegment(file: file, path: path, size: try file.size(), kind: kind)
    }

    /// The segment was renamed.
    func didUse(_ segment: PreparedSegment) {
        state.with { $0[segment.kind] = .absent }
    }

    /// Whether reserved entries have the space they were promised.
    var hasReserve: Bool {
        state.with { if case .ready = $0.reserve { true } else { false } }
    }

    /// Makes the reserve again after it was used.
    func ensureReserve() throws(FileError) {
        guard !hasReserve else { return }
        try prepare(.reserve)
        state.with { $0.reserve = .ready }
    }

    /// Makes the spare if there is none, on a thread of its own unless the configuration says otherwise.
    func prepareSpare() {
        let isNeeded = state.with { state in
            guard case .absent = state.spare else { return false }
            state.spare = .preparing
            return true
        }
        guard isNeeded else { return }
        if configuration.preparesInBackground, startThread({ self.finishSpare() }) { return }
        finishSpare()
    }

    /// Returns when no thread is making a segment any more.
    func settle() {
        _ = state.wait { state -> Bool? in
            if case .preparing = state.spare { nil } else { true }
        }
    }

    private func finishSpare() {
        var result = Readiness.ready
        do throws(FileError) {
            try prepare(.spare)
        } catch {
            result = .missed
        }
        state.update { $0.spare = result }
    }

    /// Writes a segment under another name first, so that an unfinished one is never taken for a prepared one.
    private func prepare(_ kind: Kind) throws(FileError) {
        let bytes = kind == .spare ? configuration.segmentBytes : configuration.reserveBytes
        let unfinished = path(kind.rawValue + SegmentSupply.suffix)
        do throws(FileError) {
            let file = try files.open(unfinished, create: true)
            try fill(file, bytes: Int64(max(bytes, Int(SegmentFormat.dataStart))))
            try files.rename(unfinished, to: path(kind.rawValue))
        } catch {
            _ = try? files.remove(unfinished)
            throw error
        }
    }

    /// In slices with a sync each, so that a group of the log never waits behind the whole of it.
    private func fill(_ file: any StorageFile, bytes: Int64) throws(FileError) {
        try file.allocate(size: bytes)
        try write(SegmentFormat.header(identity: identity)[...], to: file, at: 0)
        let zeros = [UInt8](repeating: 0, count: SegmentSupply.sliceBytes)
        var offset = SegmentFormat.dataStart
        while offset < bytes {
            let count = min(Int64(zeros.count), bytes - offset)
            try write(zeros[..<Int(count)], to: file, at: offset)
            try file.syncData()
            offset += count
        }
        try file.syncData()
    }

    private func isIntact(_ kind: Kind) throws(FileError) -> Bool {
        let file = try files.open(path(kind.rawValue), create: false)
        var header = [UInt8](repeating: 0, count: Int(SegmentFormat.dataStart))
        let count = try read(&header, from: file)
        let found = header[..<count].withUnsafeBytes { bytes in
            try? SegmentFormat.identity(inHeader: bytes, file: kind.rawValue)
        }
        return found == identity
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }
}

extension SegmentSupply.State {
    fileprivate subscript(kind: SegmentSupply.Kind) -> SegmentSupply.Readiness {
        get { kind == .spare ? spare : reserve }
        set {
            switch kind {
            case .spare: spare = newValue
            case .reserve: reserve = newValue
            }
        }
    }
}

/// Writes all of a slice.
func write(_ bytes: ArraySlice<UInt8>, to file: any StorageFile, at offset: Int64) throws(FileError) {
    let result = bytes.withUnsafeBytes { buffer in
        Result { () throws(FileError) in try file.write(buffer, at: offset) }
    }
    try result.get()
}

/// Fills an array from the beginning of a file and says how many bytes there were.
func read(_ bytes: inout [UInt8], from file: any StorageFile) throws(FileError) -> Int {
    let result = bytes.withUnsafeMutableBytes { buffer in
        Result { () throws(FileError) in try file.read(at: 0, into: buffer) }
    }
    return try result.get()
}
