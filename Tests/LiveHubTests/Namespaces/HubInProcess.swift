import DataTree
import Gateway
import HubEngine
import Storage
import TestSupport

/// A hub with its gateway inside the test's process, for what no option of `hearth serve` sets.
final class HubInProcess {
    let gateway: Gateway
    private let hub: Hub
    private let lines: Monitor<[String]>

    /// - Parameter idleTime: how long a namespace that nobody is connected to stays in memory.
    init(dataPath: String, idleTime: Duration) throws {
        let lines = Monitor<[String]>([])
        let log = Logger(write: { line in lines.update { $0.append(line) } })
        self.lines = lines
        var configuration = HubConfiguration(mode: .development)
        configuration.idleTime = UInt64(idleTime.microseconds) * 1000
        let metrics = Metrics()
        hub = Hub(
            configuration: configuration, storage: FileHubStorage(directory: try DataDirectory(path: dataPath)),
            metrics: metrics, log: log, fail: { error in lines.update { $0.append("FAILED \(error)") } })
        try hub.start()
        var gatewayConfiguration = GatewayConfiguration()
        gatewayConfiguration.endpoint.port = 0
        let hub = hub
        gateway = try Gateway(gatewayConfiguration, router: hub, metrics: metrics, logger: log) { loop, outlet in
            hub.attach(outlet, loop: loop)
        }
        gateway.start()
    }

    deinit {
        gateway.drain(over: .zero)
        hub.stop()
        gateway.stop()
    }

    func connect(_ namespace: String = "demo") throws -> TestDevice {
        try TestDevice(port: gateway.port, namespace: namespace)
    }

    /// How many lines of the log tell of this event.
    func count(of event: String) -> Int { lines.with { $0.count { $0.contains(event) } } }

    /// Waits until the log tells of an event for so many times.
    func expect(_ event: String, times: Int) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while count(of: event) < times {
            guard ContinuousClock.now < deadline else {
                throw DeviceError.missing("no \(event): \(lines.with { $0.suffix(5) })")
            }
            _ = StopFlag().wait(for: .milliseconds(5))
        }
    }
}
