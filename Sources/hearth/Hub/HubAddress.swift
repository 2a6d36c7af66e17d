/// Where a hub is, as `--url` says it.
struct HubAddress: Equatable {
    /// `http` or `https`.
    let scheme: String
    /// A name or an address, IPv6 in brackets.
    let host: String
    let port: Int?
    /// Of a URL as an SDK takes it, `http://127.0.0.1:9000?ns=demo`.
    let namespace: String?

    static let standard = "http://127.0.0.1:9000"

    /// Reads `http://HOST[:PORT]`; `https`, `ws` and `wss` likewise, and without a scheme `http`.
    init(_ text: String) throws(CommandProblem) {
        let wrong = CommandProblem.usage("--url cannot be '\(Self.shown(text))'; give http://HOST:PORT")
        var rest = text[...]
        if let end = text.range(of: "://") {
            switch text[..<end.lowerBound].lowercased() {
            case "http", "ws": scheme = "http"
            case "https", "wss": scheme = "https"
            default: throw wrong
            }
            rest = text[end.upperBound...]
        } else {
            scheme = "http"
        }
        var namespace: String?
        if let question = rest.firstIndex(of: "?") {
            for parameter in rest[rest.index(after: question)...].split(separator: "&") {
                guard parameter.hasPrefix("ns=") else { throw wrong }
                namespace = String(parameter.dropFirst(3))
            }
            rest = rest[..<question]
        }
        self.namespace = namespace
        if rest.last == "/" { rest.removeLast() }
        guard !rest.contains("/") else {
            throw .usage("--url names a hub and no place in it; give http://HOST:PORT, and the place as PATH")
        }
        guard !rest.contains("@") else {
            throw .usage("--url takes no user and password; give http://HOST:PORT, and a token with --auth")
        }
        var port: Int?
        let bracket = rest.lastIndex(of: "]")
        if let colon = rest.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
            guard let number = Int(rest[rest.index(after: colon)...]), 1...65_535 ~= number else { throw wrong }
            port = number
            rest = rest[..<colon]
        }
        self.port = port
        host = String(rest)
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            bracket != nil ? host.hasPrefix("[") && host.hasSuffix("]") : !host.contains(":")
        else { throw wrong }
    }

    /// `scheme://host[:port]`, without a slash at the end.
    var text: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }

    /// Whether it is on this machine.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
    }

    /// The namespace that the host names: `demo` of `demo.localhost`.
    var namespaceOfHost: String? {
        guard host.hasSuffix(".localhost") else { return nil }
        return host.split(separator: ".").first.map(String.init)
    }

    /// The beginning of a URL that may be shown: no user, path or parameters, where secrets stand.
    static func shown(_ url: String) -> String {
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return hearth.shown(url[..<start] + host)
    }
}

extension String {
    /// Where `text` first stands.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
