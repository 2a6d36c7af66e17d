import Glibc

/// The process's limit of open files, which is the limit of its connections.
enum FileLimit {
    /// Descriptors that are used unless more are asked for; a higher soft limit is lowered to it.
    ///
    /// Debian's libwebsockets looks through a table of the whole limit whenever a connection closes. Some 130,000 entries take
    /// about 30 µs; a limit of millions would cost milliseconds.
    private static let usual = 131_072

    /// Sets the soft limit to what is usual or wanted, as far as the hard limit allows, and returns what holds now.
    ///
    /// libwebsockets sizes its tables by this limit when a loop starts, so it must come first.
    static func set(for wanted: Int?) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let wanted = rlim_t(max(wanted ?? 0, usual))
        var changed = limit
        changed.rlim_cur = min(limit.rlim_max, wanted)
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &changed) == 0 { limit = changed }
        return Int(clamping: min(limit.rlim_cur, 1_048_576))
    }
}
