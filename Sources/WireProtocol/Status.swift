package enum Status: String, CaseIterable, Sendable { case ok; package var text: String { "" } }
