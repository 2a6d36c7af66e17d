import HubEngine
import WireProtocol

/// One request on a connection and its answer. Confined to the loop's thread.
///
/// `receiving → waiting → sending → done`; an event stream goes from `waiting` to a session of its own.
final class HTTPExchange {
    enum State {
        /// The body is on its way.
        case receiving
        /// Everything is there; the answer is being worked out.
        case waiting
        /// The body of the answer goes out as the socket takes it.
        case sending(ResponseStream)
        /// The last bytes wait for the socket.
        case flushing
        case done
    }

    /// What the body is for.
    enum Purpose {
        /// Answered already; the body is of no interest.
        case refused(HTTPResponse)
        case route(HTTPRoute)
        case rest(RestExchange)
        case lease(LeaseExchange)
        case longPoll(LongPollRequest)
    }

    let number: UInt32
    let head: HTTPHead
    let body: HTTPBody
    let purpose: Purpose
    var state = State.receiving
    /// The connection ends after the answer.
    var closes = false
    /// It was answered before its body was read.
    var isBodyUnread = false

    init(number: UInt32, head: HTTPHead, body: HTTPBody, purpose: Purpose) {
        self.number = number
        self.head = head
        self.body = body
        self.purpose = purpose
    }

    /// The connection cannot be used for another request: nobody knows where this one ends, or chunks hide it from
    /// libwebsockets.
    var endsConnection: Bool {
        switch head.framing {
        case .chunked, .unsaid, .invalid: true
        case .none, .length: !head.isHTTP11
        }
    }
}
