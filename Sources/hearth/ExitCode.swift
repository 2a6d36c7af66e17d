/// What the process says to its caller when it ends.
enum ExitCode: Int32 {
    /// A clean stop.
    case success = 0
    /// It could not start, or failed; one line on standard error says why and what to do.
    case failure = 1
    /// The command line, or the configuration file, does not make sense.
    case usage = 2
}
