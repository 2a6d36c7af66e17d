import DataTree

/// A client that speaks the protocol by hand: it sends what a test tells it to, keeps what comes back in order, and
/// knows what it has been told. Values go in and out as JSON.
///
/// ```swift
/// let ada = try TestDevice(port: hub.port)
/// try ada.listen("/room")
/// try ada.put("/room/a", "1")
/// try ada.expectPush("d", "room/a", "1")
/// try ada.expectValue(at: "/room", #"{"a":1}"#)
/// ada.pullPlug()
/// ```
///
/// Blocking, with a deadline on every wait; confined to one thread at a time.
package final class TestDevice {
    package let socket: RawWebSocketClient
    package private(set) var hello: DeviceHello
    /// Everything that came after the hello, in the order of arrival.
    package private(set) var arrivals: [DeviceMessage] = []
    /// What the untagged pushes add up to.
    package private(set) var view = Node.empty
    /// How long every wait may take unless a call says otherwise.
    package var patience: Duration = .seconds(20)

    private var lastNumber = 0
    private var responses: [Int: DeviceResponse] = [:]
    private var pushes: [DevicePush] = []
    private var segments: [String] = []
    private var missingSegments = 0

    /// Connects, upgrades and waits for the hello.
    ///
    /// - Parameters:
    ///   - lastSession: the session that this device had before (`ls`).
    ///   - receiveBuffer: bytes of the kernel's receive buffer, for a slow reader.
    package convenience init(
        port: Int, namespace: String = "demo", lastSession: String? = nil, headers: [(String, String)] = [],
        hostHeader: String? = nil, receiveBuffer: Int? = nil, within: Duration = .seconds(20)
    ) throws {
        let path = "/.ws?v=5&ns=\(namespace)" + (lastSession.map { "&ls=\($0)" } ?? "")
        let client = try RawWebSocketClient(
            port: port, path: path, headers: headers, hostHeader: hostHeader, receiveBuffer: receiveBuffer,
            within: within)
        try self.init(client, within: within)
    }

    /// Waits for the hello on a connection that has been upgraded.
    package init(_ client: RawWebSocketClient, within: Duration = .seconds(20)) throws {
        socket = client
        let first = try socket.receiveMessage(within: within)
        guard case .hello(let hello) = try DeviceMessage(first) else { throw DeviceError.malformed(first) }
        self.hello = hello
    }

    /// Connects to a hub in a process of its own.
    package convenience init(_ hub: HubProcess, namespace: String = "demo", lastSession: String? = nil) throws {
        try self.init(port: hub.port, namespace: namespace, lastSession: lastSession)
    }

    /// The session that the hub gave this connection.
    package var session: String { hello.session }

    // MARK: Requests

    /// Sends a request and returns its number; the answer is for `response(to:)`.
    @discardableResult
    package func send(_ action: String, _ body: String) throws -> Int {
        lastNumber += 1
        try send(text: #"{"t":"d","d":{"r":\#(lastNumber),"a":"\#(action)","b":\#(body)}}"#)
        return lastNumber
    }

    /// Sends a message of any text, in segments when it is long. Cut between characters, as a hub does.
    package func send(text: String) throws {
        let cuts = TestDevice.segments(of: text)
        if cuts.count > 1 { try socket.send(text: String(cuts.count)) }
        for cut in cuts { try socket.send(text: cut) }
    }

    /// The answer to a request, waiting for it if need be.
    package func response(to number: Int, within: Duration? = nil) throws -> DeviceResponse {
        try pump("the answer to request \(number)", within: within) { responses[number] != nil }
        guard let response = responses.removeValue(forKey: number) else {
            throw DeviceError.missing("no answer to request \(number)")
        }
        return response
    }

    /// Sends a request and waits for its answer, whatever it is.
    package func request(_ action: String, _ body: String, within: Duration? = nil) throws -> DeviceResponse {
        try response(to: send(action, body), within: within)
    }

    /// Sends a request whose answer must have the status `answer`.
    @discardableResult
    package func expect(_ answer: String, _ action: String, _ body: String) throws -> DeviceResponse {
        let response = try request(action, body)
        guard response.status == answer else {
            throw DeviceError.answered(response, to: "\(action) \(body.prefix(200))")
        }
        return response
    }

    // MARK: Domain

    /// Writes a value; with `hash` only if what is there has it.
    @discardableResult
    package func put(
        _ path: String, _ json: String, hash: String? = nil, writeID: String? = nil, answer: String = "ok"
    ) throws -> DeviceResponse {
        try expect(answer, "p", TestDevice.put(path, json, hash: hash, writeID: writeID))
    }

    /// The body of a put.
    package static func put(_ path: String, _ json: String, hash: String? = nil, writeID: String? = nil) -> String {
        var body = #"{"p":\#(JSONFields.quoted(path)),"d":\#(json)"#
        if let hash { body += #","h":\#(JSONFields.quoted(hash))"# }
        if let writeID { body += #","w":\#(JSONFields.quoted(writeID))"# }
        return body + "}"
    }

    @discardableResult
    package func remove(_ path: String) throws -> DeviceResponse { try put(path, "null") }

    /// Writes several places at once; `changes` is an object of relative paths and values.
    @discardableResult
    package func merge(_ path: String, _ changes: String, answer: String = "ok") throws -> DeviceResponse {
        try expect(answer, "m", TestDevice.put(path, changes))
    }

    /// Listens; a `query` (its object as JSON) needs a tag unless it is `{}`.
    @discardableResult
    package func listen(
        _ path: String, query: String? = nil, tag: Int? = nil, hash: String = "", answer: String = "ok"
    ) throws -> DeviceResponse {
        try expect(answer, "q", TestDevice.place(path, query, tag, #","h":\#(JSONFields.quoted(hash))"#))
    }

    @discardableResult
    package func unlisten(_ path: String, query: String? = nil, tag: Int? = nil) throws -> DeviceResponse {
        try expect("ok", "n", TestDevice.place(path, query, tag, ""))
    }

    /// Reads once.
    ///
    /// - Returns: the value as JSON.
    package func get(_ path: String, query: String = "{}") throws -> String {
        try expect("ok", "g", TestDevice.place(path, query, nil, "")).payload
    }

    @discardableResult
    package func onDisconnectPut(_ path: String, _ json: String, answer: String = "ok") throws -> DeviceResponse {
        try expect(answer, "o", TestDevice.put(path, json))
    }

    @discardableResult
    package func onDisconnectMerge(_ path: String, _ changes: String, answer: String = "ok") throws -> DeviceResponse {
        try expect(answer, "om", TestDevice.put(path, changes))
    }

    @discardableResult
    package func onDisconnectCancel(_ path: String) throws -> DeviceResponse {
        try expect("ok", "oc", TestDevice.put(path, "null"))
    }

    /// Signs in with a token.
    @discardableResult
    package func authenticate(_ credential: String, answer: String = "ok") throws -> DeviceResponse {
        try expect(answer, "auth", #"{"cred":\#(JSONFields.quoted(credential))}"#)
    }

    @discardableResult
    package func unauthenticate() throws -> DeviceResponse { try expect("ok", "unauth", "{}") }

    /// Asks whether the hub is there and waits for its answer.
    package func ping() throws {
        let before = arrivals.count
        try send(text: #"{"t":"c","d":{"t":"p","d":{}}}"#)
        try pump("a pong") { arrivals[before...].contains(.pong) }
    }

    private static func place(_ path: String, _ query: String?, _ tag: Int?, _ more: String) -> String {
        var body = #"{"p":\#(JSONFields.quoted(path))"#
        if let query { body += #","q":\#(query)"# }
        if let tag { body += #","t":\#(tag)"# }
        return body + more + "}"
    }

    // MARK: Pushes

    /// The oldest push that no call has returned yet, waiting for one if need be.
    package func nextPush(within: Duration? = nil) throws -> DevicePush {
        try pump("a push", within: within) { !pushes.isEmpty }
        return pushes.removeFirst()
    }

    /// The next push must be this one.
    package func expectPush(
        _ action: String, _ path: String, _ json: String, tag: Int? = nil, within: Duration? = nil
    ) throws {
        let push = try nextPush(within: within)
        guard push.says(action, path, json, tag: tag) else {
            throw DeviceError.missing(
                "expected push \(action) \(path) \(json)\(tag.map { " tag \($0)" } ?? ""), "
                    + "got \(push.action) \(push.body.prefix(400))")
        }
    }

    /// Takes the pushes that have come and been returned by no call yet, without waiting.
    package func takePushes() throws -> [DevicePush] {
        try drain()
        defer { pushes = [] }
        return pushes
    }

    /// No push may come for a while; a ping makes sure that everything sent before is here.
    package func expectNoPush(for duration: Duration = .milliseconds(100)) throws {
        try ping()
        do {
            try pump("", within: duration) { !pushes.isEmpty }
        } catch RawSocketError.timedOut {
            return
        }
        throw DeviceError.missing("expected no push, got \(pushes[0].action) \(pushes[0].body.prefix(400))")
    }

    /// Waits until the untagged pushes add up to this value at `path`.
    package func expectValue(at path: String, _ json: String, within: Duration? = nil) throws {
        let wanted = try Node(json: json)
        do {
            try pump("", within: within) { view.node(at: Path(path)) == wanted }
        } catch RawSocketError.timedOut {
            throw DeviceError.missing(
                "expected \(json) at \(path), have \(view.node(at: Path(path)).json.prefix(400))")
        }
    }

    // MARK: Leaving

    /// Says goodbye with a close frame, waits for the hub's, and ends.
    package func leave() throws {
        try socket.sendClose()
        _ = try socket.receiveEnd(within: patience)
        socket.close()
    }

    /// The connection is cut with RST: a crashed machine's kernel, or a firewall.
    package func pullPlug() { socket.reset() }

    /// The connection ends with FIN and no close frame: a killed process.
    package func vanish() { socket.close() }

    /// The connection stays but nothing answers any more, pings included: a machine without power.
    package func goSilent() { socket.answersPings = false }

    /// Waits until the hub closes, and gives the close code and text, or nil when there was no close frame.
    package func waitForClose(within: Duration? = nil) throws -> (code: Int, text: String)? {
        guard let frame = try socket.receiveEnd(within: within ?? patience) else { return nil }
        return (frame.closeCode ?? 0, frame.closeText)
    }

    // MARK: Receiving

    /// Files everything that is here already.
    package func drain() throws {
        do {
            while true { try receive(within: .zero) }
        } catch RawSocketError.timedOut {
        }
    }

    /// Receives until `isDone`.
    package func pump(_ what: String, within: Duration? = nil, until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.Instant.now + (within ?? patience)
        while !isDone() {
            let left = deadline - .now
            do {
                try receive(within: left > .zero ? left : .zero)
            } catch RawSocketError.timedOut where !what.isEmpty {
                throw DeviceError.missing("waited in vain for \(what)")
            }
        }
    }

    private func receive(within: Duration) throws {
        let text = try socket.receiveText(within: within)
        if missingSegments == 0 {
            if text.utf8.count <= 6, let count = Int(text), count > 0 {
                missingSegments = count
                return
            }
            try file(DeviceMessage(text))
            return
        }
        segments.append(text)
        missingSegments -= 1
        guard missingSegments == 0 else { return }
        defer { segments = [] }
        try file(DeviceMessage(segments.joined()))
    }

    private func file(_ message: DeviceMessage) throws {
        arrivals.append(message)
        switch message {
        case .response(let response): responses[response.number] = response
        case .push(let push):
            pushes.append(push)
            try apply(push)
        case .hello, .pong, .control: break
        }
    }

    private func apply(_ push: DevicePush) throws {
        guard push.tag == nil, let path = push.path.map({ Path($0) }), let data = push.data else { return }
        switch push.action {
        case "d": view.set(try Node(json: data), at: path)
        case "m":
            for (relative, json) in try JSONFields(data).members {
                view.set(try Node(json: json), at: path.appending(Path(relative)))
            }
        default: break
        }
    }

    /// Segments of at most 16,384 UTF-16 units, as official clients cut them, but between characters.
    private static func segments(of text: String) -> [String] {
        guard text.utf8.count > 16_384 else { return [text] }
        var segments: [String] = []
        var current = String.UnicodeScalarView()
        var units = 0
        for scalar in text.unicodeScalars {
            let width = UTF16.width(scalar)
            if units + width > 16_384 {
                segments.append(String(current))
                current = String.UnicodeScalarView()
                units = 0
            }
            current.append(scalar)
            units += width
        }
        return segments + [String(current)]
    }
}
