/// The medium of a file log: appends groups to the active segment and begins the next one when it is full.
final class SegmentAppender: LogMedium {
    /// The segment that is written to.
    struct Active {
        var file: any StorageFile
        /// Where the next group goes.
        var end: Int64
        /// The size to which the file was filled.
        var size: Int64
        var buffer: GroupBuffer

        /// What still fits without extending the file.
        var room: Int { Int(max(0, size - end)) }
        var isEmpty: Bool { end == SegmentFormat.dataStart }
    }

    private enum Failure: Error {
        case refused(StorageError)
        case failed(StorageError)
    }

    private let active: Monitor<Active>
    /// The first positions of all segments, the active one last.
    private let firsts: Monitor<[LogPosition]>
    private let supply: SegmentSupply
    private let directory: String
    private let files: any StorageFiles
    private let configuration: LogConfiguration

    init(
        active: sending Active, firsts: [LogPosition], supply: SegmentSupply, directory: String,
        files: any StorageFiles, configuration: LogConfiguration
    ) {
        self.active = Monitor(active)
        self.firsts = Monitor(firsts)
        self.supply = supply
        self.directory = directory
        self.files = files
        self.configuration = configuration
    }

    /// The first positions of the segments, ascending.
    var segments: [LogPosition] { firsts.with { $0 } }

    func append(_ entries: ArraySlice<QueuedEntry>, first: LogPosition) -> GroupOutcome {
        active.with { active in
            do throws(Failure) {
                let group = try makeRoom(for: entries, first: first, in: &active)
                try write(group, first: first, to: &active)
                if active.room < configuration.segmentBytes / 2 { supply.prepareSpare() }
                return .durable(count: group.count)
            } catch {
                switch error {
                case .refused(let reason): return .refused(reason)
                case .failed(let reason): return .failed(reason)
                }
            }
        }
    }

    /// Deletes segments that hold nothing after `position`, the oldest first; never the active one.
    func trim(through position: LogPosition) {
        while true {
            let oldest = firsts.with { firsts -> LogPosition? in
                guard firsts.count > 1, firsts[1].value - 1 <= position.value else { return nil }
                return firsts.removeFirst()
            }
            guard let oldest else { return }
            do throws(FileError) {
                try files.remove("\(directory)/\(SegmentFormat.name(first: oldest))")
            } catch {
                // What cannot be deleted now is tried again with the next trim.
                if !error.isAbsence { firsts.with { $0.insert(oldest, at: 0) } }
                return
            }
        }
    }

    /// Chooses the entries of the next group and sees to it that the active segment takes them.
    ///
    /// Ordinary entries need the reserve to be intact afterwards; without it only a leading run of reserved ones goes.
    private func makeRoom(
        for entries: ArraySlice<QueuedEntry>, first: LogPosition, in active: inout Active
    ) throws(Failure) -> ArraySlice<QueuedEntry> {
        guard let head = entries.first else { return entries }
        guard head.bytes.count <= configuration.entryBytes else {
            throw .refused(.entryTooLarge(bytes: head.bytes.count, limit: configuration.entryBytes))
        }
        var candidates = entries
        if !supply.hasReserve {
            do throws(FileError) {
                try supply.ensureReserve()
            } catch {
                guard head.reserved else { throw .refused(StorageError(error)) }
                candidates = entries.prefix(while: \.reserved)
            }
        }
        let headBytes = SegmentFormat.groupBytes(payload: SegmentFormat.entryHeaderBytes + head.bytes.count)
        if headBytes > active.room, !active.isEmpty {
            let usedReserve = try beginSegment(first: first, mayUseReserve: head.reserved, in: &active)
            if usedReserve { candidates = candidates.prefix(while: \.reserved) }
        }
        var payload = 0
        let count = candidates.prefix { entry in
            payload += SegmentFormat.entryHeaderBytes + entry.bytes.count
            return entry.bytes.count <= configuration.entryBytes && payload <= configuration.groupBytes
                && SegmentFormat.groupBytes(payload: payload) <= active.room
        }.count
        return candidates.prefix(max(1, count))
    }

    /// - Returns: whether the reserve became the active segment.
    private func beginSegment(
        first: LogPosition, mayUseReserve: Bool, in active: inout Active
    ) throws(Failure) -> Bool {
        var kind = SegmentSupply.Kind.spare
        let segment: PreparedSegment
        do throws(FileError) {
            segment = try named(kind, first: first)
        } catch {
            guard mayUseReserve, supply.hasReserve else { throw .refused(StorageError(error)) }
            kind = .reserve
            do throws(FileError) {
                segment = try named(kind, first: first)
            } catch {
                throw .refused(StorageError(error))
            }
        }
        try adopt(segment, first: first, in: &active)
        return kind == .reserve
    }

    /// A prepared segment under the name of a segment. When this throws, nothing has changed.
    private func named(
        _ kind: SegmentSupply.Kind, first: LogPosition
    ) throws(FileError) -> PreparedSegment {
        let prepared = try supply.next(kind)
        try files.rename(prepared.path, to: "\(directory)/\(SegmentFormat.name(first: first))")
        supply.didUse(prepared)
        return prepared
    }

    /// Makes a segment the active one. Its name is durable before the first group is written; when the disk does not
    /// sync it, trying again would prove nothing.
    private func adopt(
        _ segment: PreparedSegment, first: LogPosition, in active: inout Active
    ) throws(Failure) {
        firsts.with { $0.append(first) }
        active.file = segment.file
        active.end = SegmentFormat.dataStart
        active.size = segment.size
        do throws(FileError) {
            try files.syncDirectory(directory)
        } catch {
            throw .failed(StorageError(error))
        }
    }

    private func write(
        _ group: ArraySlice<QueuedEntry>, first: LogPosition, to active: inout Active
    ) throws(Failure) {
        let file = active.file
        let offset = active.end
        let size = active.size
        let outcome = active.buffer.withGroup(of: group, first: first) { bytes -> Result<Int64, Failure> in
            let end = offset + Int64(bytes.count)
            do throws(FileError) {
                if end > size { try file.allocate(size: end) }
                try file.write(bytes, at: offset)
            } catch {
                return .failure(undo(error, in: file, from: offset, to: min(end, size), size: size))
            }
            do throws(FileError) {
                try file.syncData()
            } catch {
                return .failure(.failed(StorageError(error)))
            }
            return .success(end)
        }
        active.end = try outcome.get()
        active.size = max(active.size, active.end)
    }

    /// Takes back what a failed write may have left, durably, so that a refused group can never be replayed.
    private func undo(
        _ error: FileError, in file: any StorageFile, from offset: Int64, to end: Int64, size: Int64
    ) -> Failure {
        do throws(FileError) {
            if try file.size() > size { try file.truncate(to: size) }
            try clear(file, from: offset, to: end)
            return .refused(StorageError(error))
        } catch {
            return .failed(StorageError(error))
        }
    }
}

/// Overwrites a part of a file with zeros, durably.
func clear(_ file: any StorageFile, from start: Int64, to end: Int64) throws(FileError) {
    let zeros = [UInt8](repeating: 0, count: Int(min(max(end - start, 0), 1 << 20)))
    var offset = start
    while offset < end {
        let count = min(Int64(zeros.count), end - offset)
        try write(zeros[..<Int(count)], to: file, at: offset)
        offset += count
    }
    try file.syncData()
}
