/// `hearth serve`: from arguments to a running hub, and from a signal to its end.
enum Serve {
    static func run(arguments: [String]) -> ExitCode {
        do throws(ConfigurationProblem) {
            switch try ServeCommand(arguments: arguments) {
            case .help:
                StandardStreams.output(Help.serve)
                return .success
            case .run(let configuration):
                return run(configuration)
            }
        } catch {
            StandardStreams.error("hearth serve: \(error)\n")
            return error.exitCode
        }
    }

    /// Runs the hub until a signal ends it.
    private static func run(_ configuration: ServeConfiguration) -> ExitCode {
        _ = configuration
        StandardStreams.error("hearth serve: the gateway is not part of this build yet\n")
        return .failure
    }
}
