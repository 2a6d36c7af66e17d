import CLibwebsockets

/// The head of a request, read from libwebsockets while it still has it.
struct RequestHead {
    let socket: OpaquePointer

    /// A header's value, or nil when it is absent or does not fit libwebsockets' limits.
    func header(_ token: lws_token_indexes) -> String? {
        let count = Int(lws_hdr_total_length(socket, token))
        guard count > 0 else { return nil }
        var bytes = [CChar](repeating: 0, count: count + 1)
        guard lws_hdr_copy(socket, &bytes, Int32(bytes.count), token) >= 0 else { return nil }
        return RequestHead.text(bytes.prefix(count))
    }

    /// The value of a header that libwebsockets has no token for; `name` in lower case, with its colon.
    func custom(_ name: String) -> String? {
        let count = Int(lws_hdr_custom_length(socket, name, Int32(name.utf8.count)))
        guard count > 0 else { return nil }
        var bytes = [CChar](repeating: 0, count: count + 1)
        let copied = lws_hdr_custom_copy(socket, &bytes, Int32(bytes.count), name, Int32(name.utf8.count))
        guard copied >= 0 else { return nil }
        return RequestHead.text(bytes.prefix(count))
    }

    /// The method and the path. libwebsockets has decoded percent escapes in the path and folded `//` and `..`.
    var target: (method: HTTPMethod, path: String)? {
        for method in HTTPMethod.allCases {
            if let path = header(method.token) { return (method, path) }
        }
        return nil
    }

    /// Whether a header that is there is UTF-8.
    func isText(_ token: lws_token_indexes) -> Bool {
        let count = Int(lws_hdr_total_length(socket, token))
        var bytes = [CChar](repeating: 0, count: count + 1)
        guard lws_hdr_copy(socket, &bytes, Int32(bytes.count), token) >= 0 else { return false }
        return String(validating: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) != nil
    }

    /// The query's arguments in order, decoded; an argument without `=` has an empty value.
    var arguments: [(name: String, value: String)] {
        var arguments: [(name: String, value: String)] = []
        var index: Int32 = 0
        while true {
            let count = Int(lws_hdr_fragment_length(socket, WSI_TOKEN_HTTP_URI_ARGS, index))
            if count == 0 {
                // One that is empty (`&&`), or the end: only copying tells.
                var nothing: CChar = 0
                guard lws_hdr_copy_fragment(socket, &nothing, 1, WSI_TOKEN_HTTP_URI_ARGS, index) >= 0 else {
                    return arguments
                }
                index += 1
                continue
            }
            var bytes = [CChar](repeating: 0, count: count + 1)
            let copied = lws_hdr_copy_fragment(socket, &bytes, Int32(bytes.count), WSI_TOKEN_HTTP_URI_ARGS, index)
            guard copied >= 0 else { return arguments }
            let text = bytes.prefix(count)
            let separator = text.firstIndex(of: CChar(UInt8(ascii: "="))) ?? text.endIndex
            arguments.append((RequestHead.text(text[..<separator]), RequestHead.text(text[separator...].dropFirst())))
            index += 1
        }
    }

    /// The credential of an `Authorization: Bearer` header or an `auth` argument.
    func credential(_ arguments: [(name: String, value: String)]) -> String? {
        if let header = header(WSI_TOKEN_HTTP_AUTHORIZATION), header.lowercased().hasPrefix("bearer ") {
            return String(header.dropFirst(7).drop { $0 == " " })
        }
        return arguments.first { $0.name.utf8.elementsEqual("auth".utf8) }?.value
    }

    private static func text(_ bytes: some Collection<CChar>) -> String {
        String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The methods that libwebsockets tells apart.
enum HTTPMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case head = "HEAD"

    /// The methods with which libwebsockets reads a body in chunks, or one whose end is not told.
    static let withBody: [HTTPMethod] = [.post, .put, .patch]

    var takesBody: Bool { Self.withBody.contains(self) }

    var token: lws_token_indexes {
        switch self {
        case .get: WSI_TOKEN_GET_URI
        case .post: WSI_TOKEN_POST_URI
        case .put: WSI_TOKEN_PUT_URI
        case .patch: WSI_TOKEN_PATCH_URI
        case .delete: WSI_TOKEN_DELETE_URI
        case .options: WSI_TOKEN_OPTIONS_URI
        case .head: WSI_TOKEN_HEAD_URI
        }
    }
}
