import Storage
import TestSupport
import Testing

/// What is special about a log in files: segments, torn tails, damage, formats.
@Suite(.blocking) struct FileLogTests {
    private let directory = "/log"

    private func open(_ disk: FaultyDisk, _ configuration: LogConfiguration = .small()) throws -> FileLog {
        try FileLog(directory: directory, files: disk, configuration: configuration, newIdentity: 0x1122_3344_5566_7788)
    }

    /// A disk whose log holds `count` entries of about a kilobyte, each committed for itself.
    private func filledDisk(count: Int, size: Int = 1000) throws -> FaultyDisk {
        let disk = FaultyDisk()
        let log = try open(disk)
        let observer = LogObserver(log)
        for number in 1...count {
            observer.expectDurable(observer.submit("\(number) " + String(repeating: "x", count: size)))
        }
        log.close()
        return disk
    }

    private func segments(_ disk: FaultyDisk) -> [String] { disk.paths.filter { $0.hasSuffix(".log") } }

    private func damage(_ disk: FaultyDisk, after position: UInt64 = 0) -> StorageError? {
        do {
            _ = try open(disk).texts(after: LogPosition(position))
            return nil
        } catch {
            return error as? StorageError
        }
    }

    @Test("segments are named by the position of their first entry")
    func namesSegments() throws {
        let disk = try filledDisk(count: 30)
        let names = segments(disk)
        #expect(names.count >= 3)
        #expect(names.first == "/log/00000000000000000001.log")
        for name in names {
            let first = UInt64(name.dropFirst(5).dropLast(4)) ?? 0
            #expect(try open(disk).texts(after: LogPosition(first - 1)).first?.hasPrefix("\(first) ") == true)
        }
    }

    @Test("a commit changes no size: segments and reserve are filled ahead")
    func preallocates() throws {
        let disk = try filledDisk(count: 9)
        #expect(disk.bytes(of: segments(disk)[0])?.count == 16_384)
        #expect(disk.bytes(of: "/log/reserve")?.count == 12_288)
        #expect(disk.bytes(of: "/log/spare")?.count == 16_384)
    }

    @Test("trimming deletes whole segments only, and never the one in use")
    func trimsWholeSegments() throws {
        let disk = try filledDisk(count: 40)
        let before = segments(disk)
        let log = try open(disk)
        let third = UInt64(before[2].dropFirst(5).dropLast(4)) ?? 0
        log.trim(through: LogPosition(third - 2))
        #expect(segments(disk) == Array(before[1...]))
        log.trim(through: LogPosition(third - 1))
        #expect(segments(disk) == Array(before[2...]))
        log.trim(through: LogPosition(.max))
        #expect(segments(disk) == [before[before.count - 1]])
        #expect(log.lastPosition == LogPosition(40))
    }

    @Test("a segment that could not be deleted goes with the next trim")
    func retriesTrim() throws {
        let disk = try filledDisk(count: 40)
        let log = try open(disk)
        disk.setRule { $0.kind == .remove ? .error(code: 5) : nil }
        log.trim(through: LogPosition(.max))
        #expect(segments(disk).count > 1)
        disk.setRule(nil)
        log.trim(through: LogPosition(.max))
        #expect(segments(disk).count == 1)
    }

    @Test("a log can begin after a position")
    func beginsLater() throws {
        let disk = FaultyDisk()
        let log = try FileLog(
            directory: directory, files: disk, configuration: .small(), start: LogPosition(41))
        let observer = LogObserver(log)
        #expect(observer.submit("first") == LogPosition(42))
        log.close()
        #expect(try open(disk).texts(after: LogPosition(41)) == ["first"])
    }

    @Test("a torn group at the end is cut off, and its place is used again")
    func cutsTornTail() throws {
        let disk = try filledDisk(count: 3)
        let path = segments(disk)[0]
        let intact = try #require(disk.bytes(of: path))
        for cut in [1, 39, 40, 500] {
            disk.tamper(path) { bytes in
                bytes = intact
                // The third group begins where two of about 1,050 bytes end.
                let start = self.groupStart(3, in: intact)
                for index in start + cut..<start + 1056 { bytes[index] = 0 }
            }
            let log = try open(disk)
            #expect(log.lastPosition == LogPosition(2))
            let observer = LogObserver(log)
            #expect(observer.submit("again") == LogPosition(3))
            log.close()
            #expect(try open(disk).texts().last == "again")
        }
    }

