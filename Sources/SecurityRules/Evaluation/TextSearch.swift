import DataTree

/// Plain search in text. On valid UTF-8, searching bytes finds what searching UTF-16 code units would.
enum TextSearch {
    /// Whether `text` contains `needle`; the empty needle is everywhere.
    static func contains(_ text: Text, _ needle: Text) -> Bool {
        text.withUTF8 { text in
            needle.withUTF8 { needle in
                needle.isEmpty || Finder(needle).first(in: text, from: 0) != nil
            }
        }
    }

    static func begins(_ text: Text, with prefix: Text) -> Bool {
        text.withUTF8 { text in prefix.withUTF8 { text.starts(with: $0) } }
    }

    static func ends(_ text: Text, with suffix: Text) -> Bool {
        text.withUTF8 { text in suffix.withUTF8 { text.suffix($0.count).elementsEqual($0) } }
    }

    /// Replaces every occurrence from left to right without looking again at what was put in; nil if the result would be
    /// longer than `limit` bytes. An empty `target` leaves the text as it is (decision D3).
    static func replace(_ text: Text, _ target: Text, with replacement: Text, limit: Int) -> Text? {
        guard target.utf8Count > 0 else { return text }
        return text.withUTF8 { text in
            target.withUTF8 { target in
                replacement.withUTF8 { replacement in
                    let finder = Finder(target)
                    var places: [Int] = []
                    var from = 0
                    while let place = finder.first(in: text, from: from) {
                        places.append(place)
                        from = place + target.count
                    }
                    // The length is known before anything is built.
                    let growth = replacement.count - target.count
                    let (change, overflows) = growth.multipliedReportingOverflow(by: places.count)
                    guard !overflows, text.count + change <= limit else { return nil }
                    var result: [UInt8] = []
                    result.reserveCapacity(text.count + change)
                    from = 0
                    for place in places {
                        result.append(contentsOf: text[from..<place])
                        result.append(contentsOf: replacement)
                        from = place + target.count
                    }
                    result.append(contentsOf: text[from...])
                    return Text(utf8: result)
                }
            }
        }
    }

    /// Finds one needle, which is not empty, in time linear in the text: Knuth, Morris and Pratt for long needles; for
    /// short ones the plain way is as good and builds no table.
    private struct Finder {
        private static let longestPlain = 16
        private let needle: UnsafeRawBufferPointer
        /// For each prefix of the needle, how long its longest proper end is that is a prefix too.
        private let borders: [Int32]

        // Lives inside the closure that lends the needle's bytes.
        init(_ needle: UnsafeRawBufferPointer) {
            self.needle = needle
            guard needle.count > Self.longestPlain else {
                borders = []
                return
            }
            var borders = [Int32](repeating: 0, count: needle.count)
            var length = 0
            for index in 1..<needle.count {
                while length > 0, needle[index] != needle[length] { length = Int(borders[length - 1]) }
                if needle[index] == needle[length] { length += 1 }
                borders[index] = Int32(length)
            }
            self.borders = borders
        }

        func first(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
            guard text.count - start >= needle.count else { return nil }
            if borders.isEmpty { return plainFirst(in: text, from: start) }
            var length = 0
            for index in start..<text.count {
                while length > 0, text[index] != needle[length] { length = Int(borders[length - 1]) }
                if text[index] == needle[length] { length += 1 }
                if length == needle.count { return index - length + 1 }
            }
            return nil
        }

        private func plainFirst(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
            for place in start...(text.count - needle.count) where text[place] == needle[0] {
                var length = 1
                while length < needle.count, text[place + length] == needle[length] { length += 1 }
                if length == needle.count { return place }
            }
            return nil
        }
    }
}
