/// Entity tags in a REST request: which one it expects, and whether it wants to know one (`protocol/rest.md`,
/// "Conditions").
package struct RestConditions: Equatable, Sendable {
    /// A put or delete happens only if the node has this tag.
    package var ifMatch: String?
    /// A get has an answer only if the node has another tag. Its answer carries the tag.
    package var ifNoneMatch: String?
    /// Whether the answer shall carry the tag: asked for by `X-Firebase-ETag`, or of use for who sent a condition.
    package var wantsETag = false

    package init() {}

    init(
        _ head: RestHead, _ operation: RestRequest.Operation, isStream: Bool, isQuery: Bool, isShallow: Bool,
        isSilent: Bool
    ) throws(RestError) {
        let asks = head.firebaseETag?.lowercased() == "true"
        let isConditional = Self.isPresent(head.ifMatch) || !isStream && Self.isPresent(head.ifNoneMatch)
        if isConditional, isQuery || isShallow || isSilent {
            throw RestError(
                text: "Mixing 'shallow', querying parameters or 'print=silent' and if-match or if-none-match requests "
                    + "is not supported")
        }
        switch operation {
        case .get:
            try Self.refuse(head.ifMatch, "if-match is not supported on GET requests")
            // Caches ask about pages, not about streams.
            guard !isStream else { return }
            ifNoneMatch = try Self.tag(head.ifNoneMatch, "if-none-match")
            if asks, isQuery, !isShallow {
                throw RestError(text: "Mixing querying parameters and ETag requests is not supported")
            }
            if asks, isShallow { throw RestError(text: "Mixing 'shallow' and etag requests is not supported") }
        case .put, .delete:
            ifMatch = try Self.tag(head.ifMatch, "if-match")
            try Self.refuse(head.ifNoneMatch, "if-none-match is supported on GET requests only")
        case .post:
            try Self.refuse(head.ifMatch, "if-match is not supported on POST requests")
            try Self.refuse(head.ifNoneMatch, "if-none-match is supported on GET requests only")
        case .patch:
            try Self.refuse(head.ifMatch, "if-match is not supported on PATCH requests")
            try Self.refuse(head.ifNoneMatch, "if-none-match is supported on GET requests only")
            if asks { throw RestError(text: "ETag requests are not supported on PATCH requests") }
        }
        wantsETag = asks || ifMatch != nil || ifNoneMatch != nil
    }

    private static func isPresent(_ header: String?) -> Bool { header?.isEmpty == false }

    private static func refuse(_ header: String?, _ text: String) throws(RestError) {
        if isPresent(header) { throw RestError(text: text) }
    }

    private static func tag(_ header: String?, _ name: String) throws(RestError) -> String? {
        guard let header, !header.isEmpty else { return nil }
        guard let tag = RestETag.tag(inCondition: header) else {
            throw RestError(text: "\(name) must hold exactly one ETag; lists and * are not supported")
        }
        return tag
    }
}
