/// What the arguments after `hearth serve` ask for.
enum ServeCommand: Equatable {
    case help
    case run(ServeConfiguration)

    /// Reads arguments, and the configuration file that they name.
    ///
    /// - Parameter contents: reads a file; tests give their own.
    init(
        arguments: [String],
        contents: (String) throws(ConfigurationProblem) -> [UInt8] = ConfigurationFile.contents(of:)
    ) throws(ConfigurationProblem) {
        var settings = try Settings(arguments: arguments)
        if settings.asksForHelp {
            self = .help
            return
        }
        if let path = settings.entries["config"]?.values.first {
            settings = settings.over(try ConfigurationFile.settings(from: contents(path), path: path))
        }
        self = .run(try ServeConfiguration(settings))
    }
}
