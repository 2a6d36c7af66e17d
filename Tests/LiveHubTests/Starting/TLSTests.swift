import DataTree
import Glibc
import TestSupport
import Testing

@Suite("a hub with TLS", .blocking, .serialized)
struct TLSTests {
    private let folder = TemporaryFolder()

    private func makeCertificate(named name: String) throws {
        let (exit, _, error) = try HubProcess.run(command: [
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", folder.path(of: "key.pem"), "-out", folder.path(of: "certificate.pem"), "-days", "2", "-subj",
            "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1",
        ])
        guard exit == .code(0) else { throw DeviceError.missing("openssl made no certificate: \(error)") }
    }

    private func servedName(port: Int) throws -> String {
        let (_, output, error) = try HubProcess.run(command: [
            "/usr/bin/openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-alpn", "http/1.1,h2",
        ])
        let subject = (output + error).split(separator: "\n").first { $0.hasPrefix("subject=") } ?? "none"
        return String(subject)
    }

    private func start() throws -> HubProcess {
        try HubProcess(
            "--dev", "--tls-cert", folder.path(of: "certificate.pem"), "--tls-key", folder.path(of: "key.pem"))
    }

    /// A client over TLS; the pipe must live as long as it does.
    private func connect(_ hub: HubProcess) throws -> (pipe: TLSPipe, device: TestDevice) {
        let pipe = try TLSPipe(port: hub.port)
        let client = try RawWebSocketClient(connected: pipe.socket, hostHeader: "127.0.0.1:\(hub.port)")
        return (pipe, try TestDevice(client))
    }

    @Test("serves clients on TLS, and takes a new certificate at SIGHUP without cutting them off")
    func reload() throws {
        try makeCertificate(named: "first")
        let hub = try start()
        let (adaPipe, ada) = try connect(hub)
        defer { withExtendedLifetime(adaPipe) {} }
        let (bobPipe, bob) = try connect(hub)
        defer { withExtendedLifetime(bobPipe) {} }
        try bob.listen("/room")
        try ada.put("/room/a", #""\#(String(repeating: "long ", count: 20_000))""#)
        try bob.pump("the long value") { bob.view.node(at: "room/a").textLength == 100_000 }
        _ = try bob.takePushes()
        #expect(try servedName(port: hub.port).contains("first"))

        try makeCertificate(named: "second")
        hub.send(signal: SIGHUP)
        let deadline = ContinuousClock.now + .seconds(10)
        while try !servedName(port: hub.port).contains("second"), ContinuousClock.now < deadline { usleep(50_000) }
        #expect(try servedName(port: hub.port).contains("second"))
        try ada.put("/room/b", "2")
        try bob.expectPush("d", "room/b", "2")

        // A file that is no certificate changes nothing.
        folder.write("no certificate", to: "certificate.pem")
        hub.send(signal: SIGHUP)
        try ada.ping()
        #expect(try servedName(port: hub.port).contains("second"))
        let (evePipe, eve) = try connect(hub)
        defer { withExtendedLifetime(evePipe) {} }
        try eve.ping()
        #expect(try hub.stop() == .code(0))
    }

    @Test("carries large values both ways")
    func large() throws {
        try makeCertificate(named: "first")
        let hub = try start()
        let (adaPipe, ada) = try connect(hub)
        defer { withExtendedLifetime(adaPipe) {} }
        let text = "\"" + String(repeating: "längere Zeile ", count: TestScale.pick(200_000, short: 20_000)) + "\""
        try ada.put("/a", text)
        try ada.put("/b", text)
        let (bobPipe, bob) = try connect(hub)
        defer { withExtendedLifetime(bobPipe) {} }
        try bob.listen("/")
        #expect(try bob.view == Node(json: #"{"a":\#(text),"b":\#(text)}"#))
        try bob.ping()
    }

    @Test("answers nothing to plain text on its port, and goes on")
    func plainText() throws {
        try makeCertificate(named: "first")
        let hub = try start()
        let plain = try RawSocket(port: hub.port)
        try plain.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        var answer: [UInt8] = []
        var end: RawSocketError?
        while end == nil {
            do throws(RawSocketError) {
                answer += try plain.receive(until: .now + .seconds(10))
            } catch {
                end = error
            }
        }
        #expect(end == .ended || end == .reset)
        #expect(!String(decoding: answer, as: UTF8.self).contains("status"))
        let (adaPipe, ada) = try connect(hub)
        defer { withExtendedLifetime(adaPipe) {} }
        try ada.put("/a", "1")
    }

    @Test("does not start without a certificate that works")
    func noCertificate() throws {
        let (exit, _, error) = try HubProcess.run([
            "serve", "--dev", "--memory", "--port", "0", "--tls-cert", folder.path(of: "nothing.pem"), "--tls-key",
            folder.path(of: "nothing.key"),
        ])
        #expect(exit == .code(1))
        #expect(error.contains("nothing.pem") && error.contains("--tls-cert"))
    }
}
