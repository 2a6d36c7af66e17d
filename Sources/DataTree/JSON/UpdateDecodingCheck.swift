/// How `UpdateDecoder` disagrees with the whole-text reader over `bytes`, or nil if they agree.
///
/// The reader takes the outermost object apart by itself, so that names are read by other code than the decoder's.
func updateDisagreement(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits, cut: () -> Int) -> String? {
    let sliced = Result { () throws(JSONError) in try decodeSlicedUpdate(bytes, limits: limits, cut: cut) }
    let whole = Result { () throws(JSONError) in try readUpdate(bytes, limits: limits) }
    switch (sliced, whole) {
    case (.success(.null), .success(.null)): return nil
    case (.success(.changes(let changes)), .success(.changes(let others))):
        let isSame = changes.elementsEqual(others) { $0.name == $1.name && $0.node == $1.node }
        return isSame ? nil : "\(changes), whole: \(others)"
    case (.failure(let error), .failure(let other)):
        // The reader looks into a name only when it has seen the colon behind it.
        if error.reason == .invalidEscape, other.isSyntax, other.offset > error.offset { return nil }
        return error == other ? nil : "\(error), whole: \(other)"
    default: return "\(sliced), whole: \(whole)"
    }
}

private func decodeSlicedUpdate(
    _ bytes: UnsafeRawBufferPointer, limits: JSONLimits, cut: () -> Int
) throws(JSONError) -> UpdateBody {
    var decoder = UpdateDecoder(limits: limits)
    var start = 0
    while start < bytes.count {
        let end = min(bytes.count, start + max(cut(), 1))
        try decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
    }
    return try decoder.finish()
}

private func readUpdate(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits) throws(JSONError) -> UpdateBody {
    // The outermost object is one level of nesting that the children's reader does not see.
    var inner = limits
    inner.depth -= 1
    var cursor = JSONCursor(bytes, limits: inner)
    if cursor.peek() == .null {
        try cursor.readNull()
        try cursor.expectEnd()
        return .null
    }
    try cursor.enterObject()
    var changes: [(name: Key, node: Node)] = []
    let longest = (limits.keyBytes + 1) * 32
    while let name = try cursor.nextName() {
        let key = Key(try cursor.text(of: name))
        guard key.utf8Count <= longest else {
            throw JSONError(offset: name.range.lowerBound - 1, reason: .keyTooLong(limit: longest))
        }
        if let same = changes.firstIndex(where: { $0.name == key }) { changes.remove(at: same) }
        do throws(JSONError) {
            changes.append((key, try cursor.decodeNode()))
        } catch {
            guard case .nestedTooDeep = error.reason else { throw error }
            throw JSONError(offset: error.offset, reason: .nestedTooDeep(limit: limits.depth))
        }
    }
    try cursor.expectEnd()
    return .changes(changes)
}
