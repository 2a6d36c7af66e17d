import Glibc

/// Measures single rooms and prints tables; `scripts/bench` builds and calls it. Asserts nothing: figures from a busy
/// machine prove little.
@main
enum Bench {
    static func main() {
        switch CommandLine.arguments.dropFirst().first {
        case "tree": TreeBench.run(Array(CommandLine.arguments.dropFirst(2)))
        case "json": JSONBench.run(Array(CommandLine.arguments.dropFirst(2)))
        case "queries": QueryBench.run()
        case "wire": WireBench.run()
        case "rules": RulesBench.run()
        case "storage": StorageBench.run(Array(CommandLine.arguments.dropFirst(2)))
        case "engine":
            EngineBench.run()
            RuledEngineBench.run()
        case "gateway": GatewayBench.run(arguments: Array(CommandLine.arguments.dropFirst(2)))
        default:
            print("Usage: hearth-bench tree [memory|writes|wide|delete|hash|json]...")
            print("       hearth-bench json [messages|documents|numbers]...")
            print("       hearth-bench queries | wire | engine | rules")
            print("       hearth-bench storage [log|state]...")
            print("       hearth-bench gateway PORT [LOOPS]")
            exit(2)
        }
    }
}
