import Glibc
import Storage
import TestSupport
import Testing

/// Disks that fail, fill up and lose power, at any operation.
@Suite(.blocking) struct LogFaultTests {
    private func open(_ disk: FaultyDisk) throws -> FileLog {
        try FileLog(directory: "/log", files: disk, configuration: .small(), newIdentity: 77)
    }

    /// Entries of many sizes; some take more than a segment.
    private func entry(_ number: Int, _ random: inout SeededRandom) -> String {
        let size = [5, 50, 600, 3000, 9000, 20_000].randomElement(using: &random) ?? 5
        return "\(number) " + String(repeating: "x", count: Int.random(in: 0...size, using: &random))
    }

    /// Submits in bursts and waits now and then, until the log takes no more. Returns the last durable position.
    private func run(_ observer: LogObserver, from first: Int, _ random: inout SeededRandom) -> [String] {
        var submitted: [String] = []
        for number in first..<first + 40 {
            let text = entry(number, &random)
            submitted.append(text)
            let position = observer.submit(text)
            if Int.random(in: 0..<3, using: &random) == 0 {
                _ = waitFor {
                    observer.durable >= position || observer.failure != nil || !observer.refusals.isEmpty
                }
            }
            if observer.failure != nil || !observer.refusals.isEmpty { break }
        }
        return submitted
    }

    @Test(
        "after kills and power loss all that was reported durable is there, and nothing after a gap", arguments: 0..<80)
    func survivesKillsAndPowerLoss(seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        var disk = FaultyDisk()
        // What the log may hold; of that, the first `floor` entries were reported durable.
        var possible: [String] = []
        var floor = 0
        // Each run ends at another operation, also while the log is being opened.
        for _ in 0..<8 {
            let end = disk.changeCount + Int.random(in: 0..<120, using: &random)
            disk.setRule { operation in
                guard operation.kind.isChange, operation.index >= end else { return nil }
                return .error(code: EIO, written: operation.index == end ? 700 : 0)
            }
            if let log = try? open(disk) {
                // What a killed process had written without a sync counts from here on.
                let found = try log.texts()
                #expect(found.count >= floor, "seed \(seed)")
                #expect(possible.starts(with: found), "seed \(seed)")
                #expect(log.lastPosition.value == UInt64(found.count))
                let observer = LogObserver(log)
                possible = found + run(observer, from: found.count + 1, &random)
                log.close()
                floor = max(found.count, Int(observer.durable.value))
                #expect(observer.isInOrder)
            }
            disk.setRule(nil)
            // Killed: the next process sees what was written, synced or not.
            if Bool.random(using: &random) { continue }
            disk = disk.afterPowerLoss(&random)
            let survivors = try open(disk).texts()
            #expect(survivors.count >= floor, "seed \(seed)")
            #expect(possible.starts(with: survivors), "seed \(seed)")
            possible = survivors
            floor = survivors.count
        }
    }

    @Test("a refused entry is never replayed, and the log goes on after resume", arguments: [ENOSPC, EIO])
    func refusesCleanly(code: Int32) throws {
        // Every operation in turn fails once; the first run counts them.
        var index = 0
        while true {
            let disk = FaultyDisk()
            let target = index
            disk.setRule { operation in
                let isTarget = operation.index == target && operation.kind.isChange
                let isSync = operation.kind == .sync || operation.kind == .syncDirectory
                return isTarget && !isSync ? .error(code: code, written: 700) : nil
            }
            index += 1
            var random = SeededRandom(5)
            guard let log = try? open(disk) else { continue }
            let observer = LogObserver(log)
            var confirmed = Set<String>()
            for number in 1...25 {
                let text = entry(number, &random)
                let refusals = observer.refusals.count
                let position = observer.submit(text)
                _ = waitFor { observer.durable >= position || observer.refusals.count > refusals }
                if observer.durable >= position {
                    confirmed.insert(text)
                } else {
                    #expect(observer.refusals.last?.from == position)
                    log.resume()
                    #expect(observer.log.submit(Array("again \(number)".utf8)) == position)
                    _ = waitFor { observer.durable >= position }
                    confirmed.insert("again \(number)")
                }
            }
            log.close()
            #expect(observer.failure == nil, "operation \(target)")
            #expect(observer.refusals.count <= 1)
            disk.setRule(nil)
            #expect(Set(try open(disk).texts()) == confirmed, "operation \(target)")
            // And whatever the disk kept of what was not synced.
            let after = disk.afterPowerLoss(&random)
            #expect(Set(try open(after).texts()) == confirmed, "operation \(target) with power loss")
            if disk.changeCount <= target { break }
        }
        #expect(index > 60)
    }

