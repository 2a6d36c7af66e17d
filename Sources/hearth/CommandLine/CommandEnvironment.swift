import Glibc

/// What a sub-command has around it; tests give it another one.
struct CommandEnvironment {
    /// The bytes of a file, `-` for standard input.
    var read: (String) throws(CommandProblem) -> [UInt8]
    /// Milliseconds since 1970.
    var now: Int64
    /// How to write for whoever reads standard output.
    var style: TextStyle
    /// The same for standard error.
    var errorStyle: TextStyle

    /// A file to read piece by piece, `-` for standard input.
    var open: (String) throws(CommandProblem) -> ByteSource = { path throws(CommandProblem) in
        try OpenFile(path).source
    }
    /// Writes to standard output at once, for what is long or comes bit by bit.
    var write: (UnsafeRawBufferPointer) throws(CommandProblem) -> Void = StandardStreams.outputBytes
    /// Writes to standard error at once.
    var note: (String) -> Void = StandardStreams.error
    /// A variable of the process's environment; nil when it is empty or not set.
    var variable: (String) -> String? = { name in
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    /// Waits; false when a signal came meanwhile.
    var sleep: (Duration) -> Bool = Interruption.sleep
    /// Sends a request to a hub.
    var send: (HTTPRequest, @escaping HTTPReceiver) throws(HTTPProblem) -> HTTPAnswer = HTTPClient.send
    /// Asks a person; nil when nobody sits there.
    var ask: (String) -> String? = Question.ask

    /// That of the process.
    static var process: CommandEnvironment {
        CommandEnvironment(
            read: InputFile.read, now: InputFile.now, style: .of(descriptor: 1), errorStyle: .of(descriptor: 2))
    }
}
