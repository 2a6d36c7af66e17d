import Glibc
import HubEngine
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

extension LiveTests {
    /// With the `openssl` command as the client.
    @Suite("TLS")
    struct TLSTests {
        private let folder = TemporaryFolder()
        private var certificate: String { folder.path(of: "cert.pem") }
        private var key: String { folder.path(of: "key.pem") }

        /// The output of a shell command.
        @discardableResult
        private func shell(_ command: String) throws -> String {
            let pipe = try #require(popen(command, "r"))
            var output: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = fread(&buffer, 1, buffer.count, pipe)
                if count == 0 { break }
                output += buffer[..<count]
            }
            pclose(pipe)
            return String(decoding: output, as: UTF8.self)
        }

        private func size(of file: String) throws -> Int {
            Int(try shell("wc -c <\(file)").filter { $0.isNumber }) ?? 0
        }

        private func makeCertificate(name: String) throws {
            try shell(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) "
                    + "-keyout \(key) -out \(certificate) 2>&1")
        }

        private func secureHub() throws -> LiveGateway {
            try LiveGateway { $0.tls = .init(certificate: certificate, key: key) }
        }

        /// The name in the certificate that a new connection is shown.
        private func shownName(_ hub: LiveGateway) throws -> String {
            try shell(
                "timeout -s KILL 10 openssl s_client -connect 127.0.0.1:\(hub.port) </dev/null 2>/dev/null "
                    + "| openssl x509 -noout -subject 2>/dev/null")
        }

        @Test("serves HTTP, and agrees on http/1.1 with clients that would rather have h2")
        func http() throws {
            try makeCertificate(name: "first")
            let hub = try secureHub()
            let output = try shell(
                "(printf 'GET /healthz HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'; sleep 1) "
                    + "| timeout -s KILL 10 openssl s_client -connect 127.0.0.1:\(hub.port) -alpn h2,http/1.1 2>/dev/null"
            )
            #expect(output.contains("ALPN protocol: http/1.1"))
            #expect(output.contains("{\"status\":\"ok\"}"))
        }

        @Test("carries a WebSocket session, long messages included")
        func webSocket() async throws {
            try makeCertificate(name: "first")
            let hub = try secureHub()
            let input = folder.path(of: "input")
            let upgrade = RawWebSocketClient.upgradeRequest(path: "/.ws?ns=demo", host: "x")
            let bytes = Array(upgrade.utf8) + RawFrame(.text, Array("over TLS".utf8)).bytes()
            let file = try #require(fopen(input, "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
            let output = folder.path(of: "output")
            let client =
                "(cat \(input); sleep 4) | timeout -s KILL 5 openssl s_client -connect 127.0.0.1:\(hub.port) -quiet"
            try shell("(\(client) >\(output) 2>/dev/null) >/dev/null 2>&1 &")
            try await eventually("the message") { hub.sink().texts == ["over TLS"] }
            let id = try #require(hub.sink().openings.first?.id)
            let long = Frame("\"" + String(repeating: "0123456789", count: 100_000) + "\"")
            hub.post(.frame(Frame("before"), to: id), .frame(long, to: id), .frame(Frame("after"), to: id))
            let expected = Frame("before").bytes + long.bytes + Frame("after").bytes
            try await eventually("all bytes") { try size(of: output) > expected.count }
            try await eventually("the end") { hub.sink().ends.count == 1 }
        }

        @Test("shows new clients the new certificate after a reload, and the old one while the files are broken")
        func reload() async throws {
            try makeCertificate(name: "first")
            let hub = try secureHub()
            #expect(try shownName(hub).contains("CN = first"))
            try shell("echo broken >\(certificate)")
            hub.gateway.reloadCertificates()
            #expect(try shownName(hub).contains("CN = first"))
            try makeCertificate(name: "second")
            hub.gateway.reloadCertificates()
            try await eventually("the new one") { try self.shownName(hub).contains("CN = second") }
        }

        @Test("does not start with a key of another certificate")
        func wrongKey() throws {
            try makeCertificate(name: "first")
            try shell("cp \(certificate) \(certificate).first")
            try makeCertificate(name: "second")
            try shell("mv \(certificate).first \(certificate)")
            #expect {
                try secureHub()
            } throws: { error in
                "\(error)".contains("does not belong to the certificate")
            }
        }

        @Test("is not spoken by those who speak plainly, and they harm nobody")
        func plain() throws {
            try makeCertificate(name: "first")
            let hub = try secureHub()
            for _ in 0..<20 {
                let client = try RawSocket(port: hub.port)
                try? client.send(Array("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
                client.reset()
            }
            #expect(try shownName(hub).contains("CN = first"))
        }
    }
}
