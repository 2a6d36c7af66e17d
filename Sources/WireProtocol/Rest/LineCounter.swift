import Glibc

/// Tells line and column in a text that comes in slices, for messages about what is wrong with it.
///
/// ```swift
/// do { try decoder.feed(slice) } catch { position = counter.position(of: error.offset, in: slice) }
/// counter.advance(over: slice)
/// ```
///
/// It remembers a few kilobytes before the current slice, enough for a key that a slice has cut; of what lies further
/// back the position is not known any more.
package struct LineCounter: Sendable {
    /// Lines count from 1; columns count Unicode scalars from 1, since a byte is nothing that people see.
    package struct Position: Equatable, Sendable, CustomStringConvertible {
        package var line: Int
        package var column: Int

        package init(line: Int = 1, column: Int = 1) {
            self.line = line
            self.column = column
        }

        package var description: String { "\(line):\(column)" }
    }

    /// How far back positions are known: a key of the greatest length, each byte escaped, and some more.
    package static let rememberedBytes = 8192

    /// The end of the slices so far, at most `rememberedBytes`.
    private var tail: [UInt8] = []
    /// Where `tail` begins.
    private var tailOffset = 0
    private var tailPosition = Position()

    package init() {}

    /// Goes on behind `slice`, in which nothing was wrong.
    package mutating func advance(over slice: UnsafeRawBufferPointer) {
        let forgotten = max(0, tail.count + slice.count - Self.rememberedBytes)
        let forgottenOfTail = min(forgotten, tail.count)
        tail.withUnsafeBytes {
            Self.move(&tailPosition, over: UnsafeRawBufferPointer(rebasing: $0[..<forgottenOfTail]))
        }
        tail.removeFirst(forgottenOfTail)
        let forgottenOfSlice = forgotten - forgottenOfTail
        Self.move(&tailPosition, over: UnsafeRawBufferPointer(rebasing: slice[..<forgottenOfSlice]))
        tail.append(contentsOf: slice[forgottenOfSlice...])
        tailOffset += forgotten
    }

    /// The position of the byte `offset` of the whole text, which is in `slice`, the one that comes next, or shortly
    /// before it. Nil where it is too far back.
    package func position(of offset: Int, in slice: UnsafeRawBufferPointer) -> Position? {
        guard offset >= tailOffset, offset <= tailOffset + tail.count + slice.count else { return nil }
        var position = tailPosition
        let inTail = min(offset - tailOffset, tail.count)
        tail.withUnsafeBytes { Self.move(&position, over: UnsafeRawBufferPointer(rebasing: $0[..<inTail])) }
        let inSlice = offset - tailOffset - inTail
        Self.move(&position, over: UnsafeRawBufferPointer(rebasing: slice[..<inSlice]))
        return position
    }

    private static func move(_ position: inout Position, over bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        var start = 0
        // `memchr` reads the bytes between `start` and the end only.
        while start < bytes.count, let found = memchr(base + start, 0x0A, bytes.count - start) {
            position.line += 1
            position.column = 1
            start = UnsafeRawPointer(found) - base + 1
        }
        position.column += scalars(in: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }

    /// Counts the bytes that begin a scalar.
    private static func scalars(in bytes: UnsafeRawBufferPointer) -> Int {
        var following = 0
        var index = 0
        while bytes.count - index >= 8 {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // Bytes 10xxxxxx follow another.
            following += (word & ~(word << 1) & 0x8080_8080_8080_8080).nonzeroBitCount
            index += 8
        }
        while index < bytes.count {
            if bytes[index] & 0xC0 == 0x80 { following += 1 }
            index += 1
        }
        return bytes.count - following
    }
}
