internal import HTTP
internal import Loop

extension Connection {
    /// Hands the request to the responder, once. Content that is there already goes with it; the rest is a stream.
    func dispatch(_ exchange: Exchange) {
        guard let head = exchange.head else { return }
        exchange.head = nil
        var body = Body.none
        if let content = exchange.content {
            // Somebody who waits for `100 Continue` must not be answered as if the content had come by itself.
            body = content.isComplete && !exchange.owesContinue ? .bytes(content.takeAll()) : .stream(content)
        }
        var request = head.request(body: body)
        if !head.isVersion10 {
            request.onInterim = { [weak self, weak exchange] interim in
                if let self, let exchange { self.send(interim: interim, exchange) }
            }
        }
        let responder: any Responder = request.target.path == "*" ? AsteriskResponder() : server.responder
        switch responder.begin(request) {
        case .ready(let response) where exchange.hasAllContent && !exchange.owesContinue:
            // In the callback that read the request. Whoever called this goes on with what comes next.
            guard let stream = begin(response.final, exchange) else { return }
            exchange.task = loop.start { await self.send(stream.content, as: stream.plan, exchange) }
        case .ready(let response):
            exchange.task = loop.start { await self.answer(response, exchange) }
        case .later(let work):
            exchange.task = loop.start {
                do throws(GatewayError) {
                    await self.answer(try await work(), exchange)
                } catch {
                    await self.answer(Response(problem: error), exchange)
                }
            }
        }
    }

    /// Sends an interim answer, in a later turn: whoever has it may not be called back now.
    private func send(interim: Response, _ exchange: Exchange) {
        guard isCurrent(exchange), !exchange.isAnswering, 102..<200 ~= interim.status.code else { return }
        answers.write { AnswerPlan.writeInterim(interim, to: &$0) }
        loop.submit { self.drive() }
    }

    private func answer(_ response: Response, _ exchange: Exchange) async {
        let response = response.final
        loop.preconditionIsOnLoop()
        if isCurrent(exchange), !exchange.hasAllContent { await settleContent(of: exchange, before: response) }
        guard isCurrent(exchange) else { return }
        guard let stream = begin(response, exchange) else { return drive() }
        drive()
        await send(stream.content, as: stream.plan, exchange)
    }

    /// Decides what becomes of content that is still coming when the answer is there.
    private func settleContent(of exchange: Exchange, before response: Response) async {
        if response.readsContent {
            exchange.answerReads = true
            tellToContinue(exchange)
        } else if response.status == .contentTooLarge {
            // The rest is what the answer is about: nobody should have to send it first.
            isCutOff = true
        } else if !exchange.owesContinue {
            // An answer that has looked at the content, or refuses the request for something else, is true however much is still to come.
            exchange.isAnswerKept = !response.status.isSuccess || exchange.content?.wasWanted == true
            await discardRest(of: exchange)
        }
    }

    /// Reads and throws away the rest of the content, so that a message with broken framing is not answered as if it were sound.
    private func discardRest(of exchange: Exchange) async {
        exchange.isDiscarding = true
        exchange.content?.discard()
        await withCheckedContinuation { continuation in
            exchange.discarded = continuation
            drive()
        }
    }

    /// Writes the head and all content that is in memory. The stream that remains, where there is one.
    private func begin(_ response: Response, _ exchange: Exchange) -> (content: any BodyStream, plan: AnswerPlan)? {
        exchange.isAnswering = true
        // A client that waits for `100 Continue` may send its content or not: the connection ends with this answer.
        let mustClose = server.isDraining || exchange.owesContinue || !exchange.hasAllContent
        let plan = AnswerPlan(for: response, to: exchange.client, mustClose: mustClose)
        let date = server.dateLine()
        answers.write { plan.writeHead(response, date: date, to: &$0) }
        if plan.content != .none {
            switch response.body {
            case .none: break
            case .bytes(let bytes): answers.append(bytes)
            case .stream(let stream): return (stream, plan)
            }
        }
        finish(exchange, closes: plan.closes)
        return nil
    }

    private func finish(_ exchange: Exchange, closes: Bool) {
        exchange.content?.finish(.failure(.clientGone))
        phase = closes ? .closing : .waiting(since: .now, isFirst: false)
    }

