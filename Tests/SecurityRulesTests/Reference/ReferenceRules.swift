/// A tree of rules of the reference, and the decisions over it as the language's description spells them.
final class ReferenceRules {
    var read: ReferenceTerm?
    var write: ReferenceTerm?
    var validate: ReferenceTerm?
    var literals: [(key: Units, rules: ReferenceRules)] = []
    var wildcard: (name: String, rules: ReferenceRules)?

    /// The text of the rules, as the value of the `rules` key.
    var text: String {
        var members: [String] = []
        for (name, term) in [(".read", read), (".write", write), (".validate", validate)] {
            if let term { members.append("\(Self.quoted(name)): \(Self.quoted(term.text))") }
        }
        for (key, rules) in literals { members.append("\(Self.quoted(key.text)): \(rules.text)") }
        if let wildcard { members.append("\(Self.quoted(wildcard.name)): \(wildcard.rules.text)") }
        return "{\(members.joined(separator: ", "))}"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] } + "\""
    }

    /// A place on the way to some data.
    struct Place {
        var rules: ReferenceRules
        var path: [Units]
        var captures: [String: Units]

        func child(_ key: Units) -> Place? {
            if let literal = rules.literals.first(where: { $0.key == key }) {
                return Place(rules: literal.rules, path: path + [key], captures: captures)
            }
            guard let wildcard = rules.wildcard else { return nil }
            var captures = captures
            captures[wildcard.name] = key
            return Place(rules: wildcard.rules, path: path + [key], captures: captures)
        }
    }

    /// The places of the rules from the root to a path, as far as there are any.
    private func way(to path: [Units]) -> [Place] {
        var places = [Place(rules: self, path: [], captures: [:])]
        for key in path {
            guard let place = places.last?.child(key) else { break }
            places.append(place)
        }
        return places
    }

    struct Request {
        var auth: ReferenceTree?
        var now: Double
        var old: ReferenceTree
        var new: ReferenceTree

        func isTrue(_ term: ReferenceTerm, at place: Place) -> Bool {
            let evaluator = ReferenceEvaluator(
                old: old, new: new, place: place.path, captures: place.captures, auth: auth, now: now)
            return evaluator.outcome(term) == true
        }
    }

    func allowsRead(_ path: [Units], _ request: Request) -> Bool {
        way(to: path).contains { place in place.rules.read.map { request.isTrue($0, at: place) } ?? false }
    }

    func allowsWrite(_ paths: [[Units]], _ request: Request) -> Bool {
        paths.allSatisfy { path in
            let way = way(to: path)
            let isGranted = way.contains { place in
                place.rules.write.map { request.isTrue($0, at: place) } ?? false
            }
            guard isGranted else { return false }
            for place in way {
                if !request.new.at(place.path).hasData { return true }
                if let rule = place.rules.validate, !request.isTrue(rule, at: place) { return false }
            }
            guard let last = way.last, last.path == path else { return true }
            return validatesBelow(last, request)
        }
    }

    private func validatesBelow(_ place: Place, _ request: Request) -> Bool {
        request.new.at(place.path).children.keys.allSatisfy { key in
            guard let child = place.child(key) else { return true }
            if let rule = child.rules.validate, !request.isTrue(rule, at: child) { return false }
            return validatesBelow(child, request)
        }
    }
}
