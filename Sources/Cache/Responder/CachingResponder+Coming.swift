internal import HTTP

/// An answer whose content is still coming.
struct Coming: Sendable {
    var response: Response
    let stream: any BodyStream
    let fetch: Fetch
    let sent: Request
    let requested: Moment
    let received: Moment
    let mark: CacheStore.Mark

    /// Whether it is the whole, or a part that says which.
    var isSound: Bool {
        guard response.status == .partialContent else { return true }
        guard let extent = Extent(response.fields) else { return false }
        return stream.length.map { $0 == extent.bytes.count } ?? true
    }
}

extension CachingResponder {
    /// Bytes that are still fetched of a content that may be kept once nobody reads it any more, and the milliseconds in which they have to come.
    static let leftover = (bytes: 1 << 20, time: 10_000)

    /// Passes content on while it comes. It is gathered meanwhile where it may be kept or others want it too, and isn't too long; else one
    /// client alone has it, which holds back the upstream where it is slow.
    func takeComing(_ coming: Coming) async throws(GatewayError) -> Answer {
        let (fetch, now) = (coming.fetch, coming.received)
        let instead = standIn(for: coming.response, fetch, at: now)
        let storability = Storability(
            of: coming.response, to: coming.sent, isComplete: coming.isSound, received: now, rules: rules)
        outdate(storability, coming.response, fetch)
        guard let head = head(of: coming), isGathered(coming, head, storability) else {
            shared.unshared.add(fetch.key, at: now)
            fetch.lease?.disperse()
            var status = fetch.forwarded(coming.response)
            if storability == .storable, isTooLarge(coming) {
                shared.store.countRefusal(fetch.key)
                status.detail = CacheStatus.tooLarge
            }
            return instead ?? notModified(coming, status) ?? pass(coming.response, status)
        }
        var status = fetch.forwarded(coming.response)
        if storability == .storable {
            // Without a length nobody knows yet whether it isn't too large.
            status.isStored = coming.stream.length != nil
            status.ttl = head.hitStatus(at: now).ttl
        }
        let growing = GrowingContent(length: coming.stream.length, limit: shared.store.largest, growth: shared.growth)
        let reader = instead == nil ? growing.reader() : nil
        if isForAll(head, storability, at: now), coming.response.status != .partialContent {
            fetch.lease?.landOpen(SharedCache.Landing(answer: head, status: status, growing: growing))
        } else {
            shared.unshared.add(fetch.key, at: now)
            fetch.lease?.disperse()
        }
        let kept = storability == .storable ? head : nil
        host.spawn { [status] in await gather(growing, coming, kept, status) }
        if let instead {
            var answer = instead
            answer.isComing = true
            return answer
        }
        return try await answer(head, growing, reader, coming, status)
    }

    /// Nil for `Vary: *`.
    private func head(of coming: Coming) -> StoredAnswer? {
        form(
            coming.response, content: [], of: coming.fetch.request.target, to: coming.sent.fields,
            requested: coming.requested, received: coming.received)
    }

    private func isGathered(_ coming: Coming, _ head: StoredAnswer, _ storability: Storability) -> Bool {
        if coming.fetch.request.method != .get { return false }
        if isTooLarge(coming) { return false }
        if storability == .storable { return true }
        return coming.fetch.lease != nil && isForAll(head, storability, at: coming.received)
    }

    private func isTooLarge(_ coming: Coming) -> Bool { (coming.stream.length ?? 0) > shared.store.largest }

    /// 304 where the client has this content already and we asked without its conditions.
    private func notModified(_ coming: Coming, _ status: CacheStatus) -> Answer? {
        let request = coming.fetch.request
        guard coming.fetch.lookup.action == .validate, request.isConditional, coming.response.status == .ok,
            let head = head(of: coming)
        else { return nil }
        let response = head.response(to: request.whole, at: coming.received, status: status)
        return response.status == .notModified ? Answer(response: response, stored: nil, status: status) : nil
    }

