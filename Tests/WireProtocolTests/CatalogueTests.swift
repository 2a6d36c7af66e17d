import Glibc
import Testing
import WireProtocol

@Suite("Catalogues of statuses and close reasons")
struct CatalogueTests {
    /// `scripts/generate-catalogues` sets it: the files are then written instead of compared.
    private static let isWriting = getenv("HEARTH_WRITE_CATALOGUES") != nil

    private func check(_ generated: String, is path: String) throws {
        if Self.isWriting {
            try ProjectFiles.write(generated, to: path)
        } else {
            #expect(try ProjectFiles.text(path) == generated, "run scripts/generate-catalogues")
        }
    }

    @Test("the enum of statuses is what the catalogue says")
    func statusSource() throws {
        try check(CatalogueGeneration.statusSource(), is: "Sources/WireProtocol/Status.swift")
    }

    @Test("the enum of leave reasons is what the catalogue says")
    func reasonSource() throws {
        try check(CatalogueGeneration.reasonSource(), is: "Sources/WireProtocol/LeaveReason.swift")
    }

    @Test("the tables in the description of the protocol are what the catalogues say")
    func tables() throws {
        var document = try ProjectFiles.text("protocol/websocket.md")
        document = try CatalogueGeneration.replacing("statuses", with: CatalogueGeneration.statusTable(), in: document)
        document = try CatalogueGeneration.replacing("reasons", with: CatalogueGeneration.reasonTable(), in: document)
        try check(document, is: "protocol/websocket.md")
    }

    @Test("statuses and reasons are unambiguous")
    func unambiguous() throws {
        let statuses = try CatalogueGeneration.statuses()
        #expect(Set(statuses.map(\.status)).count == statuses.count)
        let codes = try CatalogueGeneration.reasons().compactMap(\.closeCode)
        #expect(Set(codes).count == codes.count)
        // RFC 6455, section 7.4: 1005, 1006 and 1015 never travel; 4000 to 4999 are private.
        #expect(codes.allSatisfy { [1000, 1001, 1002, 1013].contains($0) || (4000...4999).contains($0) })
    }

    @Test("a refusal always has a text, for the Android SDK casts it to one")
    func texts() {
        for status in Status.allCases where status != .ok { #expect(!status.text.isEmpty) }
    }
}
