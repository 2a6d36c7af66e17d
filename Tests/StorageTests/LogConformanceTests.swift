import Storage
import TestSupport
import Testing

/// What every commit log promises, checked on each implementation.
@Suite(.blocking) struct LogConformanceTests {
    /// A place where logs of one kind can be opened again and again.
    enum Medium: CaseIterable, Sendable {
        case memory, files, faultyDisk

        func place(_ configuration: LogConfiguration = .init()) -> () throws -> any CommitLog {
            switch self {
            case .memory:
                let log = MemoryLog(configuration: configuration)
                return { log }
            case .files:
                let directory = TemporaryFolder()
                return { try FileLog(directory: directory.path, configuration: configuration) }
            case .faultyDisk:
                let disk = FaultyDisk()
                return { try FileLog(directory: "/log", files: disk, configuration: .small()) }
            }
        }
    }

    @Test("positions count from 1 and everything is delivered in order", arguments: Medium.allCases)
    func numbersEntries(medium: Medium) throws {
        let log = try medium.place()()
        #expect(log.lastPosition == .none)
        let observer = LogObserver(log)
        for number in 1...500 { #expect(observer.submit("entry \(number)").value == UInt64(number)) }
        observer.expectDurable(LogPosition(500))
        log.close()
        #expect(observer.isInOrder)
        #expect(log.lastPosition == LogPosition(500))
    }

    @Test("what was submitted before the start is delivered after it", arguments: Medium.allCases)
    func keepsEarlySubmissions(medium: Medium) throws {
        let log = try medium.place()()
        let position = log.submit(Array("early".utf8))
        let observer = LogObserver(log)
        observer.expectDurable(position)
        log.close()
    }

    @Test("closing writes what is queued", arguments: Medium.allCases)
    func closeFinishes(medium: Medium) throws {
        let open = medium.place()
        let log = try open()
        let observer = LogObserver(log)
        for number in 1...200 { observer.submit("entry \(number)") }
        log.close()
        #expect(observer.durable == LogPosition(200))
        #expect(try open().texts() == (1...200).map { "entry \($0)" })
    }

    @Test("entries of any size and content come back as they were", arguments: Medium.allCases)
    func keepsBytes(medium: Medium) throws {
        let open = medium.place()
        var entries: [[UInt8]] = [[], [0], [UInt8](repeating: 0, count: 9000), Array("HEARTHLG".utf8)]
        var random = SeededRandom(1)
        for size in [1, 7, 8, 9, 511, 512, 513, 20_000, 70_000] {
            entries.append((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        let log = try open()
        let observer = LogObserver(log)
        for entry in entries { _ = log.submit(entry) }
        observer.expectDurable(LogPosition(UInt64(entries.count)))
        log.close()
        var read: [[UInt8]] = []
        try open().replay(after: .none) { _, bytes in read.append([UInt8](bytes)) }
        #expect(read == entries)
    }

    @Test("replay begins after the position it is given", arguments: Medium.allCases)
    func replaysTail(medium: Medium) throws {
        let open = medium.place()
        let log = try open()
        let observer = LogObserver(log)
        for number in 1...10 { observer.submit("\(number)") }
        log.close()
        let again = try open()
        #expect(try again.texts(after: LogPosition(7)) == ["8", "9", "10"])
        #expect(try again.texts(after: LogPosition(10)) == [])
    }

    @Test("numbering goes on where the last run ended", arguments: [Medium.files, .faultyDisk])
    func continuesNumbering(medium: Medium) throws {
        let open = medium.place()
        for run in 0..<3 {
            let log = try open()
            #expect(log.lastPosition == LogPosition(UInt64(run * 4)))
            let observer = LogObserver(log)
            for number in 1...4 { observer.submit("run \(run) entry \(number)") }
            log.close()
        }
        let texts = try open().texts()
        #expect(texts.count == 12)
        #expect(texts.last == "run 2 entry 4")
    }

    @Test("trimming keeps everything after the position", arguments: Medium.allCases)
    func trims(medium: Medium) throws {
        let open = medium.place()
        let log = try open()
        let observer = LogObserver(log)
        let filler = String(repeating: "x", count: 1000)
        for number in 1...100 {
            observer.submit("\(number) \(filler)")
            if number.isMultiple(of: 10) { observer.expectDurable(LogPosition(UInt64(number))) }
        }
        log.trim(through: LogPosition(60))
        log.close()
        let kept = try open().texts(after: LogPosition(60))
        #expect(kept.count == 40)
        #expect(kept.first?.hasPrefix("61 ") == true)
        if medium != .files {
            #expect(throws: StorageError.self) { try open().texts(after: .none) }
        }
    }

    @Test("an oversized entry is refused, later ones are dropped until resume", arguments: Medium.allCases)
    func refusesOversized(medium: Medium) throws {
        var configuration = LogConfiguration.small()
        configuration.entryBytes = 100
        let directory = TemporaryFolder()
        let log: any CommitLog =
            medium == .memory
            ? MemoryLog(configuration: configuration)
            : try FileLog(directory: directory.path, configuration: configuration)
        let observer = LogObserver(log)
        observer.submit("small")
        let refused = observer.submit(String(repeating: "x", count: 101))
        observer.submit("dropped")
        let refusal = observer.expectRefusal()
        #expect(refusal?.from == refused)
        #expect(refusal?.error == .entryTooLarge(bytes: 101, limit: 100))
        observer.submit("dropped too")
        log.resume()
        #expect(observer.submit("after") == refused)
        log.close()
        #expect(observer.durable == refused)
        #expect(try log.texts() == ["small", "after"])
    }

    @Test("closing twice, resuming without a refusal and trimming nothing do no harm", arguments: Medium.allCases)
    func idleCalls(medium: Medium) throws {
        let log = try medium.place()()
        let observer = LogObserver(log)
        log.resume()
        log.trim(through: LogPosition(UInt64.max))
        observer.submit("one")
        log.close()
        log.close()
        #expect(observer.durable == LogPosition(1))
        #expect(observer.submit("late") == LogPosition(2))
    }

    @Test("submitters on several threads get all their entries", arguments: Medium.allCases)
    func takesManySubmitters(medium: Medium) async throws {
        let open = medium.place()
        let log = try open()
        let observer = LogObserver(log)
        await withTaskGroup { group in
            for name in 0..<4 {
                group.addTask { for number in 0..<250 { observer.submit("\(name) \(number)") } }
            }
        }
        log.close()
        #expect(observer.durable == LogPosition(1000))
        #expect(Set(try open().texts()).count == 1000)
    }

    @Test("a writer thread that ended for lack of work comes back", arguments: Medium.allCases)
    func wakesAgain(medium: Medium) throws {
        var configuration = LogConfiguration()
        configuration.idleNanoseconds = 1
        let log = try medium.place(configuration)()
        let observer = LogObserver(log)
        for number in 1...50 {
            observer.expectDurable(observer.submit("\(number)"))
        }
        log.close()
        #expect(observer.isInOrder)
    }

    @Test("a log in memory that keeps no entries still counts and delivers them")
    func forgetsEntries() throws {
        let log = MemoryLog(keepsEntries: false)
        let observer = LogObserver(log)
        for number in 1...100 { observer.submit("\(number)") }
        log.close()
        #expect(observer.durable == LogPosition(100))
        #expect(try log.texts(after: LogPosition(100)) == [])
    }
}
