/// What work on data costs, in steps. One step is about what evaluating a plain node takes; long strings are charged by
/// length, so that no rule and no stored value turns a bounded number of steps into unbounded time.
enum StepCosts {
    /// Comparing, searching, copying or measuring so many bytes.
    static func text(_ bytes: Int) -> Int { bytes >> 10 }

    /// Mapping the case of so many bytes, which goes character by character.
    static func mapping(_ bytes: Int) -> Int { bytes >> 7 }

    /// Matching a regular expression: linear in the text, but when the automaton becomes too large for its memory, each
    /// byte may cost as much as the pattern has instructions.
    static func matching(_ bytes: Int, instructions: Int) -> Int {
        let (work, overflows) = bytes.multipliedReportingOverflow(by: instructions)
        return overflows ? .max >> 1 : work >> 10
    }
}