    /// What the client gets whose request this is.
    private func answer(
        _ head: StoredAnswer, _ growing: GrowingContent, _ reader: (any BodyStream)?, _ coming: Coming,
        _ status: CacheStatus
    ) async throws(GatewayError) -> Answer {
        let request = coming.fetch.request
        var answer = notModified(coming, status)
        let isJudgedHere = coming.fetch.lookup.action == .validate && coming.response.status == .ok
        if answer == nil, isJudgedHere, request.fields.contains(.range), let content = try await growing.collected() {
            let response = head.with(content: content).response(to: request, at: coming.received, status: status)
            answer = Answer(response: response, stored: nil, status: status)
        }
        if answer == nil, let reader {
            var response = coming.response
            response.body = .stream(reader)
            answer = pass(response, status)
        }
        guard var answer else { throw .givenUp }
        answer.isComing = true
        return answer
    }

    /// Takes what another's request is bringing.
    func join(_ landing: SharedCache.Landing, _ request: Request, _ key: CacheKey) async throws(GatewayError) -> Answer
    {
        guard let growing = landing.growing, let reader = growing.reader() else { return try await alone(request, key) }
        let now = host.clock()
        var status = landing.status
        status.isCollapsed = true
        var response = landing.answer.response(to: request.whole, at: now, status: status)
        if response.status == landing.answer.status {
            if request.fields.contains(.range), let content = try await growing.collected() {
                response = landing.answer.with(content: content).response(to: request, at: now, status: status)
            } else {
                response.body = .stream(reader)
            }
        }
        return Answer(response: response, stored: nil, status: status, outcome: .collapsed)
    }

    /// Fetches the content, as fast as it comes while it is held, and keeps it at its end.
    /// - Parameter head: nil where it isn't to be kept.
    private func gather(
        _ growing: GrowingContent, _ coming: Coming, _ head: StoredAnswer?, _ status: CacheStatus
    ) async {
        var left: Leftover?
        var isTooLarge = false
        do throws(GatewayError) {
            while let piece = try await coming.stream.next() {
                if !growing.put(piece) {
                    shared.unshared.add(coming.fetch.key, at: host.clock())
                    coming.fetch.lease?.close()
                    if head != nil, !isTooLarge, growing.count > shared.store.largest {
                        isTooLarge = true
                        shared.store.countRefusal(coming.fetch.key)
                    }
                    await growing.room()
                }
                left = growing.isWanted ? nil : left ?? Leftover(growing, at: host.clock())
                if let left, head == nil || !left.isWorthwhile(growing, at: host.clock()), growing.giveUp() {
                    throw .givenUp
                }
            }
            if let length = growing.length, length != growing.count { throw .cutContent }
            var stored: StoredAnswer?
            if let head, let content = growing.held {
                let answer = head.with(content: content)
                let isSound = answer.status != .partialContent || answer.extent != nil
                let isKept = isSound && insert(answer, coming.fetch, since: coming.mark, at: host.clock())
                if isKept { stored = answer }
            }
            var status = status
            status.isStored = stored != nil
            end(coming.fetch.turn, with: stored.map { Answer(response: Response(), stored: $0, status: status) })
            coming.fetch.lease?.close()
            growing.end(.success(()))
        } catch {
            end(coming.fetch.turn, with: nil)
            coming.fetch.lease?.close()
            growing.end(.failure(error))
        }
    }
}

/// What is still to come of a content that nobody reads any more.
private struct Leftover {
    let count: Int
    let start: Moment

    init(_ growing: GrowingContent, at now: Moment) {
        count = growing.count
        start = now
    }

    /// Whether the rest is worth fetching for those who may ask next.
    func isWorthwhile(_ growing: GrowingContent, at now: Moment) -> Bool {
        let limit = CachingResponder.leftover
        if now.milliseconds(since: start) > limit.time || !growing.isHeld { return false }
        return (growing.length ?? growing.count) - count <= limit.bytes
    }
}

extension Request {
    /// The same for the whole content.
    fileprivate var whole: Request {
        guard fields.contains(.range) else { return self }
        var request = self
        request.fields.remove(.range)
        return request
    }
}

extension GatewayError {
    fileprivate static let cutContent = GatewayError(
        source: .gateway, code: "content-incomplete", status: .badGateway,
        detail: "The content of an answer is not as long as it said.")
}
