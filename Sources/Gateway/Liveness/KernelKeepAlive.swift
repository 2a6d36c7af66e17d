import CLibwebsockets
import Glibc

/// Lets the kernel find out whether the peer is still there, for clients that cannot bear a PING.
enum KernelKeepAlive {
    /// Probes begin after half of the dead-peer time; after the whole of it the kernel ends the connection, be it idle or with
    /// data on its way.
    static func enable(_ descriptor: Int32, deadPeerSeconds: Int) {
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, Int32(clamping: max(1, deadPeerSeconds / 2)))
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, Int32(clamping: max(1, deadPeerSeconds / 6)))
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: deadPeerSeconds * 1000))
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
