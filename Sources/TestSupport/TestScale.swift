import Glibc

/// How much of a long test is run: `HEARTH_TEST_SHORT=1` asks for the short form, for builds that are slow.
package enum TestScale {
    package static let isShort = getenv("HEARTH_TEST_SHORT").map { String(cString: $0) == "1" } ?? false

    /// One of two amounts of work.
    package static func pick<Amount>(_ full: Amount, short: Amount) -> Amount { isShort ? short : full }
}
