import SecurityRules

/// Why a hub refused a request: from its answer, or from the status when that says nothing.
struct Refusal: Equatable {
    let status: Int
    /// A word for programs, from `/.hub/v1`.
    let code: String?
    /// The hub's reason, as it came.
    let text: String
    /// What the hub says to do about it.
    let remedy: String?

    init(_ answer: HTTPAnswer) {
        status = answer.status
        let error = ReportValue(answer: answer.refusal)?["error"]
        code = error?["code"]?.text
        remedy = error?["remedy"]?.text
        if let text = error?.text ?? error?["text"]?.text {
            self.text = text
            return
        }
        // A proxy's page, or the hub's own words for people; the first line is enough of it.
        let line = String(decoding: answer.refusal.prefix(400), as: UTF8.self).split(whereSeparator: \.isNewline).first
        let isProse = line.map { !$0.hasPrefix("<") && !$0.hasPrefix("{") } ?? false
        self.text = isProse ? String(line ?? "") : "the answer was HTTP \(status)"
    }

    /// A sentence with the remedy at its end, for who gave a credential or not.
    func problem(_ target: HubTarget) -> CommandProblem {
        let reason = String(shown(text).reversed().drop { $0 == "." || $0 == " " }.reversed())
        switch status {
        case 401 where target.credential == nil && code != nil:
            return .failure("\(reason); give --auth @DATA/admin.secret, or --auth owner for a hub in --dev")
        case 401 where target.credential == nil: return .failure("\(reason); say who you are with --auth")
        case _ where remedy?.isEmpty == false:
            let remedy = shown(remedy ?? "")
            return .failure(reason + (remedy.first?.isUppercase == true ? ". " : "; ") + remedy)
        // What has a code comes from a hub that says itself what to do.
        case _ where code != nil: return .failure(reason)
        case 401, 403: return .failure("\(reason); check --auth, and the rules of the namespace")
        case 404, 405: return .failure("\(reason); check --url, --ns, and whether the hub is of this version")
        case 429, 500...599: return .failure("\(reason); try again in a while")
        default: return .failure(reason)
        }
    }
}
