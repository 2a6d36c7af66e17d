import HubEngine

/// One namespace as a loop sees it: where events go, gathered for the turn.
///
/// Confined to the loop's thread.
final class NamespacePort {
    let sink: any SessionEventSink
    /// Events of this turn, not posted yet.
    var events: [SessionEvent] = []
    /// In the loop's list of ports with events.
    var isDirty = false
    /// Connections of this loop.
    var connectionCount = 0
    /// The namespace is behind; its clients that speak are not read from until it has caught up.
    var isPaused = false
    var pausedConnections: [ConnectionID] = []

    init(sink: any SessionEventSink) { self.sink = sink }
}
