// Tokens: from bytes to the events of `NodeMachine`.

extension NodeMachine {
    /// The token that the slices so far left unfinished; its bytes are in `carry`.
    enum Partial {
        case none
        case string(JSONString.Scan)
        case number
        case literal
    }

    /// Consumes `from ..< limit` of `bytes`, or less if the value ends earlier (`state` is `done` then), and returns
    /// the index behind what was consumed.
    ///
    /// `offset` is added to indices in errors. With `isFinal` no more bytes follow: what is unfinished is an error.
    mutating func consume(
        _ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int, offset: Int, isFinal: Bool
    ) throws(JSONError) -> Int {
        var index = start
        if case .none = partial {
        } else {
            index = try resume(bytes, from: start, to: limit, offset: offset, isFinal: isFinal)
        }
        while state != .done {
            while index < limit, JSONText.isWhitespace(bytes[index]) { index += 1 }
            guard index < limit else { break }
            let byte = bytes[index]
            switch state {
            case .value, .firstElement:
                if state == .firstElement {
                    if byte == 0x5D {
                        try close(isObject: false, at: offset + index)
                        index += 1
                        continue
                    }
                    beginElement()
                    state = .value
                }
                index = try value(bytes, at: index, to: limit, offset: offset, isFinal: isFinal)
            case .firstKey, .key:
                if byte == 0x22 {
                    index = try string(bytes, from: index, to: limit, offset: offset, isFinal: isFinal)
                } else if byte == 0x7D, state == .firstKey {
                    try close(isObject: true, at: offset + index)
                    index += 1
                } else {
                    throw JSONError(offset: offset + index, reason: .expectedKey(found: byte))
                }
            case .colon:
                guard byte == 0x3A else {
                    throw JSONError(offset: offset + index, reason: .expectedColon(found: byte))
                }
                index += 1
                state = .value
            case .afterValue:
                switch byte {
                case 0x2C:
                    if top.container.isObject {
                        state = .key
                    } else {
                        beginElement()
                        state = .value
                    }
                case 0x7D: try close(isObject: true, at: offset + index)
                case 0x5D: try close(isObject: false, at: offset + index)
                default: throw JSONError(offset: offset + index, reason: .expectedCommaOrEnd(found: byte))
                }
                index += 1
            case .done: break
            }
        }
        if isFinal, state != .done { throw JSONError(offset: offset + limit, reason: .unexpectedEnd) }
        return index
    }

    @inline(__always)
    private mutating func value(
        _ bytes: UnsafePointer<UInt8>, at index: Int, to limit: Int, offset: Int, isFinal: Bool
    ) throws(JSONError) -> Int {
        let byte = bytes[index]
        switch byte {
        case 0x22:
            return try string(bytes, from: index, to: limit, offset: offset, isFinal: isFinal)
        case 0x7B:
            try open(isObject: true, at: offset + index)
            return index + 1
        case 0x5B:
            try open(isObject: false, at: offset + index)
            return index + 1
        case 0x2D, 0x30...0x39:
            return try number(bytes, from: index, to: limit, offset: offset, isFinal: isFinal)
        case 0x74, 0x66, 0x6E:
            return try literal(bytes, from: index, to: limit, offset: offset, isFinal: isFinal)
        default:
            throw JSONError(offset: offset + index, reason: .expectedValue(found: byte))
        }
    }

    // MARK: - Whole tokens

    private mutating func string(
        _ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int, offset: Int, isFinal: Bool
    ) throws(JSONError) -> Int {
        var scan = JSONString.Scan(from: start + 1)
        JSONString.advance(&scan, in: bytes, to: limit)
        try checkRawLength(scan.end - start - 1, at: offset + start)
        guard scan.end < limit else {
            guard !isFinal else { throw JSONError(offset: offset + limit, reason: .unexpectedEnd) }
            carry.removeAll(keepingCapacity: true)
            carry.append(contentsOf: UnsafeBufferPointer(start: bytes + start + 1, count: limit - start - 1))
            tokenOffset = offset + start
            partial = .string(scan)
            return limit
        }
        guard bytes[scan.end] == 0x22 else {
            throw JSONError(offset: offset + scan.end, reason: .controlCharacter(bytes[scan.end]))
        }
        try take(bytes + start + 1, count: scan.end - start - 1, scan: scan, offset: offset + start + 1)
        let end = scan.end + 1
        // Nearly always the colon follows at once.
        if state == .colon, end < limit, bytes[end] == 0x3A {
            state = .value
            return end + 1
        }
        return end
    }

