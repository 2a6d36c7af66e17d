import Testing

@testable import hearth

/// The configuration that arguments give; a configuration file, if any, is `file`.
private func configuration(_ arguments: String, file: String = "{}") throws -> ServeConfiguration {
    let command = try ServeCommand(arguments: words(arguments)) { _ in Array(file.utf8) }
    guard case .run(let configuration) = command else { throw Missing() }
    return configuration
}

/// What is said about arguments that make no sense.
private func refusal(_ arguments: String, file: String = "{}") -> String {
    do throws(ConfigurationProblem) {
        _ = try ServeCommand(arguments: words(arguments)) { _ in Array(file.utf8) }
        return ""
    } catch {
        return error.description
    }
}

private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

private struct Missing: Error {}

@Suite("hearth serve, its options")
struct ServeCommandTests {
    @Test("without arguments the hub serves production on 127.0.0.1:9000 from ./hearth-data")
    func defaults() throws {
        let configuration = try configuration("")
        #expect(configuration == ServeConfiguration())
        #expect(configuration.host == "127.0.0.1" && configuration.port == 9000 && !configuration.isDevelopment)
        #expect(configuration.storage == .directory("./hearth-data"))
        #expect(configuration.deadPeerSeconds == 45 && configuration.maxNamespaces == 64)
    }

    @Test("every option of the command line arrives")
    func commandLine() throws {
        let configuration = try configuration(
            "--host 0.0.0.0 --port=0 --data /srv/hub --namespace demo --namespace=shop --namespace demo --loops 2 "
                + "--presence /presence/now/ --dead-peer-seconds 10 --public-host db.example.org:443 "
                + "--namespace-suffix .db.example.org --trusted-proxy 10.0.0.0/8 --trusted-proxy ::1 "
                + "--tls-cert cert.pem --tls-key key.pem --max-connections 19000 --max-namespaces 3 --metrics-open "
                + "--log-level debug")
        var expected = ServeConfiguration()
        expected.host = "0.0.0.0"
        expected.port = 0
        expected.storage = .directory("/srv/hub")
        expected.namespaces = ["demo", "shop"]
        expected.loops = 2
        expected.presencePath = "presence/now"
        expected.deadPeerSeconds = 10
        expected.publicHost = "db.example.org:443"
        expected.namespaceSuffix = "db.example.org"
        expected.trustedProxies = [AddressRange("10.0.0.0/8"), AddressRange("::1/128")].compactMap { $0 }
        expected.tls = .init(certificate: "cert.pem", key: "key.pem")
        expected.maxConnections = 19_000
        expected.maxNamespaces = 3
        expected.metricsOpen = true
        expected.logLevel = .debug
        #expect(configuration == expected)
    }

    @Test("a configuration file gives the same options")
    func file() throws {
        let fromFile = try configuration(
            "--config hub.json",
            file: """
                {"host": "::1", "port": 9100, "memory": true, "dev": true, "namespace": ["demo", "shop"],
                 "trusted-proxy": "10.0.0.0/8", "dead-peer-seconds": "30", "metrics-open": false}
                """)
        let fromArguments = try configuration(
            "--host [::1] --port 9100 --memory --dev --namespace demo --namespace shop --trusted-proxy 10.0.0.0/8 "
                + "--dead-peer-seconds 30")
        #expect(fromFile == fromArguments)
    }

    @Test("the command line wins over the file, option by option")
    func precedence() throws {
        let file = #"{"port": 9100, "namespace": ["a", "b"], "data": "/srv/a", "log-level": "error"}"#
        let configuration = try configuration("--config f --port 9200 --namespace c --memory", file: file)
        #expect(configuration.port == 9200)
        #expect(configuration.namespaces == ["c"])
        #expect(configuration.storage == .memory)
        #expect(configuration.logLevel == .error)
        let other = try self.configurationWithMemoryFile()
        #expect(other.storage == .directory("d"))
    }

