import CLibwebsockets
import HubEngine
import WireProtocol

/// `/<path>.json`: reads and writes for clients without a session.
extension Loop {
    /// Asks the engine; the answer comes back as a `CallAnswer`.
    func begin(
        _ rest: RestExchange, _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>,
        _ socket: OpaquePointer
    ) -> Int32 {
        let sink: any SessionEventSink
        switch namespace(of: exchange.head) {
        case .failure(let error): return answer(HTTPResponse(error), exchange, connection, socket)
        case .success(let found): sink = found
        }
        if rest.request.isStream { return openEventStream(rest, exchange, sink, connection, socket) }
        let call: Call
        do throws(RestError) {
            call = try rest.call(
                exchange.body.finish(), bytes: exchange.body.count, isAdministrative: exchange.head.isAdministrative)
        } catch {
            return answer(HTTPResponse(error), exchange, connection, socket)
        }
        connection.pointee.port = port(for: sink)
        if rest.request.operation == .get, rest.request.timeout < RestRequest.greatestTimeout {
            let ticks = Int64(rest.request.timeout) / settings.tickMilliseconds + 1
            deadlines.append(
                (connections.id(connection), exchange.number, clock.tick &+ UInt32(clamping: ticks)))
        }
        post(.call(connections.id(connection), call), from: connection)
        return 0
    }

    /// Asks the engine about a lease.
    func begin(
        _ lease: LeaseExchange, _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>,
        _ socket: OpaquePointer
    ) -> Int32 {
        do throws(RestError) {
            let sink = try namespace(of: exchange.head).get()
            let call = try lease.call(
                exchange.body.finish(), isAdministrative: exchange.head.isAdministrative)
            connection.pointee.port = port(for: sink)
            post(.call(connections.id(connection), call), from: connection)
            return 0
        } catch {
            return answer(HTTPResponse(error), exchange, connection, socket)
        }
    }

    /// The namespace that a request is for.
    func namespace(of head: HTTPHead) -> Result<any SessionEventSink, RestError> {
        switch settings.namespaces.name(query: head.namespaceArgument, host: head.host) {
        case .failure: .failure(.invalidNamespace)
        case .success(let name):
            settings.router.route(namespace: name).mapError { refusal in
                if case .invalidName = refusal { return .invalidNamespace }
                return RestError(status: refusal.status, text: refusal.description)
            }
        }
    }

    /// The engine's answer to a call.
    func answer(_ answer: CallAnswer, to id: ConnectionID) {
        guard let connection = connections.find(id), let socket = connection.pointee.socket else { return }
        if connection.pointee.flags.contains(.isEventStream) { return refuseEventStream(answer, connection) }
        guard let exchange = connection.pointee.introduction?.exchange,
            case .waiting = exchange.state
        else { return }
        let response: HTTPResponse
        switch exchange.purpose {
        case .rest(let rest): response = HTTPResponse(answer, to: rest.request)
        case .lease: response = HTTPResponse(lease: answer)
        case .refused, .route, .longPoll: return
        }
        endUnlessZero(self.answer(response, exchange, connection, socket), connection)
    }

    /// Gives up reads that take longer than their clients want to wait.
    func lookAtDeadlines() {
        guard !deadlines.isEmpty else { return }
        let now = clock.tick
        let late = deadlines.filter { Int32(bitPattern: now &- $0.tick) >= 0 }
        deadlines.removeAll { Int32(bitPattern: now &- $0.tick) >= 0 }
        for (id, number, _) in late {
            // The answer may still come; the connection must not take it for that to its next request.
            answer(
                HTTPResponse(RestError(text: "the read took longer than its timeout")).closing, to: id, number: number)
        }
    }
}
