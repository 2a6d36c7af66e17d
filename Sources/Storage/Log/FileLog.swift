/// A commit log in a directory of segment files (`SegmentFormat`), named by the position of their first entry.
///
/// Only the last segment can end in a group that was not synced: it is cut off when the log is opened. Anything else
/// that cannot be read is damage and throws.
package final class FileLog: CommitLog {
    package let identity: UInt64
    private let directory: String
    private let files: any StorageFiles
    private let appender: SegmentAppender
    private let supply: SegmentSupply
    private let writer: LogWriter

    /// Opens the log in `directory`, which must exist; an empty one gets a new log.
    /// - Parameters:
    ///   - newIdentity: the identity of a new log; random, not 0.
    ///   - start: the position before the first entry of a new log.
    package init(
        directory: String, files: any StorageFiles = PosixFiles(), configuration: LogConfiguration = .init(),
        newIdentity: UInt64 = .random(in: 1...UInt64.max), start: LogPosition = .none
    ) throws(StorageError) {
        self.directory = directory
        self.files = files
        do {
            let names = try files.list(directory)
            var firsts = names.compactMap(SegmentFormat.first(inName:)).sorted()
            identity =
                try firsts.last.map { last in
                    try FileLog.identity(of: last, directory: directory, files: files)
                } ?? newIdentity
            supply = SegmentSupply(
                directory: directory, files: files, configuration: configuration, identity: identity)
            try supply.recover(names: names)
            if firsts.isEmpty {
                let first = LogPosition(start.value + 1)
                let prepared = try supply.next(.spare)
                try files.rename(prepared.path, to: "\(directory)/\(SegmentFormat.name(first: first))")
                supply.didUse(prepared)
                firsts = [first]
            }
            // What a killed process renamed or wrote and did not sync counts from here on, so it must be durable.
            try files.syncDirectory(directory)
            let last = firsts[firsts.count - 1]
            let path = "\(directory)/\(SegmentFormat.name(first: last))"
            let file = try files.open(path, create: false)
            var reader = try SegmentReader(file)
            let scan = try reader.scan(first: last, identity: identity, name: path) { _, _ in }
            if let strayEnd = scan.strayEnd { try clear(file, from: scan.end, to: strayEnd) }
            try file.syncData()
            appender = SegmentAppender(
                active: SegmentAppender.Active(
                    file: file, end: scan.end, size: reader.size, buffer: GroupBuffer(identity: identity)),
                firsts: firsts, supply: supply, directory: directory, files: files, configuration: configuration)
            writer = LogWriter(medium: appender, next: scan.next, configuration: configuration)
        } catch let error as StorageError {
            throw error
        } catch let error as FileError {
            throw StorageError(error)
        } catch {
            throw .damaged(file: directory, offset: nil, detail: "\(error)")
        }
    }

    package var lastPosition: LogPosition { writer.lastPosition }

    /// Only before `start`.
    package func replay(
        after position: LogPosition, _ body: (LogPosition, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        do {
            try replaySegments(after: position, body)
        } catch let error as FileError {
            throw StorageError(error)
        }
    }

    package func start(delivered: @escaping @Sendable (LogDelivery) -> Void) {
        writer.start(delivered: delivered)
    }

    package func submit(_ entry: [UInt8], reserved: Bool) -> LogPosition {
        writer.submit(QueuedEntry(bytes: entry, reserved: reserved))
    }

    package func resume() {
        writer.resume()
    }

    package func trim(through position: LogPosition) {
        appender.trim(through: position)
    }

    package func close() {
        writer.close()
        supply.settle()
    }

    private func replaySegments(
        after position: LogPosition, _ body: (LogPosition, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard position <= lastPosition else {
            throw damaged("the state has reached entry \(position), but the log ends with entry \(lastPosition)")
        }
        let firsts = appender.segments
        guard let begin = firsts.lastIndex(where: { $0.value - 1 <= position.value }) else {
            throw missing(from: position.value + 1, before: firsts[0])
        }
        for index in begin..<firsts.count {
            let path = "\(directory)/\(SegmentFormat.name(first: firsts[index]))"
            var reader = try SegmentReader(try files.open(path, create: false))
            let scan = try reader.scan(first: firsts[index], identity: identity, name: path) { header, payload in
                guard header.next.value - 1 > position.value else { return }
                try forEachEntry(in: payload, of: header, file: path) { own, entry in
                    if own > position { try body(own, entry) }
                }
            }
            guard index + 1 < firsts.count else { return }
            if scan.next != firsts[index + 1] {
                throw missing(from: scan.next.value, before: firsts[index + 1])
            }
            if scan.strayEnd != nil {
                throw StorageError.damaged(
                    file: path, offset: scan.end, detail: "there are unexpected bytes after its last entry")
            }
        }
    }

    private func missing(from first: UInt64, before next: LogPosition) -> StorageError {
        damaged("entries \(first) to \(next.value &- 1) are missing before \(SegmentFormat.name(first: next))")
    }

    private func damaged(_ detail: String) -> StorageError {
        .damaged(file: directory, offset: nil, detail: detail)
    }

    private static func identity(
        of first: LogPosition, directory: String, files: any StorageFiles
    ) throws -> UInt64 {
        let path = "\(directory)/\(SegmentFormat.name(first: first))"
        var header = [UInt8](repeating: 0, count: Int(SegmentFormat.dataStart))
        let count = try read(&header, from: try files.open(path, create: false))
        return try header[..<count].withUnsafeBytes { try SegmentFormat.identity(inHeader: $0, file: path) }
    }
}
