import DataTree
import Storage
import TestSupport
import Testing

/// What every state store promises, checked on each implementation.
@Suite struct StateConformanceTests {
    enum Medium: CaseIterable, Sendable {
        case memory, sqlite

        /// Opens the same store again and again.
        func place() -> () throws -> any StateStore {
            switch self {
            case .memory:
                let state = MemoryState()
                return { state }
            case .sqlite:
                let directory = TemporaryFolder()
                return { try SQLiteState(file: "\(directory.path)/state.sqlite") }
            }
        }
    }

    @Test("a new store is empty at position 0", arguments: Medium.allCases)
    func beginsEmpty(medium: Medium) throws {
        let loaded = try medium.place()().load()
        #expect(loaded.position == .none)
        #expect(loaded.tree.isEmpty)
        #expect(loaded.records.isEmpty)
    }

    @Test("records come back in order of kind and key; nil deletes", arguments: Medium.allCases)
    func keepsRecords(medium: Medium) throws {
        let open = medium.place()
        let state = try open()
        _ = try state.load()
        try state.advance(
            from: .empty, to: .empty,
            records: [
                StateRecord(kind: 2, key: [1], value: [9]), StateRecord(kind: 1, key: [200], value: []),
                StateRecord(kind: 1, key: [1, 2], value: [3]), StateRecord(kind: 1, key: [], value: [0, 255]),
                StateRecord(kind: 1, key: [1], value: [4]),
            ], position: LogPosition(5))
        try state.advance(
            from: .empty, to: .empty,
            records: [
                StateRecord(kind: 1, key: [1], value: nil), StateRecord(kind: 1, key: [1, 2], value: [7]),
                StateRecord(kind: 9, key: [9], value: nil),
            ], position: LogPosition(6))
        state.close()
        let loaded = try open().load()
        #expect(loaded.position == LogPosition(6))
        #expect(
            loaded.records == [
                StateRecord(kind: 1, key: [], value: [0, 255]), StateRecord(kind: 1, key: [1, 2], value: [7]),
                StateRecord(kind: 1, key: [200], value: []), StateRecord(kind: 2, key: [1], value: [9]),
            ])
    }

    @Test("every kind of value and priority comes back", arguments: Medium.allCases)
    func keepsValues(medium: Medium) throws {
        let values = [
            "5", "-9223372036854775808", "0.1", "1e300", "true", "false", "\"\"", "\"ä\\u0000\\n\\\"\"",
            #"{".value":1,".priority":2}"#, #"{".value":"x",".priority":"p"}"#, #"{".priority":1.5,"a":true}"#,
            #"{".priority":"q","a":{".priority":3,"b":{".value":false,".priority":0}},"1":{"01":1,"1":2,"-0":3,"00":4}}"#,
        ]
        let open = medium.place()
        var tree = Node.empty
        var state = try open()
        _ = try state.load()
        for (index, json) in values.enumerated() {
            let next = try Node(json: json)
            try state.advance(from: tree, to: next, records: [], position: LogPosition(UInt64(index + 1)))
            state.close()
            state = try open()
            let loaded = try state.load()
            #expect(loaded.tree == next, "\(json)")
            #expect(loaded.tree.json == next.json)
            tree = next
        }
    }

    @Test("after any mutations a store holds the tree it was brought to", arguments: Medium.allCases, 0..<6)
    func followsRandomMutations(medium: Medium, seed: Int) throws {
        var model = StateModel(seed: seed)
        let open = medium.place()
        var state = try open()
        var known = try state.load().tree
        for pass in 1...12 {
            for _ in 0..<Int.random(in: 1...12, using: &model.random) { model.mutate() }
            try state.advance(from: known, to: model.tree, records: [], position: LogPosition(UInt64(pass)))
            known = model.tree
            if Bool.random(using: &model.random) {
                state.close()
                state = try open()
                let loaded = try state.load()
                #expect(loaded.tree == model.tree, "seed \(seed) pass \(pass)")
                #expect(loaded.position == LogPosition(UInt64(pass)))
                known = loaded.tree
            }
        }
    }
}
