import Storage
import TestSupport
import Testing

@Suite struct BytesTests {
    @Test("all that is written is read back")
    func roundTrips() throws {
        var writer = ByteWriter()
        let numbers: [UInt64] = [0, 1, 127, 128, 300, 1 << 32, UInt64.max - 1, UInt64.max]
        let signed: [Int64] = [0, -1, 1, 63, -64, .min, .max]
        writer.byte(7)
        writer.uint32(0xDEAD_BEEF)
        writer.uint64(.max)
        for number in numbers { writer.varint(number) }
        for number in signed { writer.signed(number) }
        writer.bool(true)
        writer.bool(false)
        writer.double(-0.1)
        writer.block([1, 2, 3])
        writer.string("häß\u{0}🙂")
        writer.nested { inner in
            inner.string("inside")
            inner.nested { $0.byte(1) }
        }
        try writer.bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            #expect(try reader.byte() == 7)
            #expect(try reader.uint32() == 0xDEAD_BEEF)
            #expect(try reader.uint64() == .max)
            for number in numbers { #expect(try reader.varint() == number) }
            for number in signed { #expect(try reader.signed() == number) }
            #expect(try reader.bool())
            #expect(try reader.bool() == false)
            #expect(try reader.double() == -0.1)
            #expect(try reader.array() == [1, 2, 3])
            #expect(Array(try reader.string().utf8) == Array("häß\u{0}🙂".utf8))
            var inner = try reader.nested()
            #expect(try inner.string() == "inside")
            var innermost = try inner.nested()
            #expect(try innermost.byte() == 1)
            try innermost.expectEnd()
            try inner.expectEnd()
            try reader.expectEnd()
        }
    }

    @Test("bytes that end too early, anywhere, throw")
    func throwsOnShortInput() throws {
        var writer = ByteWriter()
        writer.varint(1 << 40)
        writer.string("text")
        writer.double(1)
        writer.nested { $0.uint32(1) }
        for length in 0..<writer.bytes.count {
            writer.bytes[..<length].withUnsafeBytes { bytes in
                _ = #expect(throws: ByteError.self) {
                    var reader = ByteReader(bytes)
                    _ = try reader.varint()
                    _ = try reader.string()
                    _ = try reader.double()
                    _ = try reader.nested()
                }
            }
        }
    }

    @Test(
        "numbers and lengths that do not fit throw instead of trapping",
        arguments: [
            [UInt8](repeating: 0xFF, count: 11),
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            [0x05, 1, 2],
            [0x02, 0xC3, 0x28],
        ])
    func refusesNonsense(bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            _ = #expect(throws: ByteError.self) {
                var reader = ByteReader(bytes)
                _ = try reader.string()
            }
        }
    }

    @Test("random bytes never trap", arguments: 0..<20)
    func survivesRandomBytes(seed: Int) {
        var random = SeededRandom(UInt64(seed))
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                while reader.remaining > 0 {
                    let before = reader.remaining
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: _ = try? reader.varint()
                    case 1: _ = try? reader.string()
                    case 2: _ = try? reader.nested()
                    case 3: _ = try? reader.double()
                    case 4: _ = try? reader.count(unit: 3)
                    default: _ = try? reader.signed()
                    }
                    if reader.remaining == before { _ = try? reader.byte() }
                }
            }
        }
    }

    @Test("errors say what is wrong and where")
    func describesErrors() {
        #expect("\(ByteError(reason: .ended, offset: 3))" == "the bytes end too early (at byte 3)")
    }
}