    @Test("a bad group before a good one is damage with file, place and remedy")
    func reportsDamageInside() throws {
        let disk = try filledDisk(count: 3)
        let path = segments(disk)[0]
        let start = groupStart(2, in: try #require(disk.bytes(of: path)))
        disk.tamper(path) { $0[start + 100] ^= 1 }
        let error = damage(disk)
        #expect(
            "\(error.map { "\($0)" } ?? "")"
                == "/log/00000000000000000001.log is damaged at byte \(start): entry 2 cannot be read, but a later one at "
                + "byte \(groupStart(3, in: disk.bytes(of: path) ?? [])) can; "
                + "check the disk, keep a copy of the file, and restore the namespace from a backup")
    }

    @Test("a bad group in an earlier segment is damage")
    func reportsDamageInEarlierSegment() throws {
        let disk = try filledDisk(count: 30)
        let path = segments(disk)[0]
        let bytes = try #require(disk.bytes(of: path))
        let next = UInt64(segments(disk)[1].dropFirst(5).dropLast(4)) ?? 0
        disk.tamper(path) { $0[self.groupStart(Int(next) - 1, in: bytes) + 60] ^= 0x40 }
        #expect(damage(disk) != nil)
        #expect(damage(disk, after: next - 1) == nil)
    }

    @Test("a missing segment is damage, unless replay begins after it")
    func reportsMissingSegment() throws {
        let disk = try filledDisk(count: 40)
        let names = segments(disk)
        try disk.remove(names[1])
        let second = UInt64(names[1].dropFirst(5).dropLast(4)) ?? 0
        let third = UInt64(names[2].dropFirst(5).dropLast(4)) ?? 0
        #expect(
            damage(disk)
                == .damaged(
                    file: directory, offset: nil,
                    detail: "entries \(second) to \(third - 1) are missing before \(names[2].dropFirst(5))"))
        #expect(damage(disk, after: third - 1) == nil)
        try disk.remove(names[0])
        #expect(damage(disk) != nil)
    }

    @Test("a log that ends before what the state has reached is damage")
    func reportsShortLog() throws {
        let disk = try filledDisk(count: 3)
        #expect(
            damage(disk, after: 4)
                == .damaged(
                    file: directory, offset: nil,
                    detail: "the state has reached entry 4, but the log ends with entry 3"))
    }

    @Test("a segment of another log is damage")
    func reportsForeignSegment() throws {
        let disk = try filledDisk(count: 30)
        let foreign = FaultyDisk()
        let log = try FileLog(directory: directory, files: foreign, configuration: .small(), newIdentity: 99)
        log.close()
        let bytes = try #require(foreign.bytes(of: "/log/00000000000000000001.log"))
        disk.tamper(segments(disk)[0]) { $0 = bytes }
        #expect(damage(disk) != nil)
    }

    @Test("a newer format is refused with a sentence, in the header of a segment")
    func refusesNewerFormat() throws {
        let disk = try filledDisk(count: 3)
        let path = segments(disk)[0]
        disk.tamper(path) { bytes in
            bytes[8] = 2
            self.reseal(&bytes, from: 0, count: 4092)
        }
        let error = damage(disk)
        #expect(
            error?.description
                == "\(path) has format 2, this release reads up to 1; start a newer release of hearth")
    }

    @Test("a newer format is refused in a group, too")
    func refusesNewerGroup() throws {
        let disk = try filledDisk(count: 3)
        let path = segments(disk)[0]
        let start = groupStart(2, in: try #require(disk.bytes(of: path)))
        disk.tamper(path) { bytes in
            bytes[start + 8] = 7
            self.reseal(&bytes, from: start, count: 36)
        }
        #expect(damage(disk) == .newerFormat(file: path, found: 7, supported: 1))
    }

    @Test("a changed byte anywhere is reported, or was in the last group", arguments: 0..<4)
    func findsChangedBytes(seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let disk = try filledDisk(count: 25, size: 300)
        let path = segments(disk)[0]
        let intact = try #require(disk.bytes(of: path))
        let expected = try open(disk).texts()
        let isLast = segments(disk).count == 1
        let last = groupStart(lastGroup(in: intact), in: intact)
        for _ in 0..<150 {
            let offset = Int.random(in: 0..<intact.count, using: &random)
            let mask = UInt8.random(in: 1...255, using: &random)
            disk.tamper(path) { bytes in
                bytes = intact
                bytes[offset] ^= mask
            }
            do {
                let texts = try open(disk).texts()
                let isTail = isLast && offset >= last
                #expect(texts == expected || isTail && texts == expected.dropLast())
                #expect(isTail, "byte \(offset) changed unnoticed")
            } catch let error as StorageError {
                #expect("\(error)".contains(path) || "\(error)".contains(directory))
            }
        }
    }

    @Test("content that looks like a group is no group")
    func ignoresForgedGroups() throws {
        let disk = try filledDisk(count: 3)
        let path = segments(disk)[0]
        let bytes = try #require(disk.bytes(of: path))
        // An entry that holds a whole group of a log with another identity, then torn away in front.
        let forged = FaultyDisk()
        let other = try FileLog(directory: directory, files: forged, configuration: .small(), newIdentity: 99)
        let writer = LogObserver(other)
        for number in 1...9 { writer.expectDurable(writer.submit("forged \(number)")) }
        other.close()
        let content = try #require(forged.bytes(of: path))
        let start = groupStart(3, in: bytes)
        disk.tamper(path) { $0.replaceSubrange(start..<start + 512, with: content[4096..<4608]) }
        #expect(try open(disk).texts().count == 2)
    }

    @Test("unfinished and foreign spare files are replaced")
    func replacesSpares() throws {
        let disk = try filledDisk(count: 12)
        disk.tamper("/log/spare") { $0 = [1, 2, 3] }
        disk.tamper("/log/reserve") { $0[20] ^= 1 }
        _ = try disk.open("/log/spare.preparing", create: true)
        let log = try open(disk)
        #expect(!disk.paths.contains("/log/spare.preparing"))
        #expect(disk.bytes(of: "/log/reserve")?.count == 12_288)
        let observer = LogObserver(log)
        for number in 1...40 { observer.submit("\(number)" + String(repeating: "y", count: 900)) }
        log.close()
        #expect(observer.durable == LogPosition(52))
        #expect(try open(disk).texts().count == 52)
    }

    @Test("an entry larger than a segment gets a larger segment")
    func takesLargeEntries() throws {
        let disk = FaultyDisk()
        let log = try open(disk)
        let observer = LogObserver(log)
        let sizes = [100, 50_000, 10, 20_000, 16_000, 5]
        for size in sizes { observer.submit(String(repeating: "z", count: size)) }
        log.close()
        #expect(try open(disk).texts().map(\.utf8.count) == sizes)
    }

    // MARK: - Bytes

    /// Where the group with this number begins, counted from 1; every group holds one entry.
    private func groupStart(_ number: Int, in bytes: [UInt8]) -> Int {
        var offset = 4096
        for _ in 1..<number { offset = nextGroup(offset, in: bytes) }
        return offset
    }

    private func lastGroup(in bytes: [UInt8]) -> Int {
        var offset = 4096
        var number = 0
        while offset + 40 <= bytes.count, bytes[offset] != 0 {
            number += 1
            offset = nextGroup(offset, in: bytes)
        }
        return number
    }

    private func nextGroup(_ offset: Int, in bytes: [UInt8]) -> Int {
        let payload = (0..<8).reduce(0) { $0 | Int(bytes[offset + 24 + $1]) << (8 * $1) }
        return offset + (40 + payload + 7) / 8 * 8
    }

    /// Makes the checksum after `count` bytes right.
    private func reseal(_ bytes: inout [UInt8], from start: Int, count: Int) {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes[start..<start + count] {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        crc = ~crc
        for index in 0..<4 { bytes[start + count + index] = UInt8(truncatingIfNeeded: crc >> UInt32(8 * index)) }
    }
}
