import Glibc

/// Moments as people read them.
enum TimeText {
    /// `2026-11-30 16:05 UTC`, of milliseconds since 1970.
    static func date(_ milliseconds: Int) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(milliseconds)" }
        func padded(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let day = "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        return "\(day) \(padded(parts.tm_hour)):\(padded(parts.tm_min)) UTC"
    }
}
