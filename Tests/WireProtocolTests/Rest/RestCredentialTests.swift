import Testing
import WireProtocol

@Suite("Credentials of REST requests")
struct RestCredentialTests {
    @Test("they are found in arguments and in the header, whatever else is wrong with the request")
    func found() {
        let head = RestHead(
            method: "TRACE", path: "/$$$",
            arguments: [
                ("auth", "t.o.k"), ("access_token", "x"), ("auth_variable_override", #"{"uid":"u"}"#),
                ("auth", "other"),
            ],
            authorization: "bearer  owner")
        let credential = RestCredential(head)
        #expect(credential.auth == "t.o.k")
        #expect(credential.accessToken == "x")
        #expect(credential.bearer == "owner")
        #expect(credential.authVariableOverride == #"{"uid":"u"}"#)
        #expect(!credential.isEmpty)
    }

    @Test("what is empty or of another scheme is none", arguments: [nil, "", "Bearer", "Bearer ", "Basic abc"])
    func none(authorization: String?) {
        let head = RestHead(method: "GET", path: "/.json", arguments: [("auth", "")], authorization: authorization)
        #expect(RestCredential(head).isEmpty)
    }
}
