import CLibwebsockets

/// Everything that libwebsockets tells, on the thread of the loop concerned.
///
/// At file scope, not a closure: so it belongs to no actor. Connection pointers are optional throughout: libwebsockets calls
/// with none, and for sockets whose handshake was refused also after the connection is gone.
let libwebsocketsCallback:
    @convention(c) (
        OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { socket, reason, user, input, count in
        guard let socket else { return 0 }
        switch reason {
        case LWS_CALLBACK_RECEIVE:
            return with(socket, else: -1) { loop, connection in loop.receive(connection, socket, input, count) }
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return with(socket, else: 0) { loop, connection in
                loop.continueSending(connection)
                return 0
            }
        case LWS_CALLBACK_RECEIVE_PONG:
            return with(socket, else: 0) { loop, connection in
                loop.heard(connection)
                return 0
            }
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            return with(socket, else: -1) { loop, connection in
                loop.confirmUpgrade(connection, socket, protocolName: input)
            }
        case LWS_CALLBACK_ADD_HEADERS:
            return with(socket, else: 0) { _, connection in
                // The callback comes for other answers too; only this one is ours to correct.
                if connection.pointee.introduction?.opening != nil { UpgradeResponse.correct(input) }
                return 0
            }
        case LWS_CALLBACK_ESTABLISHED:
            return with(socket, else: -1) { loop, connection in loop.open(connection, socket) }
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
            return with(socket, else: 0) { loop, connection in loop.peerCloses(connection) }
        case LWS_CALLBACK_HTTP:
            return with(socket, else: -1) { loop, connection in loop.serveHTTP(connection, socket) }
        case LWS_CALLBACK_HTTP_BODY:
            return with(socket, else: -1) { loop, connection in loop.receiveBody(connection, socket, input, count) }
        case LWS_CALLBACK_HTTP_BODY_COMPLETION:
            return with(socket, else: -1) { loop, connection in loop.finishBody(connection, socket) }
        case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_CONNECTED, LWS_CALLBACK_RAW_RX:
            // What libwebsockets makes of a CONNECT request: a connection without protocol and without time limits.
            return -1
        case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLOSED_HTTP, LWS_CALLBACK_RAW_CLOSE:
            return with(socket, else: 0) { loop, connection in
                loop.socketCloses(connection)
                return 0
            }
        case LWS_CALLBACK_WSI_DESTROY:
            return with(socket, else: 0) { loop, connection in
                loop.forget(connection)
                return 0
            }
        case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
            // Called while the secure host is made; `user` is its OpenSSL context.
            Loop.of(lws_context_user(lws_get_context(socket)))?.tlsContext = user
            return 0
        default:
            return 0
        }
    }

/// Calls `body` with the loop and the connection of a socket, or returns `fallback` when the socket is none of ours (any more).
@inline(__always)
private func with(
    _ socket: OpaquePointer, else fallback: Int32,
    _ body: (Loop, UnsafeMutablePointer<Connection>) -> Int32
) -> Int32 {
    guard let opaque = lws_get_opaque_user_data(socket),
        let loop = Loop.of(lws_context_user(lws_get_context(socket)))
    else { return fallback }
    let connection = opaque.assumingMemoryBound(to: Connection.self)
    // A slot that was given up and used again belongs to another socket.
    guard connection.pointee.socket == socket || loop.isAdopting(connection, socket) else { return fallback }
    return body(loop, connection)
}
