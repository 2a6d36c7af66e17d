import HubEngine
import TestSupport
import Testing

@testable import Gateway

extension LiveTests {
    @Suite("HTTP on the same port")
    struct HTTPTests {
        private func get(_ hub: LiveGateway, _ target: String, _ lines: String...) throws -> RawResponse {
            let head = ["GET \(target) HTTP/1.1", "Host: x"] + lines
            return try RawWebSocketClient.http(port: hub.port, head.joined(separator: "\r\n") + "\r\n\r\n")
        }

        @Test("tells that the hub is well")
        func health() throws {
            let hub = try LiveGateway()
            let answer = try get(hub, "/healthz")
            #expect(answer.status == 200)
            #expect(answer.body == "{\"status\":\"ok\"}")
            #expect(answer.header("content-type") == "application/json; charset=utf-8")
        }

        @Test("shows the metrics, to whom they are meant for")
        func metrics() throws {
            let open = try LiveGateway()
            let page = try get(open, "/metrics")
            #expect(page.status == 200)
            #expect(page.body.contains("hearth_connections{transport=\"websocket\"} 0\n"))
            let closed = try LiveGateway { $0.mayReadMetrics = { $0 == "s3cret" } }
            #expect(try get(closed, "/metrics").status == 401)
            #expect(try get(closed, "/metrics").body.contains("--metrics-open"))
            #expect(try get(closed, "/metrics", "Authorization: Bearer wrong").status == 401)
            #expect(try get(closed, "/metrics", "Authorization: Bearer s3cret").status == 200)
            #expect(try get(closed, "/metrics?auth=s3cret").status == 200)
        }

        @Test("answers elsewhere with 404 and a help")
        func notFound() throws {
            let hub = try LiveGateway()
            let answer = try get(hub, "/no/such/\"path\"")
            #expect(answer.status == 404)
            #expect(answer.body.hasPrefix("append .json"))
        }

        @Test("says at /.ws that a WebSocket is wanted")
        func noUpgrade() throws {
            let hub = try LiveGateway()
            let answer = try get(hub, "/.ws?ns=demo")
            #expect(answer.status == 426)
            #expect(answer.header("upgrade") == "websocket")
            #expect(answer.body.contains("proxy"))
        }

        @Test("keeps a connection for several requests, and leaves the body out for HEAD")
        func keepAlive() throws {
            let hub = try LiveGateway()
            let socket = try RawSocket(port: hub.port)
            for _ in 0..<3 {
                try socket.send(Array("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
                #expect(try RawWebSocketClient.readResponse(socket).response.status == 200)
            }
            try socket.send(Array("HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8))
            var rest: [UInt8] = []
            while let bytes = try? socket.receive(until: .now + .seconds(5)) { rest += bytes }
            #expect(String(decoding: rest, as: UTF8.self).hasSuffix("\r\n\r\n"))
        }

        @Test("refuses a body in chunks with 411 where libwebsockets would take it for the next request")
        func chunks() throws {
            let hub = try LiveGateway()
            let answer = try RawWebSocketClient.http(
                port: hub.port,
                "DELETE /a.json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            #expect(answer.status == 411)
            #expect(answer.header("connection") == "close")
        }

        @Test("ends a connection whose request has a body of unknown length")
        func unknownLength() throws {
            let hub = try LiveGateway()
            let answer = try RawWebSocketClient.http(port: hub.port, "PUT /a.json HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(answer.status == 400)
            #expect(answer.header("connection") == "close")
        }

        @Test("ends a connection at once behind an answer that comes from elsewhere, if its client wants that")
        func closing() throws {
            let route = HTTPRoute(matches: { $0 == "/later" }) { _, respond in
                // On another thread, as the answers of the engine.
                _ = Worker { respond(HTTPResponse(status: 200, contentType: "text/plain", body: "late")) }
            }
            let hub = try LiveGateway(routes: [route])
            let socket = try RawSocket(port: hub.port)
            try socket.send(Array("GET /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8))
            var text: [UInt8] = []
            // Far less than it took when libwebsockets was left to find the time.
            #expect(throws: RawSocketError.ended) {
                while true { text += try socket.receive(until: .now + .seconds(8)) }
            }
            #expect(String(decoding: text, as: UTF8.self).hasSuffix("late"))
        }

        @Test("serves further routes")
        func routes() throws {
            let route = HTTPRoute(matches: { $0.hasPrefix("/hello/") }) { request in
                HTTPResponse(
                    status: 200, contentType: "text/plain",
                    body: "\(request.method) \(request.path) \(request.remoteAddress)")
            }
            let hub = try LiveGateway(routes: [route])
            #expect(try get(hub, "/hello/you").body == "GET /hello/you 127.0.0.1")
        }
    }
}

extension LiveTests {
    @Suite("Starting a gateway")
    struct StartTests {
        @Test("fails clearly when another hub has the port")
        func portInUse() throws {
            let hub = try LiveGateway()
            #expect {
                try LiveGateway { $0.endpoint.port = hub.port }
            } throws: { error in
                "\(error)"
                    == "port \(hub.port) on 127.0.0.1 is in use by another program; stop it or choose another port with --port"
            }
        }

        @Test("fails clearly at an address that is not this machine's")
        func address() throws {
            #expect {
                try LiveGateway { $0.endpoint.host = "203.0.113.1" }
            } throws: { error in
                "\(error)".hasSuffix("check --host and --port")
            }
        }

        @Test("fails clearly without the certificate's files")
        func certificate() throws {
            #expect {
                try LiveGateway { $0.tls = .init(certificate: "/nonexistent/cert.pem", key: "/nonexistent/key.pem") }
            } throws: { error in
                "\(error)"
                    == "TLS does not work with /nonexistent/cert.pem and /nonexistent/key.pem: "
                    + "the certificate file cannot be read; check --tls-cert and --tls-key"
            }
        }

        @Test("listens on IPv6 too")
        func version6() throws {
            let hub = try LiveGateway { $0.endpoint.host = "::1" }
            #expect(hub.port > 0)
        }

        @Test("leaves the port free again when it stops")
        func freed() throws {
            let port = try LiveGateway().port
            let again = try LiveGateway { $0.endpoint.port = port }
            #expect(again.port == port)
        }
    }
}
