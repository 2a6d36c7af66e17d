import Storage
import TestSupport
import Testing

@Suite(.blocking) struct LogPacingTests {
    private func log(interval: Duration) throws -> (log: FileLog, disk: FaultyDisk) {
        var configuration = LogConfiguration()
        configuration.segmentBytes = 1 << 20
        configuration.minimumSyncInterval = UInt64(interval / .nanoseconds(1))
        let disk = FaultyDisk()
        return (try FileLog(directory: "/log", files: disk, configuration: configuration), disk)
    }

    @Test("a lone entry never waits for the pace")
    func loneEntriesDoNotWait() throws {
        let (log, _) = try log(interval: .seconds(1))
        let observer = LogObserver(log)
        let clock = ContinuousClock()
        let elapsed = clock.measure {
            for number in 1...20 { observer.expectDurable(observer.submit("\(number)")) }
        }
        log.close()
        #expect(elapsed < .seconds(10))
    }

    @Test("entries that keep arriving share syncs at the pace")
    func loadIsPaced() throws {
        let (log, disk) = try log(interval: .milliseconds(20))
        let observer = LogObserver(log)
        let before = disk.changeCount
        let clock = ContinuousClock()
        let elapsed = clock.measure {
            for number in 1...60_000 { observer.submit("\(number)") }
            log.close()
        }
        #expect(observer.durable == LogPosition(60_000))
        // Each group is a write and a sync; every group but those under no load took its interval.
        let groups = (disk.changeCount - before) / 2
        #expect(Double(groups) <= elapsed / .milliseconds(20) * 1.5 + 10)
    }
}
