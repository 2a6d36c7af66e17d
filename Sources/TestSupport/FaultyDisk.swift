import Glibc
import Storage

/// An operation on a `FaultyDisk`.
package struct DiskOperation: Sendable {
    package enum Kind: Sendable, CaseIterable {
        case open, create, list, read, write, allocate, truncate, sync, rename, remove, syncDirectory

        /// Whether the operation can change what is on the disk.
        package var isChange: Bool {
            switch self {
            case .open, .list, .read: false
            default: true
            }
        }
    }

    package var kind: Kind
    package var path: String
    /// How many operations came before it, of those whose kind `isChange`.
    package var index: Int
}

/// What goes wrong with an operation.
package enum DiskFault: Sendable {
    /// The operation fails with this errno code. Of a write the first `written` bytes take place all the same.
    case error(code: Int32, written: Int = 0)
    /// The machine loses power before the operation: it and all later ones fail and change nothing.
    case powerLoss
}

/// A disk in memory that forgets at power loss what was not synced, can be full, and fails on demand.
///
/// Model: sectors of 512 bytes are written whole or not at all, in any order; changes of names in a directory reach the
/// disk in order; a sync of a file does not make its name durable.
package final class FaultyDisk: StorageFiles {
    package static let sectorBytes = 512

    struct Content {
        var current: [UInt8] = []
        var durable: [UInt8] = []
        /// Sectors written since the last sync.
        var dirty: Set<Int> = []
    }

    private enum NameChange {
        case link(String, Int)
        case rename(String, String)
        case remove(String)
    }

    private struct State {
        var contents: [Int: Content] = [:]
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var nameChanges: [NameChange] = []
        var nextContent = 0
        var operations = 0
        var isPowered = true
        var rule: (@Sendable (DiskOperation) -> DiskFault?)?
        var capacity: Int

        var used: Int { Set(names.values).reduce(0) { $0 + (contents[$1]?.current.count ?? 0) } }
    }

    private let state: Monitor<State>

    /// - Parameter capacity: bytes that fit on the disk.
    package init(capacity: Int = .max) {
        state = Monitor(State(capacity: capacity))
    }

    /// Asked before every operation.
    package func setRule(_ rule: (@Sendable (DiskOperation) -> DiskFault?)?) {
        state.with { $0.rule = rule }
    }

    package func setCapacity(_ capacity: Int) {
        state.with { $0.capacity = capacity }
    }

    /// How many operations so far could change the disk.
    package var changeCount: Int { state.with { $0.operations } }

    /// What a file holds now, synced or not.
    package func bytes(of path: String) -> [UInt8]? {
        state.with { state in state.names[path].flatMap { state.contents[$0]?.current } }
    }

    /// Changes a file behind the back of whoever wrote it, durably.
    package func tamper(_ path: String, _ change: (inout [UInt8]) -> Void) {
        state.with { state in
            guard let number = state.names[path], var content = state.contents[number] else { return }
            change(&content.current)
            content.durable = content.current
            content.dirty = []
            state.contents[number] = content
        }
    }

    /// The names of all files in order.
    package var paths: [String] { state.with { $0.names.keys.sorted() } }

    /// What another machine finds on this disk after power loss: everything synced, and of the rest a random part.
    package func afterPowerLoss(_ random: inout some RandomNumberGenerator) -> FaultyDisk {
        // The generator cannot be used inside the lock's closure while it is borrowed here.
        let seed = UInt64.random(in: 0...UInt64.max, using: &random)
        let survivor = FaultyDisk()
        let next = state.with { state in
            var random = SeededRandom(seed)
            var result = State(capacity: state.capacity)
            result.nextContent = state.nextContent
            result.names = state.durableNames
            for change in state.nameChanges.prefix(Int.random(in: 0...state.nameChanges.count, using: &random)) {
                apply(change, to: &result.names)
            }
            result.durableNames = result.names
            for number in Set(result.names.values).sorted() {
                let content = state.contents[number] ?? Content()
                let bytes = survivingBytes(of: content, &random)
                result.contents[number] = Content(current: bytes, durable: bytes)
            }
            return result
        }
        survivor.state.with { $0 = next }
        return survivor
    }

    private func survivingBytes(of content: Content, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = content.durable
        let sizeSurvives = bytes.count == content.current.count || Bool.random(using: &random)
        if sizeSurvives {
            let growth = content.current.count - bytes.count
            if growth > 0 {
                bytes.append(contentsOf: [UInt8](repeating: 0, count: growth))
            } else {
                bytes.removeLast(-growth)
            }
        }
        // Often all of it, often none, else each sector for itself.
        let share: Double = [0.0, 0.3, 0.7, 0.95, 1].randomElement(using: &random) ?? 1
        for sector in content.dirty.sorted() where Double.random(in: 0..<1, using: &random) < share {
            let start = sector * FaultyDisk.sectorBytes
            let end = min(start + FaultyDisk.sectorBytes, bytes.count, content.current.count)
            copy(content.current, start..<max(start, end), to: &bytes, at: start)
        }
        return bytes
    }

    // MARK: - StorageFiles

    package func open(_ path: String, create: Bool) throws(FileError) -> any StorageFile {
        let number = try perform(create ? .create : .open, path) { (state) throws(FileError) in
            if !create {
                guard let number = state.names[path] else { throw self.error("open", path, ENOENT) }
                return number
            }
            if let number = state.names[path] {
                state.contents[number]?.resize(to: 0)
                return number
            }
            let number = state.nextContent
            state.nextContent += 1
            state.contents[number] = Content()
            state.names[path] = number
            state.nameChanges.append(.link(path, number))
            return number
        }
        return FaultyFile(disk: self, number: number, path: path)
    }

    package func list(_ directory: String) throws(FileError) -> [String] {
        try perform(.list, directory) { (state) throws(FileError) in
            let prefix = directory + "/"
            return state.names.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
    }

    package func rename(_ source: String, to target: String) throws(FileError) {
        try perform(.rename, source) { (state) throws(FileError) in
            guard state.names[source] != nil else { throw self.error("rename", source, ENOENT) }
            let change = NameChange.rename(source, target)
            apply(change, to: &state.names)
            state.nameChanges.append(change)
        }
    }

    package func remove(_ path: String) throws(FileError) {
        try perform(.remove, path) { (state) throws(FileError) in
            guard state.names[path] != nil else { throw self.error("remove", path, ENOENT) }
            state.names[path] = nil
            state.nameChanges.append(.remove(path))
        }
    }

    package func syncDirectory(_ directory: String) throws(FileError) {
        try perform(.syncDirectory, directory) { (state) throws(FileError) in
            state.durableNames = state.names
            state.nameChanges = []
        }
    }

    private func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .link(let path, let number): names[path] = number
        case .rename(let source, let target):
            if let number = names.removeValue(forKey: source) { names[target] = number }
        case .remove(let path): names[path] = nil
        }
    }

    // MARK: - For files

    /// Counts the operation, lets the rule decide, and does it.
    private func perform<Result: Sendable>(
        _ kind: DiskOperation.Kind, _ path: String, _ body: (inout State) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let outcome = state.with { state -> Swift.Result<Result, FileError> in
            if let code = fault(kind, path, &state)?.code { return .failure(error("\(kind)", path, code)) }
            do throws(FileError) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private func fault(
        _ kind: DiskOperation.Kind, _ path: String, _ state: inout State
    ) -> (code: Int32, written: Int)? {
        guard state.isPowered else { return (EIO, 0) }
        let operation = DiskOperation(kind: kind, path: path, index: state.operations)
        if kind.isChange { state.operations += 1 }
        switch state.rule?(operation) {
        case nil: return nil
        case .error(let code, let written): return (code, written)
        case .powerLoss:
            state.isPowered = false
            return (EIO, 0)
        }
    }

    fileprivate func size(_ number: Int) -> Int64 {
        state.with { Int64($0.contents[number]?.current.count ?? 0) }
    }

    fileprivate func read(
        _ number: Int, _ path: String, at offset: Int64, count: Int
    ) throws(FileError) -> [UInt8] {
        try perform(.read, path) { (state) throws(FileError) in
            let bytes = state.contents[number]?.current ?? []
            let start = min(Int(offset), bytes.count)
            return start == 0 && count >= bytes.count ? bytes : Array(bytes[start..<min(start + count, bytes.count)])
        }
    }

    fileprivate func write(
        _ number: Int, _ path: String, _ bytes: [UInt8], at offset: Int64
    ) throws(FileError) {
        let failure = state.with { state -> FileError? in
            var count = bytes.count
            var failure: FileError?
            if let fault = fault(.write, path, &state) {
                count = min(fault.written, count)
                failure = error("write", path, fault.code)
            }
            let size = state.contents[number]?.current.count ?? 0
            let room = state.capacity - state.used
            if Int(offset) + count - size > max(room, 0) {
                count = max(0, size + max(room, 0) - Int(offset))
                failure = failure ?? error("write", path, ENOSPC)
            }
            state.contents[number]?.write(bytes, count: count, at: Int(offset))
            return failure
        }
        if let failure { throw failure }
    }

    fileprivate func allocate(_ number: Int, _ path: String, size: Int64) throws(FileError) {
        try perform(.allocate, path) { (state) throws(FileError) in
            let growth = Int(size) - (state.contents[number]?.current.count ?? 0)
            guard growth > 0 else { return }
            guard growth <= state.capacity - state.used else { throw self.error("allocate", path, ENOSPC) }
            state.contents[number]?.resize(to: Int(size))
        }
    }

    fileprivate func truncate(_ number: Int, _ path: String, size: Int64) throws(FileError) {
        try perform(.truncate, path) { (state) throws(FileError) in
            state.contents[number]?.resize(to: Int(size))
        }
    }

    fileprivate func sync(_ number: Int, _ path: String) throws(FileError) {
        try perform(.sync, path) { (state) throws(FileError) in
            state.contents[number]?.sync()
        }
    }

    private func error(_ operation: String, _ path: String, _ code: Int32) -> FileError {
        FileError(operation: operation, path: path, code: code)
    }
}

extension FaultyDisk.Content {
    mutating func write(_ bytes: [UInt8], count: Int, at offset: Int) {
        guard count > 0 else { return }
        let end = offset + count
        if current.count < end { current.append(contentsOf: [UInt8](repeating: 0, count: end - current.count)) }
        copy(bytes, 0..<count, to: &current, at: offset)
        dirty.formUnion(offset / FaultyDisk.sectorBytes...(end - 1) / FaultyDisk.sectorBytes)
    }

    mutating func resize(to size: Int) {
        if size < current.count {
            current.removeLast(current.count - size)
        } else if size > current.count {
            let start = current.count
            current.append(contentsOf: [UInt8](repeating: 0, count: size - current.count))
            dirty.formUnion(start / FaultyDisk.sectorBytes...(size - 1) / FaultyDisk.sectorBytes)
        }
    }

    mutating func sync() {
        if durable.count > current.count {
            durable.removeLast(durable.count - current.count)
        } else {
            durable.append(contentsOf: [UInt8](repeating: 0, count: current.count - durable.count))
        }
        for sector in dirty {
            let start = sector * FaultyDisk.sectorBytes
            let end = min(start + FaultyDisk.sectorBytes, current.count)
            copy(current, start..<max(start, end), to: &durable, at: start)
        }
        dirty = []
    }
}

/// Copies without a call for each byte, which would make tests slow.
private func copy(_ source: [UInt8], _ range: Range<Int>, to target: inout [UInt8], at offset: Int) {
    guard !range.isEmpty else { return }
    source.withUnsafeBytes { source in
        target.withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + range.count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
        }
    }
}

private final class FaultyFile: StorageFile {
    private let disk: FaultyDisk
    private let number: Int
    private let path: String

    init(disk: FaultyDisk, number: Int, path: String) {
        self.disk = disk
        self.number = number
        self.path = path
    }

    func size() throws(FileError) -> Int64 { disk.size(number) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let bytes = try disk.read(number, path, at: offset, count: buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        try disk.write(number, path, Array(bytes), at: offset)
    }

    func allocate(size: Int64) throws(FileError) { try disk.allocate(number, path, size: size) }

    func truncate(to size: Int64) throws(FileError) { try disk.truncate(number, path, size: size) }

    func syncData() throws(FileError) { try disk.sync(number, path) }
}
