/// One connection of `hearth watch`, from its request to its end.
final class WatchStream {
    enum End: Equatable {
        /// A signal came.
        case interrupted
        /// Nobody reads the output any more.
        case readerGone
        /// The hub does not want to go on, or what comes makes no sense.
        case ended(CommandProblem)
        /// The hub did not begin.
        case refused(HTTPAnswer)
        /// The connection is gone, or never came about; why.
        case lost(String)
    }

    /// Whether anything came.
    private(set) var hasEvents = false
    private let environment: CommandEnvironment
    private var parser = EventParser()

    init(_ environment: CommandEnvironment) { self.environment = environment }

    /// Prints the events as they come.
    func follow(_ request: HTTPRequest) -> End {
        do throws(HTTPProblem) {
            let answer = try environment.send(request) { [self] bytes throws(CommandProblem) in try take(bytes) }
            return answer.isSuccess ? .lost("the hub closed the stream; check --url") : .refused(answer)
        } catch {
            switch error {
            case .interrupted: return .interrupted
            case .stopped(.readerGone): return .readerGone
            case .stopped(let problem): return .ended(problem)
            case .unreachable(let text), .broken(let text): return .lost(text)
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(CommandProblem) {
        let events: [StreamEvent]
        do throws(EventParser.Problem) {
            events = try parser.feed(bytes)
        } catch {
            throw .failure("an event is larger than this command takes; watch a place further down")
        }
        for event in events {
            hasEvents = true
            switch WatchLine(event) {
            case .line(let line): try environment.write(bytes: line)
            case .nothing: break
            case .end(let reason): throw .failure(reason)
            }
        }
    }
}
