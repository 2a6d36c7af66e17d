import HubEngine
import Testing
import WireProtocol

@testable import Gateway

@Suite("The backlog of a slow client")
struct OutputBacklogTests {
    /// Everything the backlog gives out through a buffer of so many bytes.
    private func drained(_ backlog: OutputBacklog, buffer: Int) -> (bytes: [UInt8], pieces: [Int]) {
        var bytes: [UInt8] = []
        var pieces: [Int] = []
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer, alignment: 1)
        defer { memory.deallocate() }
        while !backlog.isEmpty {
            switch backlog.next(into: memory) {
            case .bytes(let count):
                bytes += memory[..<count]
                pieces.append(count)
            case .nothing:
                guard let (frame, offset) = backlog.takeOversized() else { return (bytes, pieces) }
                bytes += frame.bytes[offset...]
                pieces.append(frame.byteCount - offset)
            case .stream, .close: return (bytes, pieces)
            }
        }
        return (bytes, pieces)
    }

    @Test("joins frames in order, as many as fit")
    func joins() {
        let backlog = OutputBacklog()
        let frames = (0..<100).map { Frame("message number \($0)") }
        for frame in frames { backlog.append(frame) }
        #expect(backlog.byteCount == frames.reduce(0) { $0 + $1.byteCount })
        let (bytes, pieces) = drained(backlog, buffer: 256)
        #expect(bytes == frames.flatMap(\.bytes))
        #expect(pieces.allSatisfy { $0 <= 256 })
        #expect(backlog.byteCount == 0)
    }

    @Test("cuts a long message between its WebSocket frames only")
    func cuts() {
        let backlog = OutputBacklog()
        let long = Frame("\"" + String(repeating: "x", count: 200_000) + "\"")
        backlog.append(Frame("before"))
        backlog.append(long)
        backlog.append(Frame("after"))
        let (bytes, pieces) = drained(backlog, buffer: 65_536)
        #expect(bytes == Frame("before").bytes + long.bytes + Frame("after").bytes)
        var position = 0
        for piece in pieces {
            position += piece
            #expect(bytes.withUnsafeBytes { FrameBoundary.prefix(of: $0, upTo: position) } == position)
        }
    }

    @Test("hands out a frame that no buffer holds as a whole")
    func oversized() {
        let backlog = OutputBacklog()
        let frame = Frame(String(repeating: "x", count: 1000))
        backlog.append(frame)
        let (bytes, pieces) = drained(backlog, buffer: 100)
        #expect(bytes == frame.bytes)
        #expect(pieces == [frame.byteCount])
        #expect(backlog.byteCount == 0)
    }

    @Test("finds the ends of frames of all three header sizes", arguments: [0, 1, 125, 126, 65_535, 65_536, 70_000])
    func boundaries(payload: Int) {
        var bytes: [UInt8] = [0x81]
        if payload < 126 {
            bytes.append(UInt8(payload))
        } else if payload < 65_536 {
            bytes += [126, UInt8(payload >> 8), UInt8(payload & 0xFF)]
        } else {
            bytes += [127, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(payload >> $0 & 0xFF) }
        }
        let header = bytes.count
        bytes += [UInt8](repeating: 7, count: payload)
        bytes.withUnsafeBytes {
            #expect(FrameBoundary.length(of: $0, at: 0) == header + payload)
            #expect(FrameBoundary.prefix(of: $0, upTo: header + payload) == header + payload)
            #expect(FrameBoundary.prefix(of: $0, upTo: header + payload - 1) == 0)
        }
    }
}