    /// Sends content as it comes, no faster than the client takes it. Where the stream breaks, the connection is reset: the client
    /// must not take the part for the whole.
    private func send(_ stream: any BodyStream, as plan: AnswerPlan, _ exchange: Exchange) async {
        var left = Int.max
        if case .length(let count) = plan.content { left = count }
        do throws(GatewayError) {
            while left > 0, let piece = try await stream.next() {
                guard isCurrent(exchange) else { return }
                guard piece.count <= left else { return close(reset: true) }
                if plan.content == .chunks {
                    write(chunk: piece)
                } else {
                    left -= piece.count
                    answers.append(piece)
                }
                drive()
                guard isCurrent(exchange) else { return }
                if answers.count > limits.answerBuffer { await withCheckedContinuation { exchange.hasRoom = $0 } }
                guard isCurrent(exchange) else { return }
            }
        } catch {
            if isCurrent(exchange) { close(reset: true) }
            return
        }
        guard isCurrent(exchange) else { return }
        switch plan.content {
        case .length where left > 0: return close(reset: true)
        case .chunks: answers.write { Chunk.writeEnd(to: &$0) }
        case .none, .length, .untilClose: break
        }
        finish(exchange, closes: plan.closes)
        drive()
    }

    private func write(chunk: [UInt8]) {
        guard chunk.count > AnswerQueue.copyLimit else { return answers.write { Chunk.write(chunk, to: &$0) } }
        answers.write { Chunk.writeSize(chunk.count, to: &$0) }
        answers.append(chunk)
        answers.write { $0.append(ascii: "\r\n") }
    }

    /// Answers an error of the request itself; the connection ends with it.
    func refuse(_ error: GatewayError) {
        if case .exchange(let exchange) = phase {
            guard !exchange.isAnswering else { return refuse(error, within: exchange) }
            phase = .closing
            exchange.end(error)
        } else {
            phase = .closing
        }
        isCutOff = error.code == "content-too-large"
        server.counted.refused[error.status.code, default: 0] += 1
        let response = Response(problem: error)
        let client = AnswerPlan.Client(isHead: parser.isHead, isVersion10: false, keepsAlive: false)
        let plan = AnswerPlan(for: response, to: client, mustClose: true)
        let date = server.dateLine()
        answers.write { plan.writeHead(response, date: date, to: &$0) }
        if plan.content != .none, case .bytes(let bytes) = response.body { answers.append(bytes) }
        tail = []
        tailStart = 0
    }

    /// Half an answer can't be taken back. One that reads the content is told why no more of it comes, and ends by itself; the connection
    /// ends with it.
    private func refuse(_ error: GatewayError, within exchange: Exchange) {
        guard exchange.answerReads, !exchange.hasAllContent else { return close(reset: true) }
        tail = []
        tailStart = 0
        exchange.content?.finish(.failure(error))
    }

    // MARK: Sending

    /// Sends what the kernel takes, and goes on to what waited for that.
    func sendAnswers() {
        while !answers.isEmpty, canWrite {
            switch socket?.send(answers) {
            case .bytes(let sent):
                server.counted.sent &+= sent
                answers.drop(sent)
                stall.sent(sent, isEmpty: answers.isEmpty)
            case .blocked:
                canWrite = false
                stall.blocked(at: .now)
            case .failed, nil: return close()
            }
        }
        if case .exchange(let exchange) = phase, answers.count <= limits.answerBuffer / 2 { exchange.resumeRoom() }
        if case .closing = phase, answers.isEmpty { endSending() }
    }

    /// Ends our side and listens a little longer, so that what is still coming doesn't reset the connection before the client has
    /// read our answer (RFC 9112, section 9.6).
    func endSending() {
        guard !inputHasEnded else { return close() }
        socket?.endSending()
        phase =
            isCutOff
            ? .lingering(until: .now + server.deadlines.cutOff, bytesLeft: limits.cutOffBytes)
            : .lingering(until: .now + server.deadlines.linger, bytesLeft: limits.lingerBytes)
    }
}

/// Answers `OPTIONS *`: what the server can do, whatever the resource (RFC 9110, section 9.3.7).
private struct AsteriskResponder: Responder {
    func respond(to request: Request) async throws(GatewayError) -> Response {
        var fields = Fields()
        fields.append(.allow, Method.list)
        return Response(status: .noContent, fields: fields)
    }
}

extension Response {
    /// Itself, or an error where it is no final answer.
    fileprivate var final: Response { status.code < 200 ? Response(problem: .interimAnswer) : self }
}

extension GatewayError {
    fileprivate static let interimAnswer = GatewayError(
        source: .gateway, code: "internal-error", status: .internalServerError, detail: "There is no final answer.")
}
