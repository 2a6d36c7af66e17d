import DataTree
import TestSupport
import Testing

@Suite("a crowd that leaves at once", .blocking, .serialized)
struct StormTests {
    /// Who is in the room, from what one observer is told.
    struct Attendance {
        private(set) var members: Set<String> = []
        private(set) var joins = 0
        private(set) var leaves = 0
        /// What cannot be: a join of somebody present, a leave of somebody absent.
        private(set) var contradictions: [String] = []
        /// Joins and leaves in their order, without what was there at the beginning.
        private(set) var history: [String] = []

        mutating func take(_ push: DevicePush) throws {
            guard push.action == "d", let path = push.path.map({ Path($0) }), let data = push.data else {
                contradictions.append("a push \(push.action) \(push.body.prefix(100))")
                return
            }
            if path == "room/members" {
                // The first data of a listen.
                try Node(json: data).forEachChild { key, _ in
                    members.insert(key.description)
                    joins += 1
                    return true
                }
                return
            }
            let name = path.last?.description ?? ""
            if data == "null" {
                leaves += 1
                history.append("-\(name)")
                if members.remove(name) == nil { contradictions.append("\(name) left and was not there") }
            } else {
                joins += 1
                history.append("+\(name)")
                if !members.insert(name).inserted { contradictions.append("\(name) came and was there") }
            }
            if joins - leaves != members.count { contradictions.append("\(joins) - \(leaves) is not \(members.count)") }
        }
    }

    @Test("is seen to leave one by one by every observer, in one order, and nobody stays")
    func storm() throws {
        let hub = try HubProcess("--dev", "--presence", "online")
        let count = TestScale.pick(500, short: 100)
        let observers = try (0..<2).map { _ in try TestDevice(hub) }
        for observer in observers { try observer.listen("/room/members") }
        var devices: [TestDevice] = []
        var late: TestDevice?
        for number in 0..<count {
            let device = try TestDevice(hub)
            try device.authenticate(UnsignedTokens.user("u\(number % 200)"))
            try device.onDisconnectPut("/room/members/d\(number)", "null")
            try device.put("/room/members/d\(number)", "true")
            devices.append(device)
            if number == count / 2 {
                late = try TestDevice(hub)
                try late?.listen("/room/members")
            }
        }
        let all = observers + [try #require(late)]
        var attendances = Array(repeating: Attendance(), count: all.count)
        for (index, observer) in all.enumerated() {
            try observer.ping()
            for push in try observer.takePushes() { try attendances[index].take(push) }
            #expect(attendances[index].members.count == count)
        }
        for (number, device) in devices.enumerated() {
            switch number % 4 {
            case 0: device.pullPlug()
            case 1: device.vanish()
            case 2: try device.socket.sendClose()
            default: device.socket.halfClose()
            }
        }
        for (index, observer) in all.enumerated() {
            try observer.pump("everybody's leave", within: .seconds(60)) {
                observer.view.node(at: "room/members").isEmpty
            }
            for push in try observer.takePushes() { try attendances[index].take(push) }
            let attendance = attendances[index]
            #expect(attendance.contradictions.isEmpty, "observer \(index): \(attendance.contradictions.prefix(5))")
            #expect(attendance.joins == count && attendance.leaves == count && attendance.members.isEmpty)
        }
        #expect(attendances[0].history == attendances[1].history)
        #expect(attendances[0].history.suffix(attendances[2].history.count) == attendances[2].history[...])
        let reader = observers[0]
        #expect(try reader.get("/room") == "null")
        #expect(try reader.get("/online/users") == "null")
        try reader.listen("/online/stats")
        try reader.expectValue(at: "/online/stats", #"{"users":0,"connections":0}"#)
        #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"websocket\"}"] == 3)
        withExtendedLifetime(devices) {}
    }
}
