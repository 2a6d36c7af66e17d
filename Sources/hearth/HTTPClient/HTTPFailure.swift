import CCurl

/// What libcurl says when a transfer fails, in sentences that say what to do.
struct HTTPFailure {
    private let code: CURLcode
    /// libcurl's own words; they name hosts and files, never what is sent.
    private let reason: String
    /// The address as it may be shown.
    private let host: String

    init(_ code: CURLcode, reason: String, host: String) {
        self.code = code
        let words = hearth.shown(reason)
        self.reason = words.last == " " ? String(words.dropLast()) : words
        self.host = host
    }

    var problem: HTTPProblem {
        switch code {
        case CURLE_COULDNT_CONNECT:
            .unreachable("no hub answers at \(host); start one with hearth serve, or name another with --url")
        case CURLE_COULDNT_RESOLVE_HOST:
            .unreachable("nobody knows the host of \(host); check --url")
        case CURLE_COULDNT_RESOLVE_PROXY:
            .unreachable("nobody knows the proxy that the environment names; check http_proxy and https_proxy")
        case CURLE_PEER_FAILED_VERIFICATION:
            .unreachable("the certificate of \(host) is not trusted (\(reason)); name its authority with --ca FILE")
        case CURLE_SSL_CACERT_BADFILE:
            .unreachable("the file of --ca cannot be read as certificates; give a PEM file")
        case CURLE_SSL_CONNECT_ERROR:
            .unreachable("\(host) does not speak TLS as it should (\(reason)); check whether --url begins with http://")
        case CURLE_URL_MALFORMAT:
            .unreachable("\(host) is no address of a hub; give --url http://HOST:PORT")
        case CURLE_TOO_MANY_REDIRECTS:
            .unreachable("\(host) sends requests on without end; check --url")
        case CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            .broken("\(host) does not answer in HTTP; check --url, and whether it wants https://")
        case CURLE_OPERATION_TIMEDOUT:
            .broken("\(host) has been silent for too long (\(reason)); try again")
        default:
            .broken("the connection to \(host) broke (\(reason)); try again")
        }
    }
}
