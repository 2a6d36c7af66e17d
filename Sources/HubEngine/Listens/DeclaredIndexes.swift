import DataTree

/// The indexes of `.indexOn` that are kept although nobody may be asking at the moment, so that who asks next finds them. They
/// come into being with the first query that uses them; those used longest ago go first.
struct DeclaredIndexes {
    struct Place: Hashable {
        let path: Path
        let index: Query.Index
    }

    /// In the order of their last use.
    private(set) var places: [Place] = []

    /// Notes a use.
    /// - Returns: what is to be let go for it.
    mutating func use(_ place: Place, limit: Int) -> [Place] {
        if places.last == place { return [] }
        places.removeAll { $0 == place }
        places.append(place)
        let excess = Array(places.prefix(max(0, places.count - limit)))
        places.removeFirst(excess.count)
        return excess
    }

    func contains(_ place: Place) -> Bool { places.contains(place) }

    /// Forgets those that `isDeclared` does not know any more, and tells which.
    mutating func remove(unless isDeclared: (Place) -> Bool) -> [Place] {
        let gone = places.filter { !isDeclared($0) }
        places.removeAll { !isDeclared($0) }
        return gone
    }
}
