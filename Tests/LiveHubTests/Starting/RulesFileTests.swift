import Glibc
import TestSupport
import Testing

@Suite("a hub with --rules", .blocking, .serialized)
struct RulesFileTests {
    private let folder = TemporaryFolder()

    private func write(_ rules: String) -> String { folder.write(rules, to: "rules.json") }

    @Test("goes by the file in every namespace, and after a crash too")
    func enforced() throws {
        let file = write(
            """
            { // People write comments.
              "rules": {"mine": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}},}
            }
            """)
        let hub = try HubProcess("--dev", "--rules", file)
        for _ in 1...2 {
            for namespace in ["demo", "other"] {
                let ada = try TestDevice(hub, namespace: namespace)
                try ada.put("/mine/ada", "1", answer: "permission_denied")
                try ada.authenticate(UnsignedTokens.user("ada"))
                try ada.put("/mine/ada", "1")
                try ada.put("/mine/bob", "1", answer: "permission_denied")
                try ada.listen("/mine", answer: "permission_denied")
            }
            hub.kill()
            try hub.restart(port: 0)
        }
        #expect(hub.log.contains("rules=\"version 1\""))
    }

    @Test(
        "does not start with a file that has errors or is not there; it says where, and a hub without one is not opened"
    )
    func broken() throws {
        let file = write(#"{"rules": {".read": "auth != null &&", "x": {".write": "now()"}}}"#)
        let started = try HubProcess.run(["serve", "--dev", "--port", "0", "--memory", "--rules", file])
        #expect(started.exit == .code(1) && started.output.isEmpty)
        #expect(started.error.contains("\(file):1:"), "\(started.error)")
        #expect(started.error.contains("hearth rules check"), "\(started.error)")
        let missing = try HubProcess.run(["serve", "--dev", "--port", "0", "--memory", "--rules", file + "x"])
        #expect(missing.exit == .code(1) && missing.error.contains("No such file"), "\(missing.error)")
    }

    @Test("takes the file over at SIGHUP: listeners that are shut out hear of it; a broken file changes nothing")
    func reload() throws {
        let file = write(#"{"rules": {".read": true, ".write": true}}"#)
        let hub = try HubProcess("--dev", "--rules", file)
        let device = try TestDevice(hub)
        try device.put("/a", "1")
        try device.listen("/a")
        try device.expectPush("d", "a", "1")
        _ = write(#"{"rules": {".read": tru}}"#)
        hub.send(signal: SIGHUP)
        try hub.expectLog("reload.refused")
        try device.put("/a", "2")
        try device.expectPush("d", "a", "2")
        _ = write(#"{"rules": {".write": true}}"#)
        hub.send(signal: SIGHUP)
        try hub.expectLog("rules.changed", count: 2)
        try device.put("/a", "3")
        try device.listen("/a", answer: "permission_denied")
        let revoked = device.arrivals.compactMap { arrival -> String? in
            if case .push(let push) = arrival, push.action == "c" { push.path } else { nil }
        }
        #expect(revoked == ["a"])
    }

    @Test("without it says at start what holds: open in --dev, locked otherwise")
    func standard() throws {
        let open = try HubProcess("--dev", "--memory")
        #expect(open.log.contains("open: everybody may read and write everything"))
        let locked = try HubProcess("--memory", "--namespace", "shop")
        #expect(locked.log.contains("locked: the administrator alone may read and write"))
        #expect(locked.log.contains("rules=locked"))
    }
}
