import DataTree

/// Data, and maybe rules, for a place of a namespace: a proposal that is carried out as a whole or not at all.
package struct DataImport: Sendable {
    package enum Mode: String, Sendable {
        /// Only where nothing is.
        case empty
        /// Whatever is there goes.
        case replace
    }

    package let path: Path
    package let node: Node
    /// Rules that come with the data, checked and compiled.
    package let rules: ConfiguredRules?
    package let mode: Mode
    /// Who wants it: `administrator`, or a user's id.
    package let author: String
    /// The data as the log will hold them.
    var prepared: [PreparedText] = []
    /// Told what was done once that is durable, or why nothing was.
    package let reply: OneReply<Result<ImportReport, ImportFailure>>

    package init(
        path: Path, node: Node, rules: ConfiguredRules? = nil, mode: Mode, author: String,
        reply: OneReply<Result<ImportReport, ImportFailure>>
    ) {
        self.path = path
        self.node = node
        self.rules = rules
        self.mode = mode
        self.author = author
        self.reply = reply
    }
}

/// What an import brought.
package struct ImportReport: Sendable, Equatable {
    /// Children of the node at the path.
    package var children: Int
    package var leaves: Int
    /// The version of the rules that came along; nil when none did.
    package var rules: UInt32?

    package init(children: Int, leaves: Int, rules: UInt32?) {
        self.children = children
        self.leaves = leaves
        self.rules = rules
    }
}

/// Why nothing was imported. The texts reach the administrator.
package enum ImportFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case notEmpty(Path)
    /// Rules come along, and somebody has given the namespace other ones.
    case hasRules(version: UInt32)
    case invalid(String)
    /// It cannot be stored now; the text says why and what to do.
    case unavailable(String)

    package var description: String {
        switch self {
        case .notEmpty(let path):
            "There is data at /\(path) already. Import with mode replace to replace it, or choose another path."
        case .hasRules(let version):
            "The namespace has rules already (version \(version)). Import with mode replace to replace them, or the data alone."
        case .invalid(let text), .unavailable(let text): text
        }
    }

    /// For whoever asks a hub that stops, or a namespace that is deleted.
    package static let gone = ImportFailure.unavailable(
        "The namespace cannot be reached now. Try again in a few seconds.")
}

extension Engine {
    /// One log entry holds the data and the rules. The limit of a write's size does not hold here.
    func perform(_ request: DataImport) {
        withOwedPaid {
            do throws(ImportFailure) {
                let report = try carryOut(request)
                answer(request, .success(report))
            } catch {
                answer(request, .failure(error))
            }
        }
    }

    private func answer(_ request: DataImport, _ result: Result<ImportReport, ImportFailure>) {
        batch.requests.append(.administrative(.importData(request)))
        outbox.reply { request.reply.send(result) }
    }

    private func carryOut(_ request: DataImport) throws(ImportFailure) -> ImportReport {
        if let objection = objection(to: request.path) { throw .invalid(objection.reason) }
        if let refusal { throw .unavailable(refusal) }
        let current = rulesHistory.current
        let newRules = request.rules.flatMap { rules in
            current?.text.utf8.elementsEqual(rules.text.utf8) == true ? nil : rules
        }
        if request.mode == .empty {
            guard tree.node(at: request.path).isEmpty else { throw .notEmpty(request.path) }
            if newRules != nil, let current { throw .hasRules(version: current.number) }
        }
        var draft = Draft()
        do {
            try draft.add(WritePath(request.path), request.node, to: self)
        } catch {
            throw .invalid("\(error)")
        }
        // The rules first: who may not read by the new ones does not get to see the data.
        if let newRules {
            enact(
                RulesVersion(
                    number: rulesHistory.nextNumber, time: now, author: request.author, text: newRules.text),
                newRules.compiled)
        }
        batch.prepared += request.prepared
        record(draft.perform(on: &tree), author: WriteAuthor(importer: request.author), writeID: nil)
        let imported = tree.node(at: request.path)
        let report = ImportReport(
            children: imported.childCount, leaves: imported.leafCount,
            rules: request.rules == nil ? nil : rulesHistory.current?.number)
        let (log, namespace) = (log, configuration.namespace)
        outbox.reply {
            log.info(
                "data.imported",
                [
                    "namespace": LogValue(namespace), "path": LogValue(request.path),
                    "leaves": LogValue(integerLiteral: report.leaves), "author": LogValue(request.author),
                ])
        }
        return report
    }
}
