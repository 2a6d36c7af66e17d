import Glibc
import TestSupport

/// A server on the loopback interface that answers each connection with bytes from a list, then closes it.
final class ScriptedPeer {
    enum Problem: Error {
        case noSocket
    }

    let port: Int
    private let worker: Worker<[String]>

    /// `answers` are sent one a connection, as soon as the head of a request and `bodyBytes` behind it have come.
    init(_ answers: String..., bodyBytes: Int = 0) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                listening >= 0 && bind(listening, address, length) == 0 && listen(listening, 8) == 0
                    && getsockname(listening, address, &length) == 0
            }
        }
        guard isListening else { throw Problem.noSocket }
        port = Int(UInt16(bigEndian: address.sin_port))
        worker = Worker {
            defer { close(listening) }
            return answers.map { answer in
                let connection = accept(listening, nil, nil)
                defer { close(connection) }
                let request = Self.request(connection, bodyBytes: bodyBytes)
                let bytes = Array(answer.utf8)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                return request
            }
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// What came, once all answers are given.
    func requests() throws -> [String] { try worker.value(within: .seconds(20)) }

    private static func request(_ connection: Int32, bodyBytes: Int) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        let headEnd = Array("\r\n\r\n".utf8)
        while true {
            let end = bytes.indices.first { bytes[$0...].starts(with: headEnd) }
            if let end, bytes.count - end - headEnd.count >= bodyBytes { break }
            let count = read(connection, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
