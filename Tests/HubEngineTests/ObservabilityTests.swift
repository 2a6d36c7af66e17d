import Storage
import Testing

@testable import HubEngine

@Suite("The logger")
struct LoggerTests {
    /// The line that a call writes, for a clock that stands at 2026-11-30T07:50:00.123Z.
    private func line(level: Logger.Level = .info, _ call: (Logger) -> Void) -> String {
        let lines = Monitor("")
        call(Logger(level: level, wallClock: { 1_796_025_000_123 }, write: { line in lines.with { $0 += line } }))
        return lines.with { $0 }
    }

    @Test("writes one line an event, with the time in UTC")
    func format() {
        let text = line { $0.info("listening", ["host": "127.0.0.1", "port": 9000, "tls": false]) }
        #expect(text == "2026-11-30T07:50:00.123Z INFO listening host=127.0.0.1 port=9000 tls=false\n")
    }

    @Test("leaves out what is below its level")
    func levels() {
        #expect(line(level: .warning) { $0.info("quiet") } == "")
        #expect(line(level: .warning) { $0.warning("loud") }.hasSuffix("WARN loud\n"))
        #expect(line(level: .error) { $0.error("worse") }.hasSuffix("ERROR worse\n"))
        #expect(Logger.Level(name: "debug") == .debug)
        #expect(Logger.Level(name: "Debug") == nil)
    }

    @Test("never writes a secret")
    func secrets() {
        #expect(
            line { $0.info("auth", ["token": .secret("hunter2"), "other": .secret("")]) }
                .hasSuffix("auth token=[redacted] other=[none]\n"))
    }

    @Test(
        "quotes what a client could forge a line with",
        arguments: [
            ("two words", "\"two words\""), ("", "\"\""), ("a=b", "\"a=b\""), ("say \"x\"\\", #""say \"x\"\\""#),
            ("line\nINFO forged", #""line\nINFO forged""#), ("bell\u{7}", #""bell\u{7}""#),
            ("\u{202E}txt", #""\u{202e}txt""#),
            ("grüße", "\"grüße\""),
        ])
    func quoting(value: String, written: String) {
        #expect(line { $0.info("event", ["value": .text(value)]) }.hasSuffix(" event value=\(written)\n"))
    }

    @Test("cuts what is very long")
    func cut() {
        #expect(line { $0.info("event", ["value": .text(String(repeating: "x", count: 100_000))]) }.utf8.count < 1_200)
    }
}

@Suite("The metrics")
struct MetricsTests {
    @Test("are written as Prometheus reads them")
    func page() {
        let metrics = Metrics()
        metrics.connections(.webSocket).add(3)
        metrics.writes["ok"].add(2)
        metrics.writes["permission_denied"].add()
        metrics.commitSeconds.observe(nanoseconds: 300_000)
        metrics.commitSeconds.observe(nanoseconds: 9_000_000_000)
        let lines = metrics.prometheusText().split(separator: "\n").map(String.init)
        for line in [
            "# TYPE hearth_connections gauge", "hearth_connections{transport=\"websocket\"} 3",
            "hearth_connections{transport=\"sse\"} 0", "hearth_writes_total{result=\"ok\"} 2",
            "hearth_writes_total{result=\"permission_denied\"} 1", "hearth_listens 0", "hearth_pushes_total 0",
            "# TYPE hearth_commit_seconds histogram", "hearth_commit_seconds_bucket{le=\"0.00025\"} 0",
            "hearth_commit_seconds_bucket{le=\"0.0005\"} 1", "hearth_commit_seconds_bucket{le=\"+Inf\"} 2",
            "hearth_commit_seconds_count 2", "hearth_send_queue_bytes 0", "hearth_console_connections 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(metrics.openConnections == 3)
        for line in lines where !line.hasPrefix("#") {
            #expect(line.split(separator: " ").count == 2, "\(line)")
        }
    }

    @Test("escape labels")
    func labels() {
        var page = MetricsPage()
        page.sample("name", ("label", "a\"b\\c\nd"), 1)
        #expect(page.text == "name{label=\"a\\\"b\\\\c\\nd\"} 1\n")
    }

    @Test("count from many threads")
    func threads() async {
        let metrics = Metrics()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for index in 0..<1_000 { metrics.closedConnections["reason\(index % 3)"].add() }
                }
            }
        }
        #expect(metrics.closedConnections.values.reduce(0) { $0 + $1.value } == 8_000)
    }
}
