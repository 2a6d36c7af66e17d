import Glibc
import Storage
import TestSupport
import Testing

/// A real file system without room: a small tmpfs, where the right to mount one is given.
@Suite(.blocking) struct FullDiskTests {
    @Test("on a full file system session ends commit, other commits are refused and go on when there is room")
    func fillsRealDisk() throws {
        let directory = TemporaryFolder()
        guard mount("tmpfs", directory.path, "tmpfs", 0, "size=8m") == 0 else {
            try Test.cancel("skipped: mounting a tmpfs needs the right to mount (CAP_SYS_ADMIN)")
        }
        defer { umount2(directory.path, Int32(MNT_DETACH)) }
        var configuration = LogConfiguration()
        configuration.segmentBytes = 1 << 20
        configuration.reserveBytes = 1 << 20
        let log = try FileLog(directory: directory.path, configuration: configuration)
        let observer = LogObserver(log)
        let filler = String(repeating: "f", count: 60_000)
        var texts: [String] = []
        for number in 1...400 where observer.refusals.isEmpty {
            let text = "\(number) \(filler)"
            let position = observer.submit(text)
            _ = waitFor { observer.durable >= position || !observer.refusals.isEmpty }
            if observer.durable >= position { texts.append(text) }
        }
        let refusal = try #require(observer.expectRefusal())
        #expect(refusal.error.isDiskFull)
        #expect(refusal.from.value == UInt64(texts.count + 1))
        #expect(texts.count > 60)
        log.resume()
        let end = observer.submit("end of a session \(filler)", reserved: true)
        _ = waitFor { observer.durable >= end }
        log.trim(through: LogPosition(40))
        let ordinary = observer.submit("ordinary")
        _ = waitFor { observer.durable >= ordinary }
        log.close()
        #expect(observer.refusals.count == 1)
        #expect(observer.failure == nil)
        texts += ["end of a session \(filler)", "ordinary"]
        let again = try FileLog(directory: directory.path, configuration: configuration)
        #expect(try again.texts(after: LogPosition(40)) == Array(texts.dropFirst(40)))
    }
}
