/// The texts of `--help`.
enum Help {
    static var overview: String {
        var text = """
            Usage: hearth COMMAND [ARGUMENT...]

            A realtime database for devices, servers and browsers: speaks the protocol of the
            Firebase Realtime Database, so official SDKs connect to it as they are.

            The hub:

            """
        text += entry("serve", "run the hub; see hearth serve --help")
        for section in CommandTable.sections {
            text += "\n\(section.title)\n"
            for item in section.entries { text += entry(item.name, item.brief) }
        }
        text += "\nMore:\n"
        text += entry("version", "print the version")
        text += entry("help", "print this")
        return text + """

            Each has its own help: hearth COMMAND --help. Those that talk to a hub find it at
            \(HubAddress.standard), or where --url or HEARTH_URL says.

            """
    }

    /// A line of a list of commands.
    static func entry(_ name: String, _ brief: String) -> String {
        "  \(name)" + String(repeating: " ", count: max(2, 13 - name.utf8.count)) + brief + "\n"
    }

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
