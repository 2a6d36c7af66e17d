import Testing

@testable import hearth

@Suite("figures for people")
struct FigureTextTests {
    @Test(
        "of bytes",
        arguments: [
            (1, "1 byte"), (999, "999 bytes"), (1500, "1.5 KB"), (99_960, "100 KB"), (999_600, "1.0 MB"),
            (123_456_789, "123 MB"), (Int.max, "9.2 EB"),
        ])
    func bytes(count: Int, text: String) { #expect(count.bytesText == text) }

    @Test("of counts", arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func counts(count: Int, text: String) { #expect(count.grouped == text) }

    @Test(
        "of spans",
        arguments: [
            (-5, "0 s"), (59_999, "59 s"), (61_000, "1 m 1 s"), (8_040_000, "2 h 14 m"), (274_000_000, "3 d 4 h"),
        ])
    func spans(milliseconds: Int, text: String) { #expect(milliseconds.spanText == text) }

    @Test(
        "of durations", arguments: [(0.04, "0.0 s"), (0.25, "0.3 s"), (9.94, "9.9 s"), (9.97, "10 s"), (61.4, "61 s")])
    func durations(seconds: Double, text: String) { #expect(Duration.seconds(seconds).secondsText == text) }
}
