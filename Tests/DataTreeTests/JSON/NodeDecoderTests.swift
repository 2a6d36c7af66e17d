import DataTree
import Testing

@Suite("Decoding in slices")
struct NodeDecoderTests {
    static let documents: [String] =
        NodeJSONTests.readings.map(\.json) + NodeJSONTests.refusals.map(\.json) + [
            #" { "users" : { "ada" : { "name" : "Ada \"L\" \u00e9\ud83d\ude00", "born" : 1815, ".priority" : -1.5e-3 } } } "#,
            #"[true,false,null,[],{},{"a":[]},-0.5,12345678901234567890,{".sv":{"increment":1}}]"#,
            "\"\u{e9}\u{20ac}\u{1F600}\"", "{\"\u{e9}\u{20ac}\u{1F600}\":[1,\"\u{e9}\"]}", "1.5.3", "[1-2]", "1e5e",
            "[0123]",
        ]

    @Test("every cut of a document gives what the cursor gives", arguments: documents)
    func everySplit(document: String) {
        let bytes = Array(document.utf8)
        let whole = Result { () throws(JSONError) in try decode(bytes) }
        for first in 0...bytes.count {
            for second in first...min(bytes.count, first + 24) {
                let slices = [bytes[..<first], bytes[first..<second], bytes[second...]]
                let sliced = Result { () throws(JSONError) in try decode(slices) }
                #expect(sliced == whole, "cut at \(first) and \(second)")
            }
        }
        #expect(bytes.withUnsafeBytes { nodeDecodingDisagreement($0) } == nil)
    }

    @Test("bytes that are not UTF-8 are found across cuts", arguments: NodeJSONTests.badUTF8)
    func invalidUTF8(bad: [UInt8]) {
        let bytes = Array(#"{"a":"xyz"#.utf8) + bad + Array(#" "}"#.utf8)
        for cut in 0...bytes.count {
            #expect(throws: JSONError(offset: 9, reason: .invalidUTF8)) {
                try decode([bytes[..<cut], bytes[cut...]])
            }
        }
    }

    @Test("mutated documents never make reader and writer disagree")
    func mutations() {
        var random = SplitMix(seed: 1)
        let interesting = Array(#"{}[]",:\u0.-+eE19tfn /#"#.utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]
        for round in 0..<3000 {
            var bytes = Array(Self.documents[round % Self.documents.count].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0...bytes.count, using: &random)
                let byte = interesting[Int.random(in: 0..<interesting.count, using: &random)]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.insert(byte, at: position)
                case 1 where position < bytes.count: bytes[position] = byte
                default: if position < bytes.count { bytes.remove(at: position) }
                }
            }
            let disagreement = bytes.withUnsafeBytes { nodeDecodingDisagreement($0) }
            #expect(disagreement == nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test("what is kept of an endless string or number is bounded")
    func endlessTokens() throws {
        let limits = JSONLimits(stringBytes: 1000, keyBytes: 10)
        func feed(_ start: String, _ filler: UInt8) throws {
            let slice = [UInt8](repeating: filler, count: 100)
            var decoder = NodeDecoder(limits: limits)
            try Array(start.utf8).withUnsafeBytes { try decoder.feed($0) }
            for _ in 0..<1000 { try slice.withUnsafeBytes { try decoder.feed($0) } }
        }
        #expect(throws: JSONError(offset: 1, reason: .stringTooLong(limit: 1000))) { try feed("[\"", 0x61) }
        #expect(throws: JSONError(offset: 1, reason: .keyTooLong(limit: 10))) { try feed("{\"", 0x61) }
        #expect(throws: JSONError(offset: 1, reason: .numberTooLong)) { try feed("[", 0x31) }
    }

    @Test("empty slices and trailing white space are fine, trailing text is not")
    func ends() throws {
        #expect(try decode([[], Array("1".utf8)[...], [], Array(" \n".utf8)[...]]) == Node(leaf: .integer(1)))
        #expect(throws: JSONError(offset: 2, reason: .trailingBytes)) {
            try decode([Array("1".utf8)[...], Array(" 2".utf8)[...]])
        }
        #expect(throws: JSONError(offset: 0, reason: .unexpectedEnd)) { try decode([ArraySlice<UInt8>]()) }
    }
}

func decode(_ slices: [ArraySlice<UInt8>]) throws(JSONError) -> Node {
    var decoder = NodeDecoder()
    for slice in slices {
        try slice.withUnsafeBufferPointer { bytes throws(JSONError) in try decoder.feed(UnsafeRawBufferPointer(bytes)) }
    }
    return try decoder.finish()
}
