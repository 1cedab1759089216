internal import HTTP
internal import Loop

extension Connection {
    /// Parses what is left, or reads once and parses that. Whether the socket was read.
    func readOnce() -> Bool {
        if tailStart < tail.count {
            guard wantsInput else { return false }
            // The array is ours alone while it is parsed: what is left is put back by its index, not copied.
            let bytes = tail
            tail = []
            let used = tailStart + take(bytes.span.extracting(tailStart..<bytes.count))
            if used < bytes.count, isOpen { (tail, tailStart) = (bytes, used) } else { tailStart = 0 }
            return false
        }
        guard wantsInput, canRead else { return false }
        let buffer = UnsafeMutableRawBufferPointer(rebasing: server.readBuffer.prefix(readSize))
        switch socket?.receive(buffer) {
        case .bytes(0):
            inputHasEnded = true
            canRead = false
            inputEnded()
        case .bytes(let count):
            server.counted.received &+= count
            // A short read empties the socket; the end of input may stand behind it.
            if count < buffer.count, !endIsNear {
                canRead = false
                mayBeReset = true
            }
            let bytes = UnsafeBufferPointer(buffer.bindMemory(to: UInt8.self)).span.extracting(0..<count)
            let used = take(bytes)
            if used < count, isOpen {
                bytes.extracting(used..<count).withUnsafeBufferPointer { tail = Array($0) }
                tailStart = 0
            }
        case .blocked: canRead = false
        case .failed, nil: close()
        }
        return true
    }

    /// How much is read at once: of a request's content no more than may wait for whoever takes it, also where it comes with the head, since
    /// many clients may be sending at once.
    private var readSize: Int {
        let limit = server.limits.contentBuffer
        let room =
            switch phase {
            case .waiting, .head: limit
            case .exchange(let exchange) where !exchange.isDiscarding: limit - (exchange.content?.buffer.count ?? 0)
            case .exchange, .lingering, .closing, .closed: server.readBuffer.count
            }
        return min(max(room, 1), server.readBuffer.count)
    }

    /// Parses as much of `input` as has a place to go; how many bytes that was.
    private func take(_ input: Span<UInt8>) -> Int {
        var position = 0
        defer { if case .exchange(let exchange) = phase { exchange.content?.wakeReader() } }
        do throws(GatewayError) {
            while try takeNext(input, &position) {}
        } catch {
            refuse(error)
            // What follows an error is not looked at.
            return input.count
        }
        return position
    }

    /// One step of the parser. False where `input` is used up or has to wait.
    private func takeNext(_ input: Span<UInt8>, _ position: inout Int) throws(GatewayError) -> Bool {
        switch phase {
        case .waiting, .head:
            guard position < input.count, wantsInput, beginsRequest() else { return false }
            guard case .head(let head) = try parser.next(in: input, at: &position) else {
                noteHeadBegan()
                return false
            }
            begin(head)
            return true
        case .exchange(let exchange):
            guard exchange.wantsContent(server.limits) else {
                dispatch(exchange)
                return isNextRequest(after: exchange)
            }
            return try takeContent(exchange, input, &position)
        case .lingering(let end, let left):
            let count = input.count - position
            position = input.count
            if count > left { close() } else { phase = .lingering(until: end, bytesLeft: left - count) }
            return false
        case .closing, .closed:
            position = input.count
            return false
        }
    }

    private func takeContent(
        _ exchange: Exchange, _ input: Span<UInt8>, _ position: inout Int
    ) throws(GatewayError) -> Bool {
        switch try parser.next(in: input, at: &position) {
        case .content(let range):
            exchange.clock.received(range.count)
            if exchange.isDiscarding {
                exchange.discardedCount += range.count
                let limit = server.limits.unwantedContent
                if exchange.discardedCount > limit {
                    guard exchange.isAnswerKept else { throw .contentTooLarge(limit: limit) }
                    return answerNow(exchange)
                }
            } else {
                exchange.content?.put(input.extracting(range))
            }
            // The end needs no byte, so nothing would bring us back here.
            return parser.isAtEnd ? try takeContent(exchange, input, &position) : true
        case .end:
            exchange.content?.finish(.success(()))
            dispatch(exchange)
            exchange.resumeDiscarded()
            return isNextRequest(after: exchange)
        case .starved, .head:
            dispatch(exchange)
            return isNextRequest(after: exchange)
        }
    }

    /// Has the answer sent that is there, without the rest of the content. Nothing more is taken from the client.
    private func answerNow(_ exchange: Exchange) -> Bool {
        isCutOff = true
        exchange.isDiscarding = false
        exchange.resumeDiscarded()
        return isNextRequest(after: exchange)
    }

    /// Whether `exchange` is over, so that the next request may be parsed.
    private func isNextRequest(after exchange: Exchange) -> Bool { !isCurrent(exchange) }

    private func noteHeadBegan() {
        guard !parser.isBetweenRequests, case .waiting(let start, let isFirst) = phase else { return }
        // The first head of a connection has its time from the accept.
        phase = .head(since: isFirst ? start : .now)
    }

    private func begin(_ head: RequestHead) {
        var content: IncomingContent?
        if head.framing != .none {
            var length: Int?
            if case .length(let count) = head.framing { length = count }
            content = IncomingContent(length: length, submit: loop.submit) { [weak self] in self?.contentPulled() }
        }
        let exchange = Exchange(head: head, content: content)
        phase = .exchange(exchange)
        if content == nil || exchange.owesContinue { dispatch(exchange) }
    }

    /// The responder wants content: the client is asked for it where it waits, and reading goes on.
    private func contentPulled() {
        guard case .exchange(let exchange) = phase else { return }
        tellToContinue(exchange)
        drive()
    }

    /// Asks a client that waits for it to send its content.
    func tellToContinue(_ exchange: Exchange) {
        guard exchange.owesContinue else { return }
        exchange.owesContinue = false
        answers.write { $0.append(ascii: "HTTP/1.1 100 Continue\r\n\r\n") }
    }

    /// The client has ended its side. A request that is complete keeps its answer.
    private func inputEnded() {
        switch phase {
        case .waiting:
            if answers.isEmpty { close() } else { phase = .closing }
        case .head: refuse(.cutRequest)
        case .exchange(let exchange):
            if !exchange.hasAllContent, !exchange.isAnswering || exchange.answerReads { refuse(.cutRequest) }
        case .lingering: close()
        case .closing, .closed: break
        }
    }
}
