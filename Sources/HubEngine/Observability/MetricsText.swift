extension Metrics {
    /// The Prometheus text format, version 0.0.4.
    ///
    /// - Parameter now: nanoseconds of the clock that `startedAt` was read from.
    package func prometheusText(now: Int = 0) -> String {
        var page = MetricsPage()
        page.family("hearth_connections", .gauge, "Open client connections by transport.")
        for transport in Transport.allCases {
            page.sample("hearth_connections", ("transport", transport.rawValue), connections(transport).value)
        }
        page.single("hearth_connections_limit", .gauge, "The most connections admitted.", connectionLimit.value)
        page.single("hearth_connections_accepted_total", .counter, "Sockets accepted.", accepted.value)
        page.labelled(
            "hearth_connections_refused_total", "Connections refused by reason.", "reason", refusedConnections)
        page.labelled("hearth_connections_closed_total", "Sessions ended by reason.", "reason", closedConnections)
        page.single("hearth_listens", .gauge, "Listens of all sessions.", listens.value)
        page.labelled("hearth_writes_total", "Writes by result.", "result", writes)
        page.single("hearth_pushes_total", .counter, "Changes delivered to listeners.", pushes.value)
        page.labelled(
            "hearth_ondisconnect_runs_total", "onDisconnect operations that ran, by reason of their session's end.",
            "reason", onDisconnectRuns)
        page.labelled("hearth_denied_total", "Requests refused by rules.", "kind", denied)
        page.histogram("hearth_commit_seconds", "From submission of a group commit to its delivery.", commitSeconds)
        page.single(
            "hearth_send_queue_bytes", .gauge, "Bytes queued for clients that do not keep up.", sendQueueBytes.value)
        page.single("hearth_console_connections", .gauge, "Connections of consoles.", consoleConnections.value)
        page.single("hearth_http_requests_total", .counter, "Requests over HTTP, upgrades not counted.", requests.value)
        page.single("hearth_received_bytes_total", .counter, "Bytes received from clients.", receivedBytes.value)
        page.single("hearth_sent_bytes_total", .counter, "Bytes sent to clients.", sentBytes.value)
        if startedAt.value > 0, now >= startedAt.value {
            page.single("hearth_uptime_seconds", .gauge, "Since the start.", (now - startedAt.value) / 1_000_000_000)
        }
        return page.text
    }
}

/// Builds the text of the metrics page.
struct MetricsPage {
    enum Kind: String { case counter, gauge, histogram }

    private(set) var text = ""

    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ label: (name: String, value: String)?, _ value: some CustomStringConvertible)
    {
        text += name
        if let label { text += "{\(label.name)=\"\(MetricsPage.escaped(label.value))\"}" }
        text += " \(value)\n"
    }

    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        family(name, kind, help)
        sample(name, nil, value)
    }

    mutating func labelled(_ name: String, _ help: String, _ label: String, _ counters: CounterFamily) {
        family(name, .counter, help)
        for (value, count) in counters.values { sample(name, (label, value), count) }
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        family(name, .histogram, help)
        let (buckets, sum) = histogram.counts
        var cumulative = 0
        for (index, count) in buckets.enumerated() {
            cumulative += count
            let bound = index < Histogram.bounds.count ? "\(Double(Histogram.bounds[index]) / 1e9)" : "+Inf"
            sample("\(name)_bucket", ("le", bound), cumulative)
        }
        sample("\(name)_sum", nil, Double(sum) / 1e9)
        sample("\(name)_count", nil, cumulative)
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
