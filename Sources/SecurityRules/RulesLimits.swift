/// What a rules file may contain and what a decision may cost: counts alone, never time, so that one input always gives
/// one outcome.
package struct RulesLimits: Equatable, Sendable {
    /// The longest rules text in bytes. A dry run may raise it and warn instead.
    package var textBytes = 262_144
    /// The longest expression in bytes.
    package var expressionBytes = 65_536
    /// How deep expressions nest.
    package var expressionNesting = 200
    /// How many keys stand above a rule, as for data.
    package var depth = 32
    /// The longest key in bytes, as for data.
    package var keyBytes = 768
    /// What a decision may cost: one step for each node of an expression that is evaluated and for each key of a
    /// computed path, more for work on long strings (`StepCosts`).
    package var steps = 100_000
    /// Further steps of a decision for each written place, and for each carried one that has a rule, so that the cost of a
    /// large write is bounded by its size rather than the size of writes by a fixed cost. A single rule may still take
    /// no more than `steps`.
    package var stepsPerPlace = 100
    /// The longest string that `+`, `replace` and the case mappings build, in bytes.
    package var stringBytes = 10_485_760
    /// How many rules an explanation lists.
    package var traceEntries = 10_000

    package init() {}
}
