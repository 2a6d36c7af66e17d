/// `hearth rules …`: security rules in files, checked, tested and asked without a hub, and those of a hub's namespaces.
enum RulesCommand {
    static var group: CommandGroup {
        CommandGroup(
            name: "hearth rules", brief: "check, test and deploy security rules; see hearth rules --help",
            summary: "Security rules: in files, without a hub, and those of a namespace of a hub.",
            commands: [
                SubCommand(
                    brief: "whether a hub would take the rules in a file", syntax: RulesCheck.syntax,
                    run: RulesCheck.run),
                SubCommand(
                    brief: "ask the rules in a file about cases and compare", syntax: RulesTest.syntax,
                    run: RulesTest.run),
                SubCommand(
                    brief: "ask the rules in a file about one operation", syntax: RulesSimulate.syntax,
                    run: RulesSimulate.run),
                RulesDeploy.get, RulesDeploy.set, RulesDeploy.versions, RulesDeploy.rollback,
            ])
    }
}
