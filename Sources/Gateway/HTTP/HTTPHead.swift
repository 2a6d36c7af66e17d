import CLibwebsockets
import HubEngine

/// The head of an HTTP request, copied while libwebsockets still has it.
struct HTTPHead {
    var method: HTTPMethod
    /// Decoded by libwebsockets, without the query; `//` and `..` are folded.
    var path: String
    /// The path is not UTF-8; what stands in its place has other characters.
    var hasBrokenPath: Bool
    /// Decoded, in order.
    var arguments: [(name: String, value: String)]
    var framing: HTTPFraming
    var host: String
    var accept: String?
    var acceptEncoding: String?
    var authorization: String?
    var contentEncoding: String?
    var contentType: String?
    var expectsContinue: Bool
    var ifMatch: String?
    var ifNoneMatch: String?
    var firebaseETag: String?
    var methodOverride: String?
    /// Of a preflight: the headers that a page wants to send.
    var requestedHeaders: String?
    var userAgent: String
    /// The client's address, behind trusted proxies the one that they name.
    var remoteAddress = ""
    var isAdministrative = false
    /// Chunks and keep-alive are understood.
    var isHTTP11: Bool

    /// Nil for a method that libwebsockets does not tell.
    init?(_ head: RequestHead) {
        guard let (method, path) = head.target else { return nil }
        self.method = method
        self.path = path
        hasBrokenPath = path.unicodeScalars.contains("\u{FFFD}") && !head.isText(method.token)
        arguments = head.arguments
        framing = HTTPFraming(head)
        host = head.header(WSI_TOKEN_HOST) ?? ""
        accept = head.header(WSI_TOKEN_HTTP_ACCEPT)
        acceptEncoding = head.header(WSI_TOKEN_HTTP_ACCEPT_ENCODING)
        authorization = head.header(WSI_TOKEN_HTTP_AUTHORIZATION)
        userAgent = head.header(WSI_TOKEN_HTTP_USER_AGENT) ?? ""
        isHTTP11 = head.header(WSI_TOKEN_HTTP).map { $0.hasSuffix("1.1") } ?? false
        ifMatch = head.header(WSI_TOKEN_HTTP_IF_MATCH)
        ifNoneMatch = head.header(WSI_TOKEN_HTTP_IF_NONE_MATCH)
        firebaseETag = head.custom("x-firebase-etag:")
        methodOverride = method == .post ? head.custom("x-http-method-override:") : nil
        requestedHeaders = method == .options ? head.header(WSI_TOKEN_HTTP_AC_REQUEST_HEADERS) : nil
        let hasBody = framing != .none
        contentEncoding = hasBody ? head.header(WSI_TOKEN_HTTP_CONTENT_ENCODING) : nil
        contentType = hasBody ? head.header(WSI_TOKEN_HTTP_CONTENT_TYPE) : nil
        expectsContinue = hasBody && head.header(WSI_TOKEN_HTTP_EXPECT)?.lowercased() == "100-continue"
    }

    /// The first argument of that name.
    func argument(_ name: String) -> String? {
        arguments.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The namespace that the query names. One that is named twice, or empty, is not named.
    var namespaceArgument: String? {
        let named = arguments.filter { $0.name.utf8.elementsEqual("ns".utf8) }
        return named.count == 1 ? named[0].value : nil
    }

    /// The `auth` argument; an empty one says nothing.
    var token: String? { argument("auth").flatMap { $0.isEmpty ? nil : $0 } }

    /// Who asks, as the request says it.
    var access: CallCredential { CallCredential(token: token, bearer: bearer) }

    /// The bearer token, or the `access_token` argument, which stands for one.
    var bearer: String? {
        if let accessToken = argument("access_token"), !accessToken.isEmpty { return accessToken }
        guard let authorization, authorization.utf8.count > 7, authorization.prefix(7).lowercased() == "bearer "
        else { return nil }
        return String(authorization.dropFirst(7).drop { $0 == " " })
    }
}

/// Where the body of a request ends (RFC 9112 section 6).
enum HTTPFraming: Equatable {
    case none
    case length(Int)
    /// In chunks, which libwebsockets passes on as they are.
    case chunked
    /// A method with a body, and nothing said about it: libwebsockets takes what follows for the body.
    case unsaid
    case invalid(String)

    init(_ head: RequestHead) {
        let length = head.header(WSI_TOKEN_HTTP_CONTENT_LENGTH)
        if let coding = head.header(WSI_TOKEN_HTTP_TRANSFER_ENCODING) {
            guard length == nil else {
                self = .invalid("a request has either Content-Length or Transfer-Encoding, not both")
                return
            }
            self = coding.lowercased() == "chunked" ? .chunked : .invalid("the only transfer coding known is chunked")
            return
        }
        if let length {
            // What does not look like one number is taken for another by somebody else on the way.
            guard length.utf8.count <= 18, let count = UInt64(length), length.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 })
            else {
                self = .invalid("Content-Length must be a number")
                return
            }
            self = count == 0 ? .none : .length(Int(count))
            return
        }
        let mayHaveBody = HTTPMethod.withBody.contains { lws_hdr_total_length(head.socket, $0.token) > 0 }
        self = mayHaveBody ? .unsaid : .none
    }
}
