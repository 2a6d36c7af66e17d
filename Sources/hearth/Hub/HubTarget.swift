/// A hub and a namespace in it, as the options of a sub-command name them, and who asks.
struct HubTarget {
    let address: HubAddress
    /// Nil leaves the choice to the hub.
    let namespace: String?
    let credential: HubCredential?
    private let authorities: String?

    /// The options of every sub-command that talks to a hub.
    static let options: [CommandSyntax.Option] = [
        .init(
            name: "url", argument: "URL",
            help: "the hub; \(HubAddress.standard) or HEARTH_URL without"),
        .init(name: "ns", argument: "NAME", help: "the namespace; the hub's default one without"),
        .init(
            name: "auth", argument: "TOKEN",
            help: """
                the administrator's secret, an ID token, or @FILE with one in it;
                HEARTH_AUTH without
                """),
        .init(name: "ca", argument: "FILE", help: "certificates (PEM) that vouch for the hub's own"),
    ]

    init(_ arguments: CommandArguments, _ environment: CommandEnvironment) throws(CommandProblem) {
        let variable = environment.variable
        address = try HubAddress(arguments["url"] ?? variable("HEARTH_URL") ?? HubAddress.standard)
        let named = arguments["ns"] ?? address.namespace
        if let named { try Self.check(namespace: named) }
        namespace = named
        authorities = arguments["ca"]
        guard var secret = arguments["auth"] ?? variable("HEARTH_AUTH") else {
            credential = nil
            return
        }
        if secret.hasPrefix("@") {
            let text = String(decoding: try environment.read(String(secret.dropFirst())), as: UTF8.self)
            secret = String(text.split(whereSeparator: \.isWhitespace).first ?? "")
        }
        credential = try HubCredential(secret)
    }

    /// Refuses what can be no namespace.
    static func check(namespace: String) throws(CommandProblem) {
        let isLetterOrDigit = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        let bytes = Array(namespace.utf8)
        let isFine =
            bytes.first.map(isLetterOrDigit) ?? false && bytes.count <= 64
            && bytes.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        guard isFine else {
            throw .usage(
                "'\(shown(namespace))' is no name of a namespace; use up to 64 letters, digits, _ and -, "
                    + "a letter or digit first")
        }
    }

    /// The namespace where a name is needed: the one given, the one that the host names, or the default one.
    var namespaceName: String { namespace ?? address.namespaceOfHost ?? "default" }

    /// A request to the REST interface.
    func rest(
        _ method: String, _ path: DataPath, _ parameters: [(name: String, value: String)] = [], body: HTTPBody? = nil
    ) -> HTTPRequest {
        request(method, "\(path.encoded).json", parameters + namespaceParameter, body: body)
    }

    /// A request to the settings of the namespace.
    func settings(
        _ method: String, _ name: String, _ parameters: [(name: String, value: String)] = [], body: HTTPBody? = nil
    ) -> HTTPRequest {
        request(method, "/.settings/\(name).json", parameters + namespaceParameter, body: body)
    }

    /// A request to what consoles and this command line stand on; `path` is encoded.
    func hub(
        _ method: String, _ path: String, _ parameters: [(name: String, value: String)] = [], body: HTTPBody? = nil
    ) -> HTTPRequest {
        request(method, "/.hub/v1" + path, parameters, body: body)
    }

    private var namespaceParameter: [(name: String, value: String)] { namespace.map { [("ns", $0)] } ?? [] }

    private func request(
        _ method: String, _ path: String, _ parameters: [(name: String, value: String)], body: HTTPBody?
    ) -> HTTPRequest {
        var parameters = parameters
        var headers: [(name: String, value: String)] = []
        switch credential {
        case .administrator(let secret): headers.append(("Authorization", "Bearer \(secret)"))
        case .identityToken(let token): parameters.append(("auth", token))
        case nil: break
        }
        return HTTPRequest(
            method: method, url: address.text + path + PercentEncoding.query(parameters), headers: headers, body: body,
            authorities: authorities, isLocal: address.isLoopback)
    }
}