    private mutating func number(
        _ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int, offset: Int, isFinal: Bool
    ) throws(JSONError) -> Int {
        if isChildNext, let (value, end) = NumberText.plainInteger(bytes, from: start, to: limit) {
            pending.setLast(Node(content: .integer(value)))
            state = .afterValue
            return end
        }
        let outcome = NumberText.parse(bytes, from: start, to: limit)
        if !isFinal {
            // More of the number may follow in the next slice, unless another character has ended it.
            var end = start
            if case .number(_, let known) = outcome { end = known }
            while end < limit, NumberText.isPart(bytes[end]) { end += 1 }
            if end == limit {
                carry.removeAll(keepingCapacity: true)
                carry.append(contentsOf: UnsafeBufferPointer(start: bytes + start, count: limit - start))
                tokenOffset = offset + start
                partial = .number
                return limit
            }
        }
        switch outcome {
        case .number(let leaf, let end):
            try complete(leaf, at: offset + start)
            return end
        case .invalid(let index): throw JSONError(offset: offset + index, reason: .invalidNumber)
        case .outOfRange: throw JSONError(offset: offset + start, reason: .numberOutOfRange)
        case .tooLong: throw JSONError(offset: offset + start, reason: .numberTooLong)
        }
    }

    private mutating func literal(
        _ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int, offset: Int, isFinal: Bool
    ) throws(JSONError) -> Int {
        let (end, isComplete) = JSONText.matchLiteral(bytes, from: start, to: limit)
        if isComplete {
            try complete(JSONText.literal(startingWith: bytes[start]), at: offset + start)
            return end
        }
        guard end == limit else { throw JSONError(offset: offset + end, reason: .invalidLiteral) }
        guard !isFinal else { throw JSONError(offset: offset + limit, reason: .unexpectedEnd) }
        carry.removeAll(keepingCapacity: true)
        carry.append(contentsOf: UnsafeBufferPointer(start: bytes + start, count: limit - start))
        tokenOffset = offset + start
        partial = .literal
        return limit
    }

    /// Takes the content of a string (without the quotes) as a key or as a value.
    private mutating func take(
        _ content: UnsafePointer<UInt8>, count: Int, scan: JSONString.Scan, offset: Int
    ) throws(JSONError) {
        if !scan.isASCII, let invalid = UTF8Validation.firstInvalid(content, from: 0, to: count) {
            throw JSONError(offset: offset + invalid, reason: .invalidUTF8)
        }
        guard scan.hasEscapes else {
            return try takeText(UnsafeRawBufferPointer(start: content, count: count), at: offset - 1)
        }
        scratch.removeAll(keepingCapacity: true)
        if let invalid = JSONString.unescape(content, from: 0, to: count, into: &scratch) {
            throw JSONError(offset: offset + invalid, reason: .invalidEscape)
        }
        // Moved out for the call: the machine must not be read and changed at the same time.
        let text = scratch
        scratch = []
        try text.withUnsafeBufferPointer { bytes throws(JSONError) in
            try takeText(UnsafeRawBufferPointer(bytes), at: offset - 1)
        }
        scratch = text
    }

