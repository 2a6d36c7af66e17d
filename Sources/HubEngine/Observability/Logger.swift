import Glibc
import Synchronization

/// Writes one line an event: `2026-11-30T07:50:00.123Z INFO event key=value …`.
///
/// Secrets never reach a line: give them as `LogValue.secret`. Text is escaped, so that a client cannot forge a line.
package struct Logger: Sendable {
    /// How much an event matters. Events below the logger's level are not written.
    package enum Level: Int, Comparable, Sendable, CaseIterable {
        case debug, info, warning, error

        /// Reads `debug`, `info`, `warning` or `error`.
        package init?(name: String) {
            guard let level = Level.allCases.first(where: { "\($0)" == name }) else { return nil }
            self = level
        }

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        fileprivate var label: String {
            switch self {
            case .debug: "DEBUG"
            case .info: "INFO"
            case .warning: "WARN"
            case .error: "ERROR"
            }
        }
    }

    package let level: Level
    private let wallClock: @Sendable () -> Int64
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - wallClock: milliseconds since 1970.
    ///   - write: takes one line that ends with a newline; callable from any thread.
    package init(
        level: Level = .info, wallClock: @escaping @Sendable () -> Int64 = Logger.systemMilliseconds,
        write: @escaping @Sendable (String) -> Void = Logger.writeToStandardError
    ) {
        self.level = level
        self.wallClock = wallClock
        self.write = write
    }

    /// Whether events of a level are written, for those that are dear to make.
    package func isEnabled(_ level: Level) -> Bool { level >= self.level }

    /// Writes nothing.
    package static let silent = Logger(level: .error, write: { _ in })

    package func debug(_ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:]) {
        log(.debug, event, fields)
    }

    package func info(_ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:]) {
        log(.info, event, fields)
    }

    package func warning(_ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:]) {
        log(.warning, event, fields)
    }

    package func error(_ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:]) {
        log(.error, event, fields)
    }

    private func log(_ level: Level, _ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue>) {
        guard level >= self.level else { return }
        var line = Timestamp.text(milliseconds: wallClock())
        line += " \(level.label) \(event)"
        for (key, value) in fields {
            line += " \(key)="
            value.append(to: &line)
        }
        line += "\n"
        write(line)
    }

    /// The system's wall clock in milliseconds since 1970.
    package static let systemMilliseconds: @Sendable () -> Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// One `write` call a line, so that lines of several threads do not mix.
    package static let writeToStandardError: @Sendable (String) -> Void = { line in
        var line = line
        line.withUTF8 { bytes in _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}

/// A value in a log line.
package enum LogValue: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    /// Written as it is when it is one plain word, else in quotes with escapes.
    case text(String)
    case integer(Int)
    case bool(Bool)
    /// A token, password or key: only that it was there is written.
    case secret(String)

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// The description of anything, as text.
    package init(_ value: some CustomStringConvertible) { self = .text(value.description) }

    /// A longer text is cut, so that no client can fill the log with one request.
    private static let longestText = 1024

    fileprivate func append(to line: inout String) {
        switch self {
        case .text(let text): LogValue.append(text, to: &line)
        case .integer(let value): line += String(value)
        case .bool(let value): line += value ? "true" : "false"
        case .secret(let secret): line += secret.isEmpty ? "[none]" : "[redacted]"
        }
    }

    private static func append(_ text: String, to line: inout String) {
        let isPlain =
            !text.isEmpty && text.utf8.count <= longestText
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        if isPlain {
            line += text
            return
        }
        line += "\""
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            if count > longestText {
                line += "…"
                break
            }
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case _
            where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
                || (0x2028...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value):
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        line += "\""
    }
}

/// Times of day for logs.
enum Timestamp {
    /// `2026-11-30T07:50:00.123Z` for milliseconds since 1970.
    static func text(milliseconds: Int64) -> String {
        let seconds = milliseconds.quotientFloored(1000)
        var time = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return "\(milliseconds)" }
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date =
            "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
        let clock = "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
        return "\(date)T\(clock).\(padded(Int(milliseconds - seconds * 1000), 3))Z"
    }
}

extension Int64 {
    fileprivate func quotientFloored(_ divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
