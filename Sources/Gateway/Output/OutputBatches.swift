import HubEngine

/// Outputs that a loop took out of its inbox, and how far it has come with them.
///
/// They are kept to the end, because what is sorted by connection refers to their frames without holding them.
struct OutputBatches {
    private var batches: [[LoopOutput]] = []
    private var batch = 0
    private var index = 0

    init() {}

    init(_ batches: [[LoopOutput]]) { self.batches = batches.filter { !$0.isEmpty } }

    var isEmpty: Bool { batches.isEmpty }

    /// The output whose turn it is, nil after the last.
    func next() -> LoopOutput? { batch < batches.count ? batches[batch][index] : nil }

    /// Goes on to the output after it.
    mutating func advance() {
        index += 1
        while batch < batches.count, index >= batches[batch].count {
            batch += 1
            index = 0
        }
    }
}
