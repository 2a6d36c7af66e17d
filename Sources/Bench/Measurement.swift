import CMalloc
import Glibc

/// CPU time of the calling thread, in seconds: other work on the machine does not count, though it takes cache away.
func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The CPU seconds that `body` takes.
func seconds(_ body: () -> Void) -> Double {
    let start = threadSeconds()
    body()
    return threadSeconds() - start
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    if sorted.isEmpty { return 0 }
    return sorted.count % 2 == 1
        ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
}

/// Bytes of memory in use. Free heap goes back first: what a set-up left behind would be reused and hide what follows.
func residentBytes() -> Int {
    malloc_trim(0)
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Where results go, so that the optimiser cannot drop what makes them.
@inline(never)
func blackHole<Value>(_ value: Value) {}

/// Rows of a table: what was measured, the median, the best and worst, and how often.
struct Table {
    var title: String
    private var rows: [(name: String, value: String, spread: String)] = []

    init(_ title: String) { self.title = title }

    /// Adds a row of several runs of one measurement; `format` makes text of a figure.
    mutating func add(_ name: String, _ values: [Double], _ format: (Double) -> String) {
        let spread = "\(format(values.min() ?? 0)) to \(format(values.max() ?? 0)), \(values.count) runs"
        rows.append((name, format(median(values)), values.count > 1 ? spread : "1 run"))
        printRow(rows.count - 1)
    }

    /// Rows appear as they are measured.
    private func printRow(_ index: Int) {
        if index == 0 { print("\n\(title)") }
        let row = rows[index]
        print("  \(padded(row.name, 56)) \(padded(row.value, 16)) \(row.spread)")
        fflush(nil)
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// A figure with as many decimals as its size deserves.
func figure(_ value: Double) -> String {
    if value >= 100 { return "\(Int(value.rounded()))" }
    let scaled = Int((value * 100).rounded())
    let fraction = scaled % 100
    return "\(scaled / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}

func perSecond(_ rate: Double) -> String { "\(Int((rate / 1000).rounded()))k/s" }
func microseconds(_ seconds: Double) -> String { "\(figure(seconds * 1e6)) us" }
func milliseconds(_ seconds: Double) -> String { "\(figure(seconds * 1e3)) ms" }
func bytes(_ count: Double) -> String { "\(figure(count)) B" }
func megabytesPerSecond(_ rate: Double) -> String { "\(figure(rate / 1e6)) MB/s" }

/// A small deterministic random generator (SplitMix64).
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
