import Storage
import TestSupport

/// The hubs that tests of the REST interface share: each test has a namespace of its own, named after its check.
enum RestHub {
    /// Everybody may do everything.
    static func open(_ check: Int, bearer: String? = "owner") throws -> RestClient {
        RestClient(port: try openHub.get().port, namespace: "check-\(check)", bearer: bearer)
    }

    /// The rules of `rules`.
    static func ruled(_ check: Int, bearer: String? = "owner") throws -> RestClient {
        RestClient(port: try ruledHub.get().port, namespace: "check-\(check)", bearer: bearer)
    }

    static func openPort() throws -> Int { try openHub.get().port }

    static let rules = """
        {
          "rules": {
            "open": {".read": true, ".write": true},
            "dinosaurs": {".read": true, ".write": true, ".indexOn": ["height", "ratings/pos"]},
            "scores": {".read": true, ".write": true, ".indexOn": ".value"},
            "users": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}},
            "readable": {".read": true}
          }
        }
        """

    // Hubs end with the test process; nothing else could tell when the last test is done with them.
    private static let folder = TemporaryFolder()
    private static let openHub = start([])
    private static let ruledHub = start(["--rules", folder.write(rules, to: "rules.json")])

    private static func start(_ arguments: [String]) -> Result<HubProcess, any Error> {
        Result { try HubProcess(arguments: ["--dev", "--memory", "--max-namespaces", "400"] + arguments) }
    }
}
