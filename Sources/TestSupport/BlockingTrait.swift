import Glibc
import Storage
import Testing

/// Runs tests that block — on sockets, processes, the disk — on threads of their own instead of the few that all tests
/// share: there is one shared thread for each core, and a test that sleeps on it keeps others from running.
///
/// ```swift
/// @Suite("a hub that is killed", .serialized, .blocking)
/// ```
package struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(ThreadPool.shared) { try await function() }
    }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> BlockingTrait? { testCase == nil ? nil : self }
}

extension Trait where Self == BlockingTrait {
    /// The test blocks its thread.
    package static var blocking: Self { Self() }
}

/// A few threads that take turns with blocking tests.
private final class ThreadPool: TaskExecutor {
    static let shared = ThreadPool(threads: 8)

    private let jobs = Monitor<[UnownedJob]>([])

    init(threads: Int) {
        for _ in 0..<threads {
            guard startThread({ [self] in run() }) else { fatalError("no thread for tests") }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.update { $0.append(job) }
    }

    private func run() {
        while true {
            guard let job = jobs.wait(for: { $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
