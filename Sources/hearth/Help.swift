/// The texts of `--help`.
enum Help {
    static let overview = """
        Usage: hearth COMMAND [ARGUMENT...]

        A realtime database for devices, servers and browsers: speaks the protocol of the
        Firebase Realtime Database, so official SDKs connect to it as they are.

          serve      run the hub; see hearth serve --help
          rules      check and test security rules; see hearth rules --help
          version    print the version
          help       print this

        """

    static let rules = """
        Usage: hearth rules COMMAND [ARGUMENT...]

        Security rules in files, without a hub.

          check      whether a hub would take the rules; see hearth rules check --help
          test       ask the rules about cases and compare; see hearth rules test --help
          simulate   ask the rules about one operation; see hearth rules simulate --help

        Exit codes: 0 success, 1 refused or failed, 2 bad usage.

        """

    static var serve: String {
        var text = """
            Usage: hearth serve [OPTION...]

            Runs the hub in the foreground. When it is ready it prints one line on standard output,

                hearth ready http://HOST:PORT pid PID

            and logs on standard error. SIGTERM and SIGINT stop it, SIGHUP makes it read its
            configuration and certificates again.


            """
        for option in ServeOption.all {
            let head = "  --" + option.name + (option.argument.map { " " + $0 } ?? "")
            text += padded(head)
            text += option.help.split(separator: "\n").joined(separator: "\n" + padded("")) + "\n"
        }
        return text + """

            An option that takes a value may be written --name value or --name=value. In a
            configuration file the same names stand without dashes:

                {"host": "0.0.0.0", "namespace": ["demo", "shop"], "dead-peer-seconds": 30}

            Exit codes: 0 clean stop, 1 could not start or failed, 2 bad usage.

            """
    }

    private static func padded(_ text: String) -> String {
        text + String(repeating: " ", count: max(1, 30 - text.utf8.count))
    }
}
