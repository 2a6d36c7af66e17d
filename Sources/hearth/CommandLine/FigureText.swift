/// Figures as people read them.
extension Duration {
    /// `0.4 s`, `12 s`: one digit behind the point below ten seconds.
    var secondsText: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        let tenths = Int((seconds * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\(Int(seconds.rounded())) s"
    }
}

extension Int {
    /// `1,234,567`.
    var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// So many bytes: `512 bytes`, `1.5 KB`, `12 MB`, with thousands.
    var bytesText: String {
        guard self >= 1000 else { return self == 1 ? "1 byte" : "\(self) bytes" }
        let units = ["KB", "MB", "GB", "TB", "PB", "EB"]
        var unit = 0
        var size = Double(self) / 1000
        while size >= 999.5, unit < units.count - 1 {
            size /= 1000
            unit += 1
        }
        let tenths = Int((size * 10).rounded())
        return (tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(size.rounded()))") + " " + units[unit]
    }

    /// A span of so many milliseconds in its two largest units: `3 s`, `5 m 10 s`, `2 h 14 m`, `3 d 4 h`.
    var spanText: String {
        let seconds = Swift.max(0, self / 1000)
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
        if days > 0 { return "\(days) d \(hours % 24) h" }
        if hours > 0 { return "\(hours) h \(minutes % 60) m" }
        if minutes > 0 { return "\(minutes) m \(seconds % 60) s" }
        return "\(seconds) s"
    }
}