    private func configurationWithMemoryFile() throws -> ServeConfiguration {
        try configuration("--config f --data d", file: #"{"memory": true}"#)
    }

    @Test("help is asked for with --help, whatever else is there")
    func help() throws {
        #expect(try ServeCommand(arguments: ["--port", "0", "--help"]) == .help)
        #expect(try ServeCommand(arguments: ["-h"]) == .help)
        for option in ServeOption.all { #expect(Help.serve.contains("--\(option.name)")) }
        for line in Help.serve.split(separator: "\n") { #expect(line.utf8.count <= 100, "\(line)") }
    }

    @Test(
        "arguments that make no sense are refused with a sentence that says what to do",
        arguments: [
            ("--prot 1", "unknown option '--prot'; see hearth serve --help"),
            ("-p 1", "unknown option '-p'; see hearth serve --help"),
            ("demo", "unexpected argument 'demo'; see hearth serve --help"),
            ("--port", "--port needs a value: --port N"),
            ("--dev=yes", "--dev takes no value; leave out what follows the '='"),
            ("--port 1 --port 2", "--port is given twice; give it once"),
            (
                "--admin-listen 203.0.113.5:1",
                "--admin-listen cannot be '203.0.113.5:1'; give a loopback or private address and a port, such as "
                    + "127.0.0.1:9001"
            ),
            ("--port 65536", "--port cannot be '65536'; give a whole number from 0 to 65535 (0 picks a free port)"),
            ("--port -1", "--port cannot be '-1'; give a whole number from 0 to 65535 (0 picks a free port)"),
            (
                "--port 99999999999999999999999",
                "--port cannot be '99999999999999999999999'; give a whole number "
                    + "from 0 to 65535 (0 picks a free port)"
            ),
            ("--dead-peer-seconds 9", "--dead-peer-seconds cannot be '9'; give a whole number from 10 to 3600"),
            ("--host a..b", "--host cannot be 'a..b'; give an address such as 127.0.0.1 or ::1"),
            ("--host=", "--host cannot be ''; give an address such as 127.0.0.1 or ::1"),
            ("--namespace _own", "--namespace cannot be '_own'; give \(SettingReader.namespaceRule)"),
            ("--presence /", "--presence cannot be '/'; give \(SettingReader.presenceRule)"),
            ("--presence a.b", "--presence cannot be 'a.b'; give \(SettingReader.presenceRule)"),
            ("--public-host h:0", "--public-host cannot be 'h:0'; give HOST or HOST:PORT"),
            (
                "--namespace-suffix 10.0.0.1",
                "--namespace-suffix cannot be '10.0.0.1'; give a host name such as db.example.org"
            ),
            (
                "--trusted-proxy 10.0.0.0/33",
                "--trusted-proxy cannot be '10.0.0.0/33'; give an address range such as 10.0.0.0/8 or fd00::/8"
            ),
            ("--log-level loud", "--log-level cannot be 'loud'; give debug, info, warning or error"),
            ("--memory --data d", "--memory and --data exclude each other; leave one of them out"),
            ("--tls-cert c", "--tls-cert needs the certificate's key; add --tls-key FILE"),
            ("--tls-key k", "--tls-key needs the certificate; add --tls-cert FILE"),
            ("--dev-allow-remote", "--dev-allow-remote is about --dev only; add --dev or leave it out"),
            (
                "--dev --host 0.0.0.0",
                "--dev is open to everybody who reaches 0.0.0.0; use --host 127.0.0.1, or add "
                    + "--dev-allow-remote if that is meant"
            ),
            (
                "--max-namespaces 1 --namespace a --namespace b",
                "--namespace names 2 namespaces and --max-namespaces allows 1; raise --max-namespaces"
            ),
        ])
    func refusals(arguments: String, text: String) {
        #expect(refusal(arguments) == text)
    }

    @Test(
        "a configuration file that makes no sense is refused and named",
        arguments: [
            (
                #"{"prot": 1}"#,
                "f: unknown name \"prot\"; the names are those of hearth serve --help, without dashes"
            ),
            (
                #"{"config": "g"}"#,
                "f: unknown name \"config\"; the names are those of hearth serve --help, without dashes"
            ),
            (#"{"site": "x"}"#, "f: \"site\" is not built yet in this version; leave it out"),
            (
                #"{"port": "abc"}"#,
                "f: \"port\" cannot be 'abc'; give a whole number from 0 to 65535 (0 picks a free port)"
            ),
            (#"{"port": true}"#, "f: \"port\" has the wrong type; give a whole number"),
            (#"{"host": 1}"#, "f: \"host\" has the wrong type; give a string"),
            (#"{"dev": "yes"}"#, "f: \"dev\" has the wrong type; give true or false"),
            (#"{"namespace": [1]}"#, "f: \"namespace\" has the wrong type; give a string or an array of strings"),
            ("[]", "f: not a JSON object; write {\"option\": value, …}"),
            ("{", "f: line 1, column 1: string or '}' expected near end of file; correct the JSON"),
            (
                #"{"dev": true, "dev": true}"#,
                "f: line 1, column 19: duplicate object key near '\"dev\"'; correct the JSON"
            ),
            (#"{"memory": true, "data": "d"}"#, "--memory and --data exclude each other; leave one of them out"),
        ])
    func fileRefusals(file: String, text: String) {
        #expect(refusal("--config f", file: file) == text)
    }

    @Test("a configuration file that is not there is a failure, not bad usage")
    func missingFile() {
        do throws(ConfigurationProblem) {
            _ = try ServeCommand(arguments: ["--config", "/nonexistent/hub.json"])
            Issue.record("it was read")
        } catch {
            #expect(error.exitCode == .failure)
            #expect(
                error.description
                    == "/nonexistent/hub.json cannot be read: No such file or directory; check the path")
        }
    }

    @Test(
        "every address of this machine alone may serve --dev",
        arguments: ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
    func loopback(host: String) throws {
        #expect(try configuration("--dev --host \(host)").host == host)
    }

    @Test("a range of addresses contains those that share its leading bits")
    func ranges() throws {
        let range = try #require(AddressRange("10.1.128.0/17"))
        #expect(range.contains([10, 1, 128, 0]) && range.contains([10, 1, 255, 9]))
        #expect(!range.contains([10, 1, 127, 255]) && !range.contains([UInt8](repeating: 0, count: 16)))
        #expect(range.description == "10.1.128.0/17")
        #expect(AddressRange("0.0.0.0/0")?.contains([1, 2, 3, 4]) == true)
        #expect(AddressRange("10.0.0.0/") == nil && AddressRange("10.0.0.0/+8") == nil && AddressRange("host") == nil)
    }
}

@Suite("options that are read again")
struct ReloadTests {
    @Test("name those that only a restart can change")
    func changes() throws {
        let running = try configuration("--namespace demo --trusted-proxy 10.0.0.0/8")
        #expect(try configuration("--namespace demo --metrics-open").changesForRestart(from: running).isEmpty)
        let other = try configuration(
            "--dev --memory --host ::1 --port 1 --presence p --loops 2 --dead-peer-seconds 10 --public-host h "
                + "--keep-alive-seconds 5 --admin-listen 127.0.0.1:2 "
                + "--namespace-suffix s --tls-cert c --tls-key k --max-connections 1 --max-namespaces 1 --log-level debug"
        )
        let live = ["metrics-open", "trusted-proxy", "rules"]
        let elsewhere = ["config", "memory", "dev-allow-remote"]
        #expect(
            Set(other.changesForRestart(from: running) + live + elsewhere) == Set(ServeOption.all.map(\.name)))
    }
}
