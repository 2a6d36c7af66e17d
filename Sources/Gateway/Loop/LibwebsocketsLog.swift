import CLibwebsockets
import HubEngine
import Storage

/// Sends libwebsockets' errors and warnings to the hub's log.
///
/// libwebsockets has one log for the whole process, so the first gateway's logger gets it.
enum LibwebsocketsLog {
    private static let logger = Monitor<Logger?>(nil)

    static func start(_ logger: Logger) {
        self.logger.with { current in
            guard current == nil else { return }
            current = logger
            lws_set_log_level(LLL_ERR | LLL_WARN) { level, line in
                guard let line else { return }
                let text = String(cString: line).split(whereSeparator: \.isNewline).joined(separator: " ")
                let logger = LibwebsocketsLog.logger.with { $0 }
                // Clients can cause most of these, so they are not worth more than a look when something is searched for.
                logger?.debug("libwebsockets", ["severity": .integer(Int(level)), "text": .text(text)])
            }
        }
    }
}
