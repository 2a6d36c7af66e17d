import TestSupport
import Testing

@testable import hearth

@Suite("the HTTP client", .blocking)
struct HTTPClientTests {
    private func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url, isLocal: true) }

    /// The answer and what came with it.
    private func send(_ request: HTTPRequest) throws -> (answer: HTTPAnswer, body: String) {
        var body: [UInt8] = []
        let answer = try HTTPClient.send(request) { body.append(contentsOf: $0) }
        return (answer, String(decoding: body, as: UTF8.self))
    }

    /// The problem in place of an answer; nil when there is an answer.
    private func problem(_ request: HTTPRequest) -> HTTPProblem? {
        do throws(HTTPProblem) {
            _ = try HTTPClient.send(request) { _ in }
            return nil
        } catch {
            return error
        }
    }

    @Test("hands a success to the receiver, and keeps a refusal")
    func answers() throws {
        let peer = try ScriptedPeer(
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull", "HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\n{}")
        let (success, body) = try send(get(peer.url + "/a.json?auth=hush"))
        #expect(success == HTTPAnswer(status: 200) && body == "null")
        var request = get(peer.url + "/../b.json")
        request.headers = [("Authorization", "Bearer hush")]
        let (refused, nothing) = try send(request)
        #expect(refused == HTTPAnswer(status: 401, refusal: Array("{}".utf8)) && nothing.isEmpty)
        let requests = try peer.requests()
        #expect(requests[0].hasPrefix("GET /a.json?auth=hush HTTP/1.1\r\n"))
        #expect(requests[0].contains("User-Agent: hearth/\(Version.current)\r\n"))
        #expect(requests[1].hasPrefix("GET /../b.json HTTP/1.1\r\n"))
        #expect(requests[1].contains("Authorization: Bearer hush\r\n"))
    }

    @Test("sends a body with its length, and at once when it is short")
    func body() throws {
        let peer = try ScriptedPeer("HTTP/1.1 204 OK\r\n\r\n", bodyBytes: 5)
        var request = HTTPRequest(method: "PATCH", url: peer.url + "/", isLocal: true)
        request.body = HTTPBody(source: ByteSource("[1,2]"))
        #expect(try send(request).answer.status == 204)
        let text = try peer.requests()[0]
        #expect(text.hasPrefix("PATCH / HTTP/1.1\r\n") && text.hasSuffix("\r\n\r\n[1,2]"))
        #expect(text.contains("Content-Length: 5\r\n") && text.contains("Content-Type: application/json\r\n"))
        #expect(!text.contains("Expect:") && !text.contains("chunked"))
    }

    @Test("follows where it is sent, but not with a body")
    func redirections() throws {
        let peer = try ScriptedPeer(
            "HTTP/1.1 307 There\r\nLocation: /b?auth=x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n5")
        #expect(try send(get(peer.url + "/a")).body == "5")
        #expect(try peer.requests()[1].hasPrefix("GET /b?auth=x HTTP/1.1\r\n"))
        let other = try ScriptedPeer(
            "HTTP/1.1 307 There\r\nLocation: https://x/?auth=hush\r\nContent-Length: 0\r\n\r\n", bodyBytes: 1)
        var request = HTTPRequest(method: "PUT", url: other.url, isLocal: true)
        request.body = HTTPBody(source: ByteSource("5"))
        #expect(problem(request) == .unreachable("\(other.url) sends writes on to https://x; give that as --url"))
    }

    @Test(
        "knows an answer that is cut off from a whole one, and names no secret",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnull",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnull\r\n", "",
        ])
    func cutOff(answer: String) throws {
        let peer = try ScriptedPeer(answer)
        guard case .broken(let text) = problem(get(peer.url + "/?auth=hush")) else {
            Issue.record("it is taken for an answer")
            return
        }
        #expect(text.contains(peer.url) && !text.contains("hush"))
    }

    @Test("says where nobody answers, and not what was asked")
    func nobody() throws {
        let peer = try ScriptedPeer("")
        _ = problem(get(peer.url))
        // The port is free again: the peer has given all its answers.
        _ = try peer.requests()
        let text = "no hub answers at \(peer.url); start one with hearth serve, or name another with --url"
        #expect(problem(get(peer.url + "/a?auth=hush")) == .unreachable(text))
    }

    @Test("ends when the receiver, or what is sent, cannot go on")
    func stops() throws {
        let peer = try ScriptedPeer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull")
        #expect(throws: HTTPProblem.stopped(.readerGone)) {
            try HTTPClient.send(get(peer.url)) { _ throws(CommandProblem) in throw .readerGone }
        }
        let other = try ScriptedPeer("")
        var request = HTTPRequest(method: "PUT", url: other.url, isLocal: true)
        request.body = HTTPBody(
            source: ByteSource(length: 9) { _ throws(CommandProblem) in throw .failure("gone; check the disk") })
        #expect(problem(request) == .stopped(.failure("gone; check the disk")))
    }
}
