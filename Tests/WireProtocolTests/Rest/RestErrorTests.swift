import Testing
import WireProtocol

@Suite("Refusals of REST requests")
struct RestErrorTests {
    @Test("64, the body of a refusal is pretty and ends with a newline")
    func body() {
        let body = RestError.permissionDenied.body
        #expect(String(decoding: body, as: UTF8.self) == "{\n  \"error\" : \"Permission denied\"\n}\n")
        #expect(body.count == 36)
        #expect(
            String(decoding: RestError(text: "1:2: \"x\"\n").body, as: UTF8.self)
                == "{\n  \"error\" : \"1:2: \\\"x\\\"\\n\"\n}\n")
    }

    @Test("27, without its suffix a request is answered with text, not JSON")
    func plain() {
        let error = RestError(status: 404, text: "append", isPlainText: true)
        #expect(error.body == Array("append".utf8))
        #expect(error.contentType == "text/plain; charset=utf-8")
        #expect(RestError.invalidToken.contentType == "application/json; charset=utf-8")
    }
}
