internal import CCurl
internal import HTTP
internal import Loop

/// What libcurl calls while an attempt runs.
extension Transfer {
    /// False: the attempt is over.
    func takeLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let wasComplete = head.isComplete
        do throws(HeadFault) {
            try head.take(line)
        } catch {
            return note(.framing(error.text))
        }
        if let interim = head.takeInterim() { onInterim?(interim) }
        if head.mustClose {
            hasFoundOddity = true
            forbidReuse(true)
        }
        if form == .streamed, !wasComplete, head.isComplete, mayHaveContent {
            if let length = head.length, budget?.has(bytes: length) == false { return note(.budgetSpent) }
            // From here on the reader may take its time.
            set(CURLOPT_TIMEOUT_MS, 0)
            let generation = generation
            multi.loop.submit { [weak self] in self?.beginStream(generation) }
        }
        return true
    }

    func takeContent(_ piece: UnsafeBufferPointer<UInt8>) -> Taking {
        if form == .streamed, isFull {
            isPaused = true
            return .later
        }
        do throws(Fault) {
            if content == nil { content = try makeContent() }
            try content?.take(piece)
        } catch {
            return note(error) ? .taken : .failed
        }
        isPaused = false
        if isStreaming {
            silence.heard(self)
            feed(stream)
        }
        return .taken
    }

    private var isFull: Bool {
        isStreaming ? stream?.isFull ?? false : content?.bytes.count ?? 0 >= AnswerStream.window
    }

    enum Taking {
        case taken
        /// Not now: libcurl keeps the piece and is told when to go on.
        case later
        case failed
    }

    /// The next bytes of our content; see ``Upload/read(into:)``.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Upload.Read {
        guard let upload else { return .bytes(0) }
        let read = upload.read(into: buffer)
        if case .mismatch = read { _ = note(.content(Upload.mismatch)) }
        return read
    }

    /// A connection is there and the request is about to go out on it.
    func mayStart(localPort: Int) -> Bool {
        guard isCleared(localPort: localPort) else { return false }
        mayHaveSent = true
        return true
    }

    private func isCleared(localPort: Int) -> Bool {
        starts += 1
        // A pooled connection failed under the request, and libcurl would send it again: that is ours to decide.
        guard starts == 1 else { return note(.closed) }
        // Another address than the last may have been the good one.
        fault = nil
        switch multi.begin(localPort: localPort, isSecure: isSecure) {
        case .clean(let serial, let requests):
            socket = serial
            rest = multi.rest(before: serial)
            if connection.isLast(requests: requests, isSecure: isSecure) {
                forbidReuse(true)
                if !isSecure { multi.keep(serial) }
            }
            return true
        case .noisy:
            guard !isFresh else { return note(.framing("it came before the request")) }
            hasFoundOddity = true
            return note(.stale)
        case .ended: return note(isFresh ? .closed : .stale)
        case .unknown: return isFresh || note(.stale)
        }
    }

    /// A descriptor, or less than zero: the address isn't allowed, or none is left.
    func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        let start = UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
        guard let bytes = AddressFilter.bytes(of: start, length: Int(address.pointee.addrlen)), filter.allows(bytes)
        else {
            _ = note(.addressRefused)
            return -1
        }
        return multi.openSocket(address, upstream: upstream)
    }

    /// Notes the first fault; always false.
    private func note(_ fault: Fault) -> Bool {
        if self.fault == nil { self.fault = fault }
        return false
    }
}
