import DataTree

/// A state store that lives as long as the process: for `--memory` and for tests.
package final class MemoryState: StateStore {
    private struct RecordName: Hashable {
        var kind: UInt8
        var key: [UInt8]
    }

    private struct State {
        var position = LogPosition.none
        var tree = Node.empty
        var records: [RecordName: [UInt8]] = [:]
    }

    private let state = Monitor(State())

    package init() {}

    package func load() throws -> LoadedState {
        state.with { state in
            let records = state.records.map { StateRecord(kind: $0.key.kind, key: $0.key.key, value: $0.value) }
            let ordered = records.sorted { left, right in
                left.kind != right.kind ? left.kind < right.kind : left.key.lexicographicallyPrecedes(right.key)
            }
            return LoadedState(position: state.position, tree: state.tree, records: ordered)
        }
    }

    package func advance(from: Node, to: Node, records: [StateRecord], position: LogPosition) throws {
        state.with { state in
            state.tree = to
            state.position = position
            for record in records {
                state.records[RecordName(kind: record.kind, key: record.key)] = record.value
            }
        }
    }

    package func close() {}
}
