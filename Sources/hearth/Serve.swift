import Glibc
import HubEngine

/// `hearth serve`: from arguments to a running hub, and from a signal to its end.
enum Serve {
    static func run(arguments: [String]) -> ExitCode {
        do throws(ConfigurationProblem) {
            switch try ServeCommand(arguments: arguments) {
            case .help:
                StandardStreams.output(Help.serve)
                return .success
            case .run(let configuration):
                return run(configuration, arguments: arguments)
            }
        } catch {
            StandardStreams.error("hearth serve: \(error)\n")
            return error.exitCode
        }
    }

    /// Runs the hub until a signal ends it.
    private static func run(_ configuration: ServeConfiguration, arguments: [String]) -> ExitCode {
        let signals = StopSignals()
        let log = Logger(level: configuration.logLevel)
        let running: RunningHub
        do {
            running = try RunningHub(configuration, log: log, fail: signals.fail)
        } catch {
            StandardStreams.error("hearth serve: \(error)\n")
            return .failure
        }
        log.info("rules", ["of_new_namespaces": LogValue(configuration.rulesOfNewNamespaces)])
        running.gateway.start()
        let scheme = configuration.tls == nil ? "http" : "https"
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        StandardStreams.output("hearth ready \(scheme)://\(host):\(running.gateway.port) pid \(getpid())\n")
        while true {
            switch signals.next() {
            case .reload:
                reload(running, started: configuration, arguments: arguments, log: log)
            case .stop(let signal):
                log.info("stopping", ["signal": .text(signal)])
                let isQuiet = running.stop()
                log.info("stopped")
                // What is still at work is not needed any more, and would meet libraries that have been taken down.
                if !isQuiet { _exit(ExitCode.success.rawValue) }
                return .success
            case .failed(let reason):
                log.error("failed", ["reason": .text(reason)])
                StandardStreams.error("hearth serve: \(reason)\n")
                return .failure
            }
        }
    }

    /// Reads the options again, the configuration file among them. One that makes no sense changes nothing.
    private static func reload(
        _ running: RunningHub, started: ServeConfiguration, arguments: [String], log: Logger
    ) {
        do {
            guard case .run(let configuration) = try ServeCommand(arguments: arguments) else { return }
            let waiting = configuration.changesForRestart(from: started)
            if !waiting.isEmpty {
                log.warning("reload.needs-restart", ["options": .text(waiting.joined(separator: " "))])
            }
            try running.reload(configuration)
            log.info("reloaded")
        } catch {
            log.error("reload.refused", ["reason": .text("\(error)")])
        }
    }
}
