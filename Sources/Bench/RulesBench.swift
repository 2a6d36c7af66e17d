import DataTree
import Glibc
import SecurityRules

/// Security rules: what it costs to decide the operations of the eight sets of rules among the tests, and what it costs to
/// compile them. Trees before and after are made beforehand.
enum RulesBench {
    private static let names = [
        "todos", "chat", "presence", "roles", "rate-limit", "append-only-log", "orders", "usernames",
    ]
    private static let folder = "Tests/SecurityRulesTests/Cases"

    static func run() {
        var sets: [RuleSet] = []
        for name in names {
            guard let set = RuleSet(name, in: folder) else {
                print("hearth-bench: cannot read \(folder)/\(name).*.json; start it in the project's folder")
                exit(1)
            }
            sets.append(set)
        }
        decisions(sets)
        recorded(sets)
        largeWrites(sets)
        compilation(sets)
    }

    // MARK: - Decisions

    private static func decisions(_ sets: [RuleSet]) {
        var table = Table("deciding one operation, all of a set in turn")
        for set in sets {
            for (kind, operations) in [("reads", set.operations.filter(\.isRead)), ("writes", set.writes)]
            where !operations.isEmpty {
                let times = measure(operations.count) {
                    for operation in operations { blackHole(operation.decide(set.rules)) }
                }
                table.add("\(set.name): \(kind)", times, nanoseconds)
            }
        }
        let all = measure(sets.reduce(0) { $0 + $1.operations.count }) {
            for set in sets { for operation in set.operations { blackHole(operation.decide(set.rules)) } }
        }
        table.add("all sets", all, nanoseconds)
        table.add("all sets, decisions per second", all.map { 1 / $0 }, perSecond)
    }

    /// What listens pay for knowing what they depend on, and debugging sessions for being told.
    private static func recorded(_ sets: [RuleSet]) {
        var table = Table("watched decisions, all sets")
        let count = sets.reduce(0) { $0 + $1.operations.count }
        let reads = sets.reduce(0) { $0 + $1.operations.filter(\.isRead).count }
        table.add(
            "reads with their dependencies",
            measure(reads) {
                for set in sets { for operation in set.operations { operation.record(set.rules) } }
            }, nanoseconds)
        table.add(
            "all operations explained",
            measure(count) {
                for set in sets { for operation in set.operations { blackHole(operation.explain(set.rules)) } }
            }, nanoseconds)
    }

    /// Seconds for one of `count` things that `body` does, in several runs.
    private static func measure(_ count: Int, _ body: () -> Void) -> [Double] {
        body()
        let once = max(seconds(body), 1e-7)
        let repetitions = max(1, Int(0.1 / once))
        return (0..<5).map { _ in
            seconds { for _ in 0..<repetitions { body() } } / Double(repetitions * count)
        }
    }

    // MARK: - Large writes

    private static func largeWrites(_ sets: [RuleSet]) {
        guard let todos = sets.first(where: { $0.name == "todos" }) else { return }
        var table = Table("a write of 100,000 to-do items, each validated")
        let items = TreeBench.object(100_000, TreeBench.pushKey) { number in
            Node(children: [
                ("title", Node(leaf: .string(Text("item \(number)")))), ("done", Node(leaf: .bool(false))),
                ("due", Node(leaf: .integer(Int64(number)))),
            ])
        }
        var new = Node.empty
        new.set(items, at: "todos/alice")
        let identity = RuleIdentity(uid: "alice", provider: nil, token: .empty)
        var isAllowed = false
        let times = (0..<5).map { _ in
            seconds {
                isAllowed =
                    todos.rules.write([RuleWrite("todos/alice")], by: identity, now: 0, from: .empty, to: new).isAllowed
            }
        }
        table.add(isAllowed ? "allowed" : "denied, which is wrong", times, milliseconds)
        new.removeDeeply()
    }

    // MARK: - Compiling

    private static func compilation(_ sets: [RuleSet]) {
        var table = Table("compiling a file of rules")
        for set in sets {
            table.add(
                "\(set.name), \(set.text.count) bytes",
                measure(1) { blackHole(try? CompiledRules(set.text)) }, microseconds)
        }
    }

    private static func nanoseconds(_ seconds: Double) -> String { "\(figure(seconds * 1e9)) ns" }
}

/// A set of rules and the operations of its cases.
private struct RuleSet {
    let name: String
    let text: [UInt8]
    let rules: CompiledRules
    let operations: [RuleOperation]

    var writes: [RuleOperation] { operations.filter { !$0.isRead } }

    init?(_ name: String, in folder: String) {
        guard let text = contents(of: "\(folder)/\(name).rules.json"),
            let cases = contents(of: "\(folder)/\(name).cases.json"),
            let rules = try? CompiledRules(text), let read = try? RuleCase.all(in: cases)
        else { return nil }
        self.name = name
        self.text = text
        self.rules = rules
        operations = read.compactMap { try? RuleOperation($0, now: 0) }
    }
}

extension RuleOperation {
    fileprivate var isRead: Bool {
        if case .read = request { true } else { false }
    }

    fileprivate func record(_ rules: CompiledRules) {
        guard case .read(let path, let query) = request else { return }
        var dependencies = ReadDependencies()
        blackHole(rules.read(path, query: query, by: identity, now: now, in: old, dependencies: &dependencies))
    }
}

/// The bytes of a file; nil if it cannot be read.
func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        if count == 0 { break }
        bytes += chunk[..<count]
    }
    return ferror(file) == 0 ? bytes : nil
}
