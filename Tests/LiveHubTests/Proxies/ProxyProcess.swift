import Glibc
import TestSupport

/// A proxy of the system in front of a hub, with the file of `protocol/proxies` that people copy.
final class ProxyProcess {
    enum Kind: String, CaseIterable {
        case nginx = "/usr/sbin/nginx"
        case caddy = "/usr/bin/caddy"

        var isInstalled: Bool { access(rawValue, X_OK) == 0 }
    }

    let port: Int
    private let folder = TemporaryFolder()
    private let process: ChildProcess

    /// - Parameter readSeconds: how long nginx waits for the hub; 60 unless given, as it does by itself.
    init(_ kind: Kind, hub: HubProcess, readSeconds: Int? = nil) throws {
        port = try ProxyProcess.freePort()
        let command: [String]
        switch kind {
        case .nginx:
            let site = try ProxyProcess.file("nginx.conf", from: hub.port, to: port)
            command = [
                kind.rawValue, "-e", folder.path(of: "log"), "-c",
                ProxyProcess.nginx(site, in: folder, readSeconds: readSeconds),
            ]
        case .caddy:
            let site = try ProxyProcess.file("Caddyfile", from: hub.port, to: port)
            let file = folder.write("{\n\tadmin off\n\tauto_https off\n}\n\n" + site, to: "Caddyfile")
            // Caddy keeps its own things under HOME.
            command = [
                "/usr/bin/env", "HOME=\(folder.path)", kind.rawValue, "run", "--adapter", "caddyfile", "--config", file,
            ]
        }
        guard
            let process = ChildProcess(command, output: folder.path(of: "output"), errorLog: folder.path(of: "log"))
        else { throw DeviceError.missing("\(kind) could not be started") }
        self.process = process
        let deadline = ContinuousClock.now + .seconds(30)
        while (try? RawSocket(port: port)) == nil {
            guard ContinuousClock.now < deadline, process.exit(within: .milliseconds(20)) == nil else {
                throw DeviceError.missing("\(kind): \(log)")
            }
        }
    }

    deinit {
        // nginx takes its workers with it only when it is asked.
        process.send(SIGTERM)
        _ = process.exit(within: .seconds(10))
    }

    var log: String { TemporaryFolder.contents(of: folder.path(of: "log")) ?? "" }

    private static func nginx(_ site: String, in folder: TemporaryFolder, readSeconds: Int?) -> String {
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        let folders = places.map { "\($0)_temp_path \(folder.path(of: $0));" }.joined(separator: "\n")
        let timeout = readSeconds.map { "proxy_read_timeout \($0)s;" } ?? ""
        let user = geteuid() == 0 ? "user root;" : ""
        return folder.write(
            """
            daemon off;
            worker_processes 1;
            \(user)
            pid \(folder.path(of: "pid"));
            events {}
            http {
                access_log off;
                \(folders)
                \(timeout)
                \(site)
            }
            """, to: "nginx.conf")
    }

    /// The file with the ports of a test.
    private static func file(_ name: String, from hub: Int, to port: Int) throws -> String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        guard let text = TemporaryFolder.contents(of: "\(root)/protocol/proxies/\(name)") else {
            throw DeviceError.missing("protocol/proxies/\(name)")
        }
        return text.replacing("127.0.0.1:9000", with: "127.0.0.1:\(hub)")
            .replacing("listen 80;", with: "listen 127.0.0.1:\(port);")
            .replacing("\n:80 {", with: "\n:\(port) {\n\tbind 127.0.0.1")
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw DeviceError.missing("a free port: errno \(errno)") }
        return Int(UInt16(bigEndian: name.sin_port))
    }
}