    @Test("a failed sync ends the log: nothing is delivered any more")
    func failsOnSync() throws {
        let disk = FaultyDisk()
        let log = try open(disk)
        let observer = LogObserver(log)
        observer.expectDurable(observer.submit("one"))
        disk.setRule { $0.kind == .sync ? .error(code: EIO) : nil }
        observer.submit("two")
        #expect(
            observer.expectFailure()
                == .system(operation: "sync", file: "/log/00000000000000000001.log", code: EIO))
        disk.setRule(nil)
        observer.submit("three")
        log.resume()
        observer.submit("four")
        log.close()
        #expect(observer.durable == LogPosition(1))
        #expect(observer.isInOrder)
    }

    @Test("when a refused write cannot be taken back, its fate is unknown: the log fails")
    func failsWhenUndoFails() throws {
        let disk = FaultyDisk()
        let log = try open(disk)
        let observer = LogObserver(log)
        observer.expectDurable(observer.submit("one"))
        disk.setRule { $0.kind == .write ? .error(code: EIO, written: 100) : nil }
        observer.submit("two")
        #expect(observer.expectFailure() != nil)
        #expect(observer.refusals.isEmpty)
        log.close()
    }

    @Test("on a full disk ordinary entries are refused, reserved ones still commit, and both do when there is room")
    func keepsReserve() throws {
        // Room for the first segment and the reserve, and nothing more.
        let disk = FaultyDisk(capacity: 16_384 + 12_288 + 1000)
        let log = try open(disk)
        let observer = LogObserver(log)
        let filler = String(repeating: "f", count: 1000)
        var position = LogPosition.none
        for number in 1...20 where observer.refusals.isEmpty {
            position = observer.submit("\(number) \(filler)")
            _ = waitFor { observer.durable >= position || !observer.refusals.isEmpty }
        }
        let refusal = try #require(observer.expectRefusal())
        #expect(refusal.error.isDiskFull)
        #expect("\(refusal.error)".contains("free some space"))
        log.resume()
        // Session ends go into the reserve; an ordinary entry behind them is refused again.
        var last = refusal.from
        for number in 1...6 { last = observer.submit("end \(number) \(filler)", reserved: true) }
        _ = waitFor { observer.durable >= last }
        #expect(observer.durable == last)
        observer.submit("ordinary")
        #expect(observer.expectRefusal(2)?.from == LogPosition(last.value + 1))
        log.resume()
        last = observer.submit("end 7", reserved: true)
        _ = waitFor { observer.durable >= last }
        disk.setCapacity(.max)
        let ordinary = observer.submit("ordinary again")
        _ = waitFor { observer.durable >= ordinary }
        log.close()
        #expect(observer.refusals.count == 2)
        let texts = try open(disk).texts()
        #expect(UInt64(texts.count) == ordinary.value)
        #expect(texts.last == "ordinary again")
        #expect(disk.paths.contains("/log/reserve"))
    }

    @Test("a mixed queue on a full disk commits the reserved entries in front")
    func splitsMixedQueue() throws {
        let disk = FaultyDisk(capacity: 16_384 + 12_288 + 1000)
        let log = try open(disk)
        let filler = String(repeating: "f", count: 11_000)
        _ = log.submit(Array(filler.utf8))
        for number in 1...3 { _ = log.submit(Array("end \(number) \(filler.prefix(1500))".utf8), reserved: true) }
        _ = log.submit(Array("ordinary".utf8))
        _ = log.submit(Array("end 4".utf8), reserved: true)
        let observer = LogObserver(log)
        #expect(observer.expectRefusal()?.from == LogPosition(5))
        log.close()
        #expect(observer.durable == LogPosition(4))
        #expect(try open(disk).lastPosition == LogPosition(4))
    }

    @Test("a log opens on a full disk and cuts off its torn tail there")
    func opensWhenFull() throws {
        let disk = FaultyDisk()
        var log = try open(disk)
        var observer = LogObserver(log)
        observer.expectDurable(observer.submit("one"))
        log.close()
        disk.tamper("/log/00000000000000000001.log") { $0[4200] = 9 }
        disk.setCapacity(0)
        log = try open(disk)
        observer = LogObserver(log)
        let position = observer.submit("end", reserved: true)
        _ = waitFor { observer.durable >= position }
        log.close()
        #expect(try open(disk).texts() == ["one", "end"])
    }
}
