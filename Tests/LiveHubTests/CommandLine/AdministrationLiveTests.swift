import TestSupport
import Testing

@Suite("a hub administered from the command line", .blocking)
struct AdministrationLiveTests {
    @Test("namespaces are created, listed and deleted")
    func namespaces() throws {
        let hub = try HubProcess("--namespace", "default")
        let secret = ["--auth", "@" + hub.dataPath + "/admin.secret"]
        #expect(try hub.command(["namespace", "create", "shop"] + secret).output == "created shop\n")
        let twice = try hub.command(["namespace", "create", "shop"] + secret)
        #expect(twice.exit == .code(1) && twice.error.contains("shop"))
        #expect(try hub.command(["set", "/a", "1", "--ns", "shop"] + secret).exit == .code(0))
        let list = try hub.command(["namespace", "list"] + secret).output.split(separator: "\n")
        #expect(list.count == 3 && list[0].hasPrefix("NAMESPACE") && list[2].hasPrefix("shop"))
        #expect(try hub.command(["namespace", "delete", "shop"] + secret).exit == .code(2))
        #expect(try hub.command(["namespace", "delete", "shop", "--yes"] + secret).output == "deleted shop\n")
        #expect(try hub.command(["get", "/a", "--ns", "shop"] + secret).exit == .code(1))
        let stranger = try hub.command(["namespace", "list"])
        #expect(stranger.exit == .code(1) && stranger.error.contains("--auth @DATA/admin.secret"))
    }

    @Test("connections are listed and ended")
    func connections() throws {
        let hub = try HubProcess("--dev", "--memory")
        #expect(try hub.expect("connections", "list") == "no connections\n")
        let ada = try TestDevice(hub)
        try ada.authenticate(UnsignedTokens.user("ada"))
        try ada.onDisconnectPut("/gone", "true")
        let bob = try TestDevice(hub)
        try bob.listen("/gone")
        let lines = try hub.expect("connections", "list", "--uid", "ada").split(separator: "\n")
        #expect(lines.count == 2 && lines[1].contains(" ada ") && lines[1].contains("websocket"))
        #expect(try hub.expect("connections", "kick", "--uid", "ada", "--dry-run") == "would end 1 connection\n")
        #expect(try hub.expect("connections", "kick", "--uid", "ada") == "ended 1 connection\n")
        try bob.expectPush("d", "gone", "true")
        let json = try hub.expect("connections", "list", "--json")
        #expect(json.hasPrefix(#"{"total":1,"connections":[{"id":""#))
    }

    @Test("rules are set, refused with their place, listed and taken back")
    func rules() throws {
        let hub = try HubProcess("--dev", "--memory")
        let folder = TemporaryFolder()
        let open = folder.write("// Open\n{\"rules\": {\".read\": true}}", to: "open.json")
        let closed = folder.write(#"{"rules": {}}"#, to: "closed.json")
        let wrong = folder.write("{\"rules\": {\n  \".read\": \"dota.exists()\"\n}}", to: "wrong.json")
        try hub.expect("rules", "set", open)
        try hub.expectRefusal(
            "rules", "set", wrong,
            error: """
                \(wrong):2:13: Unknown variable 'dota'.
                   2 | ".read": "dota.exists()"
                     |           ^
                """)
        #expect(try hub.expect("rules", "set", closed, "--dry-run").contains("would take it"))
        #expect(try hub.expect("rules", "get") == "// Open\n{\"rules\": {\".read\": true}}\n")
        try hub.expect("rules", "set", closed)
        #expect(try hub.expect("rules", "versions").split(separator: "\n").count == 3)
        #expect(try hub.command(["get", "/"]).exit == .code(1))
        try hub.expect("rules", "rollback", "1")
        #expect(try hub.command(["get", "/"]).output == "null\n")
        #expect(try hub.expect("rules", "get", "--version", "1").hasPrefix("// Open\n"))
    }
}
