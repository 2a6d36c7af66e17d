import Glibc
import TestSupport

/// A disk of its own that a test can fill up: a tmpfs that ends with this object.
final class SmallDisk {
    private let folder = TemporaryFolder()

    /// Where it is mounted.
    var path: String { folder.path(of: "disk") }
    private var ballast: String { path + "/ballast" }

    /// Whether this process may mount one.
    static let isPermitted = geteuid() == 0 && (try? SmallDisk(megabytes: 1)) != nil

    init(megabytes: Int) throws {
        mkdir(path, 0o700)
        let (exit, _, error) = try HubProcess.run(command: [
            "/bin/mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "tmpfs", path,
        ])
        guard exit == .code(0) else { throw DeviceError.missing("no tmpfs: \(error)") }
    }

    deinit { _ = try? HubProcess.run(command: ["/bin/umount", "-l", path]) }

    /// Takes all the room that is left. False when there was none.
    func fill() -> Bool {
        let before = ballastBytes
        // Page by page at the end, so that nothing is left over.
        for step in [1 << 20, 1 << 16, 4096] {
            while DataFiles.allocate(ballast, bytes: ballastBytes + step) { ballastBytes += step }
        }
        return ballastBytes > before
    }

    private var ballastBytes = 0

    /// Gives the room back.
    func free() {
        unlink(ballast)
        ballastBytes = 0
    }
}
