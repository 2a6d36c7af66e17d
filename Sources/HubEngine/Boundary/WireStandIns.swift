// Minimal forms of the WireProtocol types that the boundary names, until that room has them.

package final class Frame: Sendable {
    package let bytes: [UInt8]
    package init(text: [UInt8]) {
        var framed: [UInt8] = [0x81]
        if text.count < 126 {
            framed.append(UInt8(text.count))
        } else if text.count < 65_536 {
            framed += [126, UInt8(text.count >> 8), UInt8(text.count & 0xff)]
        } else {
            framed.append(127)
            for shift in stride(from: 56, through: 0, by: -8) { framed.append(UInt8(text.count >> shift & 0xff)) }
        }
        bytes = framed + text
    }
    package var byteCount: Int { bytes.count }
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { bytes.withUnsafeBytes(body) }
}

package enum ClientMessage: Sendable { case keepAlive, ping, request([UInt8]) }

package enum LeaveReason: String, Sendable, CaseIterable {
    case closedByClient, connectionLost, timedOut, superseded, kicked, tooSlow, protocolError, disabled, leaseExpired
    case serverStopping, hubRestarted
}
