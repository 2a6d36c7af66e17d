/// What an administrator asks of one database: a proposal like those of sessions, in the same order and as durable.
package enum AdministrativeRequest: Sendable {
    case inquire(Inquiry)
    /// Ends the sessions that fit, and tells how many.
    case kick(SessionFilter, OneReply<Int>)
    case changeSetting(SettingChange)
    case importData(DataImport)
}

/// A question about a database. It is answered from one moment, when everything that the answer shows is durable.
package struct Inquiry: Sendable {
    /// Looks at the database now and gives what is to be called when the answer may leave.
    let look: @Sendable (Engine) -> @Sendable () -> Void

    /// - Parameter answer: must be quick; it holds the database up.
    package init<Answer: Sendable>(_ reply: OneReply<Answer>, _ answer: @escaping @Sendable (Engine) -> Answer) {
        look = { engine in
            let answer = answer(engine)
            return { reply.send(answer) }
        }
    }
}

extension Engine {
    func administer(_ request: AdministrativeRequest) {
        switch request {
        case .inquire(let inquiry):
            // Should what it saw be refused, it looks again.
            batch.requests.append(.administrative(request))
            outbox.reply(inquiry.look(self))
        case .kick(let filter, let reply):
            let count = kick(filter)
            tell(reply, count)
        case .changeSetting(let change): self.change(change)
        case .importData(let request): perform(request)
        }
    }

    /// Replies when the outputs of this batch leave, even if the log refuses the batch: it stays true.
    func tell<Value>(_ reply: OneReply<Value>, _ value: Value) {
        let body: @Sendable () -> Void = { reply.send(value) }
        batch.requests.append(.told(body))
        outbox.reply(body)
    }
}
