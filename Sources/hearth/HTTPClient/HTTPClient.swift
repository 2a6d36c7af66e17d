import CCurl
import Glibc

/// Sends requests through libcurl; both ways in pieces, so that memory does not grow with what is sent.
enum HTTPClient {
    /// Sends `request` and waits for the end of the answer.
    static func send(
        _ request: HTTPRequest, _ receive: @escaping HTTPReceiver
    ) throws(HTTPProblem) -> HTTPAnswer {
        guard isReady, let handle = curl_easy_init() else {
            throw .unreachable("libcurl does not start; install it again")
        }
        defer { curl_easy_cleanup(handle) }
        let transfer = Transfer(handle, body: request.body?.source, receive: receive)
        let list = headerList(request)
        defer { curl_slist_free_all(list) }
        configure(handle, request, transfer, list)
        var detail = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let code = detail.withUnsafeMutableBufferPointer { buffer in
            hearth_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, buffer.baseAddress)
            return withExtendedLifetime(transfer) { curl_easy_perform(handle) }
        }
        if let failure = transfer.failure { throw .stopped(failure) }
        if Interruption.hasCome, code != CURLE_OK { throw .interrupted }
        guard code == CURLE_OK else {
            let reason = String(decoding: detail.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw HTTPFailure(code, reason: reason, host: HubAddress.shown(request.url)).problem
        }
        if let target = hearth_curl_redirection(handle) {
            let place = HubAddress.shown(String(cString: target))
            throw .unreachable("\(HubAddress.shown(request.url)) sends writes on to \(place); give that as --url")
        }
        return HTTPAnswer(status: Int(hearth_curl_status(handle)), refusal: transfer.refusal)
    }

    private static let isReady = hearth_curl_start() == 0

    private static func headerList(_ request: HTTPRequest) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for (name, value) in request.headers { list = curl_slist_append(list, "\(name): \(value)") }
        if let body = request.body {
            list = curl_slist_append(list, "Content-Type: \(body.type)")
            // Asking first is worth its time only for what takes long to send; without a value the header is left out.
            if let length = body.source.length, length < 65_536 { list = curl_slist_append(list, "Expect:") }
        }
        return list
    }

    private static func configure(
        _ handle: UnsafeMutableRawPointer, _ request: HTTPRequest, _ transfer: Transfer,
        _ headers: UnsafeMutablePointer<curl_slist>?
    ) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        hearth_curl_set_text(handle, CURLOPT_URL, request.url)
        hearth_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        hearth_curl_set_text(handle, CURLOPT_USERAGENT, "hearth/\(Version.current)")
        // Threads and signals belong to the process, not to the library.
        hearth_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        hearth_curl_set_number(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        hearth_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 10)
        hearth_curl_set_number(handle, CURLOPT_TCP_KEEPALIVE, 1)
        // Paths are encoded already, and dots in them are for the hub to refuse.
        hearth_curl_set_number(handle, CURLOPT_PATH_AS_IS, 1)
        // Larger pieces than libcurl's own: the files of export and import are long.
        hearth_curl_set_number(handle, CURLOPT_BUFFERSIZE, 262_144)
        hearth_curl_set_number(handle, CURLOPT_UPLOAD_BUFFERSIZE, 262_144)
        hearth_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
        if request.isLocal { hearth_curl_set_text(handle, CURLOPT_PROXY, "") }
        if let authorities = request.authorities { hearth_curl_set_text(handle, CURLOPT_CAINFO, authorities) }
        if let limit = request.silenceLimit {
            hearth_curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
            hearth_curl_set_number(handle, CURLOPT_LOW_SPEED_TIME, limit)
        }
        if let body = request.body {
            hearth_curl_set_number(handle, CURLOPT_UPLOAD, 1)
            if let length = body.source.length {
                hearth_curl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(length))
            }
            hearth_curl_set_pointer(handle, CURLOPT_READDATA, context)
            hearth_curl_set_transfer(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
                Transfer.of(context).fill(bytes, size * count)
            }
        } else {
            // What has a body cannot be sent a second time, so only the others follow.
            hearth_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, 1)
            hearth_curl_set_number(handle, CURLOPT_MAXREDIRS, 5)
        }
        hearth_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
        hearth_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        hearth_curl_set_transfer(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.of(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        hearth_curl_set_number(handle, CURLOPT_NOPROGRESS, 0)
        hearth_curl_set_progress(handle) { _, _, _, _, _ in Interruption.hasCome ? 1 : 0 }
    }
}

/// The Swift side of one transfer; libcurl holds its address while `curl_easy_perform` runs.
private final class Transfer {
    private let handle: UnsafeMutableRawPointer
    private let body: ByteSource?
    private var unsent: Int?
    private let receive: HTTPReceiver
    private(set) var refusal: [UInt8] = []
    private(set) var failure: CommandProblem?

    init(_ handle: UnsafeMutableRawPointer, body: ByteSource?, receive: @escaping HTTPReceiver) {
        self.handle = handle
        self.body = body
        unsent = body?.length
        self.receive = receive
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context else { fatalError("libcurl was given a context, and lost it") }
        return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Answers the number of bytes taken; another one than were offered ends the transfer.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard 200..<300 ~= hearth_curl_status(handle) else {
            refusal.append(contentsOf: bytes.prefix(HTTPAnswer.longestRefusal - refusal.count))
            return bytes.count
        }
        do throws(CommandProblem) {
            try receive(bytes)
            return bytes.count
        } catch {
            failure = error
            return bytes.isEmpty ? 1 : 0
        }
    }

    func fill(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let body, let bytes, unsent != 0 else { return 0 }
        do throws(CommandProblem) {
            let count = try body.read(UnsafeMutableRawBufferPointer(start: bytes, count: min(count, unsent ?? count)))
            if let left = unsent {
                guard count > 0 else { throw .failure("what is sent became shorter meanwhile; try again") }
                unsent = left - count
            }
            return count
        } catch {
            failure = error
            return Int(CURL_READFUNC_ABORT)
        }
    }
}
