internal import CCurl
internal import Plan

/// What an easy handle is told once, for all its requests.
extension Transfer {
    func set(_ option: CURLoption, _ value: Int) { ccurl_set_long(easy, option, value) }

    /// libcurl keeps a copy of the text.
    func set(_ option: CURLoption, _ value: String) { ccurl_set_text(easy, option, value) }

    func setUp(_ plan: UpstreamPlan) {
        let scheme = plan.base.scheme
        set(CURLOPT_PROTOCOLS_STR, scheme)
        set(CURLOPT_REDIR_PROTOCOLS_STR, scheme)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_UNRESTRICTED_AUTH, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        // No environment variable decides where we connect.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NETRC, 0)
        set(CURLOPT_NOSIGNAL, 1)
        // A resolver's thread that still runs is left alone; waiting for it would block the loop.
        set(CURLOPT_QUICK_EXIT, 1)
        // Chunks and codings come as they are: we take them off, more strictly.
        set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // Not HTTP/2: with libcurl 7.88.1, 9 of 25,000 good requests to a good server failed, and 173 had to be sent again.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_TCP_NODELAY, 1)
        // The least there is: each upload has one of these.
        set(CURLOPT_UPLOAD_BUFFERSIZE, 16 * 1024)
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(plan.timeout, plan.connectTimeout).milliseconds))
        set(CURLOPT_MAXAGE_CONN, 30)
        set(CURLOPT_MAXLIFETIME_CONN, 300)
        setUpTLS(plan)
    }

    private func setUpTLS(_ plan: UpstreamPlan) {
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let authorities = plan.authorities { set(CURLOPT_CAINFO, authorities) }
        // With the file alone, libcurl reads it once and not for each connection.
        ccurl_set_text(easy, CURLOPT_CAPATH, nil)
    }

    func setUpCallbacks(_ multi: Multi) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context, let line = Transfer.buffer(bytes, size, count) else { return 0 }
            return Transfer.of(context).takeLine(line) ? line.count : 0
        }
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context, let piece = Transfer.buffer(bytes, size, count) else { return 0 }
            switch Transfer.of(context).takeContent(piece) {
            case .taken: return piece.count
            case .later: return Int(CURL_WRITEFUNC_PAUSE)
            case .failed: return 0
            }
        }
        ccurl_set_pointer(easy, CURLOPT_READDATA, context)
        ccurl_set_read(easy) { bytes, size, count, context in
            guard let context, let bytes else { return Int(CURL_READFUNC_ABORT) }
            let (capacity, overflow) = size.multipliedReportingOverflow(by: count)
            guard !overflow else { return Int(CURL_READFUNC_ABORT) }
            switch Transfer.of(context).read(into: UnsafeMutableRawBufferPointer(start: bytes, count: capacity)) {
            case .bytes(let count): return count
            case .later: return Int(CURL_READFUNC_PAUSE)
            case .mismatch: return Int(CURL_READFUNC_ABORT)
            }
        }
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
        ccurl_set_prereq(easy) { context, _, _, _, localPort in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            return Transfer.of(context).mayStart(localPort: Int(localPort))
                ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        ccurl_set_opensocket(easy) { context, _, address in
            guard let context, let address else { return -1 }
            return Transfer.of(context).openSocket(address)
        }
        // A connection outlives the transfer that made it.
        ccurl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(multi).toOpaque())
        ccurl_set_closesocket(easy) { context, descriptor in
            guard let context else { return -1 }
            return Multi.of(context).closeSocket(descriptor)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Nil where there is nothing.
    private static func buffer(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int)
        -> UnsafeBufferPointer<UInt8>?
    {
        let (length, overflow) = size.multipliedReportingOverflow(by: count)
        guard let bytes, !overflow, length > 0 else { return nil }
        return UnsafeBufferPointer(start: UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count: length)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow, scaled < Int(Int32.max) else { return Int(Int32.max) }
        return scaled + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension Fault {
    /// What libcurl's result means.
    /// - Parameters:
    ///   - isConnected: there was a connection.
    ///   - hasContent: some of an answer's content was there already.
    init(_ result: CURLcode, isConnected: Bool, hasContent: Bool, isFullTime: Bool) {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: self = .unresolved
        case CURLE_COULDNT_CONNECT: self = .refused
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut(isFull: isFullTime, isConnected: isConnected)
        case CURLE_PARTIAL_FILE: self = .cut
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: self = hasContent ? .cut : .closed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_INVALIDCERTSTATUS:
            self = .tls
        // A line of the head larger than libcurl takes; 7.88.1 calls it out of memory.
        case CURLE_OUT_OF_MEMORY: self = .framing("its head is too large")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR,
            CURLE_FILESIZE_EXCEEDED:
            self = .framing("it is not HTTP")
        default: self = .failed
        }
    }
}
