// Generated from protocol/close-reasons.json by scripts/generate-catalogues; change the catalogue, not this file.

/// Why a session ended. The raw value is the text that logs, presence and the console show
/// (`protocol/websocket.md`, "How a session ends").
package enum LeaveReason: String, CaseIterable, Sendable {
    /// The client sent a close frame. The hub answers it.
    case closedByClient = "closed by client"
    /// The TCP connection ended or was reset without a close frame.
    case connectionLost = "connection lost"
    /// Neither bytes nor a pong arrived for the dead-peer time.
    case timedOut = "timed out"
    /// A new connection named this session in `ls`.
    case superseded = "superseded"
    /// An administrator ended the connection.
    case kicked = "kicked"
    /// More was queued for the connection than its cap allows.
    case tooSlow = "too slow"
    /// The client sent something that is no message of this protocol.
    case protocolError = "protocol error"
    /// The signed-in user was disabled or deleted.
    case disabled = "disabled"
    /// A lease over HTTP was not renewed in time.
    case leaseExpired = "lease expired"
    /// The database is stored and cannot be opened now: its disk is full, say. The hub tries again for the next client.
    case unavailable = "unavailable"
    /// The hub was asked to stop.
    case serverStopping = "server stopping"
    /// The hub ended without notice (power, `kill -9`) and found the session still open when it started again.
    case hubRestarted = "hub restarted"

    /// The WebSocket close code that goes with it; nil when there is nobody left to tell.
    package var closeCode: UInt16? {
        switch self {
        case .closedByClient: 1000
        case .connectionLost: nil
        case .timedOut: 4408
        case .superseded: 4409
        case .kicked: 4403
        case .tooSlow: 1013
        case .protocolError: 1002
        case .disabled: 4423
        case .leaseExpired: 4410
        case .unavailable: 4503
        case .serverStopping: 1001
        case .hubRestarted: nil
        }
    }

    /// The value of the label `reason` in metrics.
    package var metricLabel: String {
        switch self {
        case .closedByClient: "closed_by_client"
        case .connectionLost: "connection_lost"
        case .timedOut: "timed_out"
        case .superseded: "superseded"
        case .kicked: "kicked"
        case .tooSlow: "too_slow"
        case .protocolError: "protocol_error"
        case .disabled: "disabled"
        case .leaseExpired: "lease_expired"
        case .unavailable: "unavailable"
        case .serverStopping: "server_stopping"
        case .hubRestarted: "hub_restarted"
        }
    }
}
