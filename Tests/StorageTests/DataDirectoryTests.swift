import DataTree
import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite struct DataDirectoryTests {
    private let home = TemporaryFolder()
    private var path: String { "\(home.path)/data" }

    private func mode(_ name: String) -> mode_t {
        var information = stat()
        return stat("\(path)\(name)", &information) == 0 ? information.st_mode & 0o777 : 0
    }

    @Test("a new directory is for its owner alone and names its format")
    func makesDirectory() throws {
        let directory = try DataDirectory(path: path)
        var random = SeededRandom(1)
        _ = try directory.administratorSecret(using: &random)
        let opened = try directory.namespace("demo").open()
        opened.log.close()
        opened.state.close()
        #expect(try FileTree.contents(of: "\(path)/format") == Array("hearth-data 1\n".utf8))
        for name in ["", "/namespaces", "/namespaces/demo", "/namespaces/demo/log"] { #expect(mode(name) == 0o700) }
        for name in ["/format", "/lock", "/admin.secret", "/namespaces/demo/state.sqlite"] {
            #expect(mode(name) == 0o600)
        }
        #expect(mode("/namespaces/demo/log/00000000000000000001.log") == 0o600)
    }

    @Test("directories above are made, too")
    func makesParents() throws {
        _ = try DataDirectory(path: "\(home.path)/one/two/three")
        #expect(FileTree.isDirectory("\(home.path)/one/two/three/namespaces"))
    }

    @Test("a second hub is told which process holds the directory, until that one lets go")
    func locks() throws {
        var first: DataDirectory? = try DataDirectory(path: path)
        let error = #expect(throws: StorageError.self) { try DataDirectory(path: path) }
        #expect(
            error?.description
                == "\(path) is in use by process \(getpid()); stop that hub, or choose another directory with --data")
        withExtendedLifetime(first) {}
        first = nil
        _ = try DataDirectory(path: path)
    }

    @Test(
        "a newer or foreign format is refused",
        arguments: [
            ("hearth-data 2\n", "has format 2, this release reads up to 1"),
            ("something else\n", "is damaged at byte 0"),
            ("", "is damaged at byte 0"),
        ])
    func refusesFormat(text: String, reason: String) throws {
        _ = try DataDirectory(path: path)
        try FileTree.write(Array(text.utf8), to: "\(path)/format", in: path)
        let error = #expect(throws: StorageError.self) { try DataDirectory(path: path) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test("a path that cannot be made is refused with the reason")
    func refusesImpossiblePath() {
        let error = #expect(throws: StorageError.self) { try DataDirectory(path: "/dev/null/data") }
        #expect(error?.description.contains("/dev/null") == true)
    }

    @Test("the administrator's secret is made once, of the random numbers it is given")
    func makesSecret() throws {
        let directory = try DataDirectory(path: path)
        var random = SeededRandom(1)
        let made = try directory.administratorSecret(using: &random)
        #expect(made.isNew)
        #expect(made.secret.utf8.count == 43)
        var other = SeededRandom(2)
        let read = try directory.administratorSecret(using: &other)
        #expect(!read.isNew)
        #expect(read.secret == made.secret)
        try FileTree.write([], to: "\(path)/admin.secret", in: path)
        let error = #expect(throws: StorageError.self) { try directory.administratorSecret(using: &other) }
        #expect(
            error?.description
                == "\(path)/admin.secret does not hold one secret; delete it, and the next start makes a new one")
    }

    @Test("names differ by case, are listed, and go with all they hold")
    func keepsNamespaces() throws {
        let directory = try DataDirectory(path: path)
        for name in ["demo", "Demo", "_accounts"] {
            let place = try directory.namespace(name)
            #expect(!place.exists)
            let (log, state) = try place.open()
            let observer = LogObserver(log)
            observer.submit("entry of \(name)")
            log.close()
            state.close()
            #expect(place.exists)
        }
        #expect(try directory.namespaceNames() == ["Demo", "_accounts", "demo"])
        #expect(try directory.namespace("Demo").open().log.texts() == ["entry of Demo"])
        try directory.deleteNamespace("demo")
        try directory.deleteNamespace("never-made")
        #expect(try directory.namespaceNames() == ["Demo", "_accounts"])
        let names = try PosixFiles().list("\(path)/namespaces").sorted()
        #expect(names == ["Demo", "_accounts"])
    }

    @Test("what a crash left of a deleted namespace goes at the next start")
    func finishesDeletion() throws {
        _ = try DataDirectory(path: path)
        try FileTree.makeDirectory("\(path)/namespaces/.deleted-demo/log")
        _ = try DataDirectory(path: path)
        #expect(try PosixFiles().list("\(path)/namespaces") == [])
    }

    @Test(
        "names that are no namespace are refused",
        arguments: [
            "", "-a", "a/b", "..", ".", "a b", "ä", "a\u{0}", String(repeating: "x", count: 65),
        ])
    func refusesNames(name: String) throws {
        let directory = try DataDirectory(path: path)
        #expect(throws: StorageError.invalidName(name)) { try directory.namespace(name) }
    }

    @Test("a state whose log was lost is refused instead of going on without it")
    func refusesLostLog() throws {
        let directory = try DataDirectory(path: path)
        let place = try directory.namespace("demo")
        var (log, state) = try place.open()
        _ = try state.load()
        try state.advance(from: .empty, to: Node(leaf: .bool(true)), records: [], position: LogPosition(0))
        log.close()
        state.close()
        try FileTree.remove("\(place.path)/log")
        (log, state) = try place.open()
        let error = #expect(throws: StorageError.self) { try state.load() }
        #expect(error == .foreignLog(state: place.stateFile, log: "\(place.path)/log"))
    }
}
