import DataTree
import HubEngine
import WireProtocol

/// An event stream as its loop sees it: a session of the engine whose pushes become events.
///
/// `opening → streaming`: the status of the answer is not known before the engine has answered the listen, so the first data
/// waits for that. Confined to the loop's thread.
final class EventStreamSession {
    enum State {
        /// What is known of the first data.
        case opening([EventPart]?)
        case streaming
    }

    let translator: EventStreamTranslator
    let exchange: HTTPExchange
    var state = State.opening(nil)
    /// The tick at which something was sent last.
    var lastSent: UInt32 = 0

    init(root: Path, exchange: HTTPExchange) {
        translator = EventStreamTranslator(root: root)
        self.exchange = exchange
    }
}
