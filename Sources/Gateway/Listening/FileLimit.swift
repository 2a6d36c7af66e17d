import Glibc

/// The process's limit of open files, which is the limit of its connections.
enum FileLimit {
    /// Raises the soft limit to the hard one and returns what holds now.
    ///
    /// libwebsockets sizes its tables by this limit when a loop starts, so it must come first.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        // An unlimited number would make libwebsockets reserve memory for it.
        let wanted = min(limit.rlim_max, 1_048_576)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: min(limit.rlim_cur, 1_048_576))
    }
}