    @inline(__always)
    private mutating func takeText(_ text: UnsafeRawBufferPointer, at offset: Int) throws(JSONError) {
        if state == .value {
            guard text.count <= limits.stringBytes else {
                throw JSONError(offset: offset, reason: .stringTooLong(limit: limits.stringBytes))
            }
            if isChildNext {
                // Straight into a node, without the detour over a leaf.
                if let short = ShortText(text) {
                    pending.setLast(Node(content: .shortText(short)))
                } else {
                    pending.setLast(Node(content: .longText([UInt8](text))))
                }
                state = .afterValue
                return
            }
            try complete(.string(Text(utf8: text)), at: offset)
        } else {
            try beginMember(text, at: offset)
            state = .colon
        }
    }

    /// Bounds what is carried of a string that never ends: an escape takes at most six bytes for one of text.
    @inline(__always)
    private func checkRawLength(_ count: Int, at offset: Int) throws(JSONError) {
        guard count > 512 else { return }
        let isKey = state != .value
        let isName = isKey && top.container == .update
        let limit =
            isName ? nameBytes : isKey && limits.form == .write ? limits.keyBytes : limits.stringBytes
        // Divided, not multiplied: a limit may be the largest number there is.
        guard count / 6 > limit else { return }
        throw JSONError(offset: offset, reason: isKey ? .keyTooLong(limit: limit) : .stringTooLong(limit: limit))
    }

    // MARK: - Tokens cut by a slice

    /// Goes on with the unfinished token; `partial` is `none` afterwards unless the slice did not finish it either.
    private mutating func resume(
        _ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int, offset: Int, isFinal: Bool
    ) throws(JSONError) -> Int {
        switch partial {
        case .none: return start
        case .string(var scan):
            scan.end = start
            JSONString.advance(&scan, in: bytes, to: limit)
            carry.append(contentsOf: UnsafeBufferPointer(start: bytes + start, count: scan.end - start))
            try checkRawLength(carry.count, at: tokenOffset)
            guard scan.end < limit else {
                guard !isFinal else { throw JSONError(offset: offset + limit, reason: .unexpectedEnd) }
                partial = .string(scan)
                return limit
            }
            guard bytes[scan.end] == 0x22 else {
                throw JSONError(offset: offset + scan.end, reason: .controlCharacter(bytes[scan.end]))
            }
            partial = .none
            let token = carry
            carry = []
            try token.withUnsafeBufferPointer { buffer throws(JSONError) in
                // An empty array may have no address; then nothing is read from it.
                let content = buffer.baseAddress ?? bytes
                try take(content, count: buffer.count, scan: scan, offset: tokenOffset + 1)
            }
            carry = token
            return scan.end + 1
        case .number:
            var end = start
            while end < limit, NumberText.isPart(bytes[end]) { end += 1 }
            carry.append(contentsOf: UnsafeBufferPointer(start: bytes + start, count: end - start))
            guard end < limit || isFinal || carry.count > NumberText.longest else { return limit }
            partial = .none
            let token = carry
            carry = []
            var behind = 0
            try token.withUnsafeBufferPointer { buffer throws(JSONError) in
                guard let base = buffer.baseAddress else { return }
                behind = try number(base, from: 0, to: buffer.count, offset: tokenOffset, isFinal: true)
            }
            if behind < token.count {
                throw JSONError(
                    offset: tokenOffset + behind,
                    reason: state == .done ? .trailingBytes : .expectedCommaOrEnd(found: token[behind]))
            }
            carry = token
            return end
        case .literal:
            let missing = min(limit - start, 5 - carry.count)
            let old = carry.count
            carry.append(contentsOf: UnsafeBufferPointer(start: bytes + start, count: missing))
            let token = carry
            let (end, isComplete) = token.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { JSONText.matchLiteral($0, from: 0, to: buffer.count) } ?? (0, false)
            }
            if isComplete {
                partial = .none
                try complete(JSONText.literal(startingWith: token[0]), at: tokenOffset)
                return start + end - old
            }
            guard end == token.count else { throw JSONError(offset: tokenOffset + end, reason: .invalidLiteral) }
            guard !isFinal else { throw JSONError(offset: offset + limit, reason: .unexpectedEnd) }
            return limit
        }
    }
}
