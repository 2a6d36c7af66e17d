import Glibc

/// The samples of a hub's `/metrics` at one moment, by their name with labels as the page writes it.
package struct HubMetrics {
    private let samples: [String: Double]

    /// - Parameter secret: the administrator's, for a hub in production mode.
    package init(port: Int, secret: String? = nil) throws {
        let authorization = secret.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let response = try RawWebSocketClient.http(
            port: port, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\(authorization)Connection: close\r\n\r\n")
        guard response.status == 200 else {
            throw DeviceError.missing("/metrics was answered \(response.status): \(response.body)")
        }
        var samples: [String: Double] = [:]
        for line in response.body.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        self.samples = samples
    }

    /// Reads the page until it says what a test waits for, or time is up; then as it is.
    package static func read(
        port: Int, secret: String? = nil, within: Duration = .seconds(10), until isRight: (HubMetrics) -> Bool
    ) throws -> HubMetrics {
        let deadline = ContinuousClock.Instant.now + within
        while true {
            let metrics = try HubMetrics(port: port, secret: secret)
            if isRight(metrics) || ContinuousClock.Instant.now >= deadline { return metrics }
            usleep(20_000)
        }
    }

    /// `hearth_listens`, `hearth_connections{transport="websocket"}`; 0 when the page does not have it.
    package subscript(name: String) -> Double { samples[name] ?? 0 }
}
