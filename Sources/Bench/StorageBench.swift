import DataTree
import Glibc
import Storage

/// Commit log and state store on the disk of the working directory, in a directory that is removed afterwards.
enum StorageBench {
    /// Measures everything, or only the named parts.
    static func run(_ names: [String]) {
        var template = Array("hearth-bench-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path = made else {
            print("Cannot make a directory here; change to a directory where you may write.")
            exit(1)
        }
        do {
            let directory = try DataDirectory(path: path)
            if names.isEmpty || names.contains("log") { try log(directory) }
            if names.isEmpty || names.contains("state") { try state(directory) }
            for name in try directory.namespaceNames() { try directory.deleteNamespace(name) }
        } catch {
            print("\(error)")
        }
        for name in ["format", "lock"] { unlink("\(path)/\(name)") }
        rmdir("\(path)/namespaces")
        rmdir(path)
    }

    // MARK: - Log

    /// Entries of 200 bytes, each durable before the next one of its slot is submitted.
    private static func log(_ directory: DataDirectory) throws {
        var table = Table("log, entries of 200 bytes: rate, and processor time of the whole process per entry")
        for (inFlight, count) in [(1, 4000), (16, 40_000), (64, 100_000), (1000, 400_000)] {
            for interval: UInt64 in inFlight == 1 ? [0] : [0, 1_000_000] {
                var rates: [Double] = []
                var costs: [Double] = []
                for run in 0..<3 {
                    var configuration = LogConfiguration()
                    configuration.minimumSyncInterval = interval
                    let place = try directory.namespace("log-\(inFlight)-\(interval)-\(run)")
                    let log = try place.open(configuration: configuration).log
                    let (wall, cpu) = commit(count, inFlight: inFlight, to: log)
                    log.close()
                    rates.append(Double(count) / wall)
                    costs.append(cpu / Double(count))
                }
                let pace = interval == 0 ? "" : ", a sync each \(interval / 1000) us at most"
                table.add("\(inFlight) in flight\(pace)", rates) { "\(Int($0.rounded()))/s" }
                table.add("\(inFlight) in flight\(pace), CPU", costs, microseconds)
            }
        }
    }

    private static func commit(_ count: Int, inFlight: Int, to log: FileLog) -> (wall: Double, cpu: Double) {
        let durable = Monitor(UInt64(0))
        log.start { delivery in
            if case .durable(let position) = delivery { durable.update { $0 = position.value } }
        }
        let entry = [UInt8](repeating: 0x61, count: 200)
        let cpu = processSeconds()
        let wall = wallSeconds()
        var submitted = 0
        while submitted < count {
            let room = durable.wait { done -> Int? in
                let room = inFlight - (submitted - Int(done))
                return room > 0 ? room : nil
            }
            for _ in 0..<min(room ?? 0, count - submitted) {
                _ = log.submit(entry)
                submitted += 1
            }
        }
        _ = durable.wait { $0 == UInt64(count) ? true : nil }
        return (wallSeconds() - wall, processSeconds() - cpu)
    }

    // MARK: - State

    private static func state(_ directory: DataDirectory) throws {
        var table = Table("state of a million numbers in records of 10, wall time")
        let place = try directory.namespace("state")
        var tree = TreeBench.records()
        var store = try place.open().state
        _ = try store.load()
        try table.add("first pass", [time { try store.advance(from: .empty, to: tree, records: [], position: .none) }])
        {
            "\(figure($0)) s"
        }
        var random = Random(seed: 5)
        var passes: [Double] = []
        for _ in 0..<5 {
            let before = tree
            for path in TreeBench.randomPaths(1000, seed: random.next()) {
                tree.set(Node(leaf: .integer(Int64(random.below(1 << 40)))), at: path)
            }
            passes.append(
                try time { try store.advance(from: before, to: tree, records: [], position: .none) })
        }
        table.add("pass after 1,000 random writes", passes, milliseconds)
        store.close()
        var loads: [Double] = []
        var loadCosts: [Double] = []
        for _ in 0..<3 {
            store = try place.open().state
            var loaded = Node.empty
            let cpu = processSeconds()
            loads.append(try time { loaded = try store.load().tree })
            loadCosts.append(processSeconds() - cpu)
            guard loaded == tree else {
                print("  the state came back changed")
                return
            }
        }
        table.add("load", loads) { "\(figure($0)) s" }
        table.add("load, CPU", loadCosts) { "\(figure($0)) s" }
        var information = stat()
        if stat(place.stateFile, &information) == 0 {
            table.add("file, bytes per leaf", [Double(information.st_size) / 1e6], bytes)
        }
        let before = tree
        tree.set(.empty, at: "area3")
        table.add(
            "pass after deleting 100,000 leaves",
            [try time { try store.advance(from: before, to: tree, records: [], position: .none) }], milliseconds)
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = wallSeconds()
        try body()
        return wallSeconds() - start
    }

    private static func wallSeconds() -> Double { seconds(of: CLOCK_MONOTONIC) }

    /// CPU time of all threads of the process.
    private static func processSeconds() -> Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
