import TestSupport
import Testing

/// What the system knows of a running process.
struct ProcessFigures {
    /// Memory in RAM, in mebibytes.
    let residentMegabytes: Int
    let threads: Int

    init(of processID: Int32) throws {
        let status = TemporaryFolder.contents(of: "/proc/\(processID)/status") ?? ""
        func number(_ name: String) throws -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            guard let word = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first,
                let number = Int(word)
            else { throw DeviceError.missing("process \(processID) has no \(name): has it ended?") }
            return number
        }
        residentMegabytes = try number("VmRSS") / 1024
        threads = try number("Threads")
    }

    /// Checks that a process has not grown by more than so many megabytes. Sanitizers keep freed memory and shadow it, so that
    /// their processes say nothing about this.
    func expectGrowth(
        since before: ProcessFigures, below megabytes: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if TestScale.isShort { return }
        #expect(
            residentMegabytes - before.residentMegabytes < megabytes, "\(before) \(self)",
            sourceLocation: sourceLocation)
    }
}
