import DataTree
import WireProtocol

/// Short forms for decoder tests.
enum RequestTexts {
    static func decode(_ text: String, limits: RequestLimits = RequestLimits()) throws -> ClientMessage {
        try Array(text.utf8).withUnsafeBytes { try RequestDecoder.decode($0, limits: limits) }
    }

    static func request(_ action: String, _ body: String, number: Int = 1) -> String {
        #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#
    }

    /// The action of a request, or nil when the text is something else.
    static func action(_ action: String, _ body: String, limits: RequestLimits = RequestLimits()) throws -> Action? {
        guard case .request(let request) = try decode(request(action, body), limits: limits) else { return nil }
        return request.action
    }

    /// An action in one line, for tables.
    static func describe(_ action: Action) -> String {
        func changes(_ changes: [(Path, Node)]) -> String {
            changes.map { "\($0.0)=\($0.1.json)" }.joined(separator: " ")
        }
        func optional(_ name: String, _ value: (some CustomStringConvertible)?) -> String {
            value.map { " \(name)=\($0)" } ?? ""
        }
        func written(_ query: Query) -> String {
            var writer = JSONWriter()
            query.write(to: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        switch action {
        case .stats: return "stats"
        case .authenticate(let credential):
            return "authenticate \(credential.kind) \(credential.token)"
                + optional("as", credential.authVariable?.json) + (credential.noAuth ? " nobody" : "")
        case .unauthenticate: return "unauthenticate"
        case .appCheck: return "appCheck"
        case .unAppCheck: return "unAppCheck"
        case .echo(let node): return "echo \(node.json)"
        case .listen(let listen):
            return "listen /\(listen.path) \(written(listen.query)) h=\(listen.hash)" + optional("t", listen.tag)
                + optional("q", listen.queryText.map { String(decoding: $0, as: UTF8.self) })
                + (listen.compoundHash == nil ? "" : " ch")
        case .unlisten(let path, let query, let tag):
            return "unlisten /\(path) \(written(query))" + optional("t", tag)
        case .get(let path, let query): return "get /\(path) \(written(query))"
        case .put(let path, let value, let hash, let writeID):
            return "put /\(path) \(value.json)" + optional("h", hash) + optional("w", writeID)
        case .merge(let path, let list, let hash, let writeID):
            return "merge /\(path) \(changes(list))" + optional("h", hash) + optional("w", writeID)
        case .onDisconnectPut(let path, let value): return "onDisconnectPut /\(path) \(value.json)"
        case .onDisconnectMerge(let path, let list): return "onDisconnectMerge /\(path) \(changes(list))"
        case .onDisconnectCancel(let path): return "onDisconnectCancel /\(path)"
        case .invalid(let status, let reason): return "invalid \(status.rawValue): \(reason)"
        case .unknown(let name): return "unknown \(name)"
        }
    }
}
