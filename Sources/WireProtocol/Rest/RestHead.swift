/// What a REST request says before its body.
///
/// Path and arguments are as the web server decodes them: percent escapes resolved, and in arguments a bare `+` is a
/// space, so that a plus that is still there was sent as `%2B`. Empty header values count as absent.
package struct RestHead: Sendable {
    /// `GET`, `PUT`, … in capitals.
    package var method: String
    /// With its leading slash and its suffix `.json`, without the query.
    package var path: String
    package var arguments: [(name: String, value: String)]
    package var accept: String?
    package var authorization: String?
    package var ifMatch: String?
    package var ifNoneMatch: String?
    /// `X-Firebase-ETag`.
    package var firebaseETag: String?
    /// `X-HTTP-Method-Override`.
    package var methodOverride: String?

    package init(
        method: String, path: String, arguments: [(name: String, value: String)] = [], accept: String? = nil,
        authorization: String? = nil, ifMatch: String? = nil, ifNoneMatch: String? = nil, firebaseETag: String? = nil,
        methodOverride: String? = nil
    ) {
        self.method = method
        self.path = path
        self.arguments = arguments
        self.accept = accept
        self.authorization = authorization
        self.ifMatch = ifMatch
        self.ifNoneMatch = ifNoneMatch
        self.firebaseETag = firebaseETag
        self.methodOverride = methodOverride
    }

    /// The first value given under `name`.
    func argument(_ name: String) -> String? { arguments.first { $0.name == name }?.value }
}
