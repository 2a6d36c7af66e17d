import Fuzzing
import Glibc

/// What libFuzzer calls for each input. `HEARTH_FUZZ_TARGET` names the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let disagreement = target.disagreement(over: UnsafeRawBufferPointer(start: bytes, count: count)) {
        fatalError(disagreement)
    }
    return 0
}

private let target: FuzzTarget = {
    let name = getenv("HEARTH_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else { fatalError("HEARTH_FUZZ_TARGET names no target: '\(name)'") }
    return target
}()
