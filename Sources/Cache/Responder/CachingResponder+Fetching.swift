internal import HTTP

/// One request that has to go to the upstream.
struct Fetch {
    let request: Request
    let key: CacheKey
    let lookup: Lookup
    let variants: [StoredAnswer]
    /// Of the flight that this is; nil where it is made for one client alone.
    let lease: CachingResponder.Lease?
    let turn: CachingResponder.SharedTurn?

    init(
        _ request: Request, _ key: CacheKey, _ lookup: Lookup, _ variants: [StoredAnswer],
        _ lease: CachingResponder.Lease? = nil, _ turn: CachingResponder.SharedTurn? = nil
    ) {
        self.request = request
        self.key = key
        self.lookup = lookup
        self.variants = variants
        self.lease = lease
        self.turn = turn
    }

    func forwarded(_ response: Response) -> CacheStatus {
        var status = CacheStatus.forwarded(lookup.reason ?? .miss)
        status.forwardStatus = Int(response.status.code)
        return status
    }
}

extension CachingResponder {
    /// Asks the upstream and keeps what may be kept.
    func fetch(_ fetch: Fetch) async throws(GatewayError) -> Answer {
        let mark = shared.store.mark(of: fetch.key)
        let requested = host.clock()
        var sent = fetch.request
        var validation: Validation?
        if fetch.lookup.action == .validate {
            let asked = Validation(fetch.lookup, among: fetch.variants)
            sent.fields = asked.fields(for: fetch.request.fields)
            validation = asked
        }
        let response: Response
        do throws(GatewayError) {
            response = try await upstream.respond(to: sent)
        } catch {
            if !error.isOwn, error.status.code >= 500,
                let answer = standIn(
                    fetch.lookup.selected, fetch.request, fetch.key, at: host.clock(), forwardStatus: nil,
                    isUnreachable: true)
            {
                // Those who waited decide for themselves whether a kept answer will do.
                fetch.lease?.fail(error)
                return answer
            }
            throw error
        }
        if response.status == .notModified, let validation {
            if let answer = renewed(fetch, validation, response, requested: requested, mark: mark) { return answer }
            return try await refetch(fetch)
        }
        return try await take(response, fetch, sent: sent, requested: requested, mark: mark)
    }

    /// A 304 about something that we don't have: once more, without conditions.
    private func refetch(_ fetch: Fetch) async throws(GatewayError) -> Answer {
        let mark = shared.store.mark(of: fetch.key)
        let requested = host.clock()
        var sent = fetch.request
        sent.fields = Validation(Lookup.none, among: []).fields(for: fetch.request.fields)
        let response = try await upstream.respond(to: sent)
        guard response.status != .notModified else { throw .unaskedNotModified(tags.first ?? authority) }
        return try await take(response, fetch, sent: sent, requested: requested, mark: mark)
    }

    private func renewed(
        _ fetch: Fetch, _ validation: Validation, _ response: Response, requested: Moment, mark: CacheStore.Mark
    ) -> Answer? {
        let now = host.clock()
        guard
            let renewal = validation.renewal(
                by: response, for: fetch.request, requested: requested, received: now, rules: rules,
                chance: host.chance())
        else { return nil }
        shared.store.apply(renewal.updates, to: fetch.key)
        drop(renewal.updates, fetch)
        if let addition = renewal.addition { shared.store.insert(addition, for: fetch.key, since: mark) }
        shared.store.countRevalidation(fetch.key)
        var status = fetch.forwarded(response)
        status.isStored = renewal.updates.contains { $0.new != nil }
        status.ttl = renewal.answer.hitStatus(at: now).ttl
        if status.isStored { fetch.lease?.land(SharedCache.Landing(answer: renewal.answer, status: status)) }
        return Answer(
            response: renewal.answer.response(to: fetch.request, at: now, status: status), stored: renewal.answer,
            status: status)
    }

    /// Drops what was composed of answers that may not be given any more.
    func drop(_ updates: [Validation.Update], _ fetch: Fetch) {
        guard updates.contains(where: { $0.new?.mustValidate ?? true }) else { return }
        shared.store.remove(tag: url(of: fetch.request.target).text) { $0.composition != nil }
    }

    /// A kept answer in place of a failure (RFC 5861, section 4); nil where it may not stand in.
    func standIn(
        _ stored: StoredAnswer?, _ request: Request, _ key: CacheKey, at now: Moment, forwardStatus: Int?,
        isUnreachable: Bool = false
    ) -> Answer? {
        guard let stored,
            Lookup.mayServe(stored, onErrorOf: request, isUnreachable: isUnreachable, at: now, rules: rules)
        else { return nil }
        var status = CacheStatus.forwarded(.stale)
        status.forwardStatus = forwardStatus
        status.ttl = stored.hitStatus(at: now).ttl
        status.detail = CacheStatus.staleIfError
        return Answer(
            response: stored.response(to: request, at: now, status: status), stored: stored, status: status,
            outcome: .staleIfError)
    }

    /// An answer with content, or with none: kept or passed on.
    private func take(
        _ response: Response, _ fetch: Fetch, sent: Request, requested: Moment, mark: CacheStore.Mark
    ) async throws(GatewayError) -> Answer {
        let received = host.clock()
        let status = fetch.forwarded(response)
        if case .stream(let stream) = response.body {
            return try await takeComing(
                Coming(
                    response: response, stream: stream, fetch: fetch, sent: sent, requested: requested,
                    received: received, mark: mark))
        }
        let content = fetch.request.method == .head ? nil : try await content(of: response)
        if fetch.request.method == .head {
            keepHead(response, fetch, sent: sent, requested: requested, mark: mark, at: received)
        }
        guard let content,
            let stored = form(
                response, content: content, of: fetch.request.target, to: sent.fields, requested: requested,
                received: received)
        else {
            let updates = HeadUpdate.updates(
                by: response, length: response.announcedLength, to: sent, among: fetch.variants,
                requested: requested, received: received, rules: rules)
            shared.store.apply(updates, to: fetch.key)
            drop(updates, fetch)
            return standIn(for: response, fetch, at: received) ?? pass(response, status)
        }
        let isComplete = response.status != .partialContent || stored.extent != nil
        let storability = Storability(
            of: response, to: sent, isComplete: isComplete, received: received, rules: rules)
        if let answer = standIn(for: response, fetch, at: received) {
            // Kept in place of the old one it would be the answer from now on.
            share(stored, storability, status, fetch, at: received)
            return answer
        }
        return keep(stored, response, storability, status, fetch, mark: mark, at: received)
    }

    func standIn(for response: Response, _ fetch: Fetch, at now: Moment) -> Answer? {
        guard Lookup.isError(response.status) else { return nil }
        return standIn(
            fetch.lookup.selected, fetch.request, fetch.key, at: now, forwardStatus: Int(response.status.code))
    }

    private func keep(
        _ stored: StoredAnswer, _ response: Response, _ storability: Storability, _ status: CacheStatus,
        _ fetch: Fetch, mark: CacheStore.Mark, at now: Moment
    ) -> Answer {
        var status = status
        if storability == .storable {
            status.isStored = insert(stored, fetch, since: mark, at: now)
            status.ttl = stored.hitStatus(at: now).ttl
        }
        outdate(storability, response, fetch)
        share(stored, storability, status, fetch, at: now)
        // What was dropped of the client's conditions is judged here.
        if fetch.lookup.action == .validate, fetch.request.isConditional, response.status == .ok {
            return Answer(
                response: stored.response(to: fetch.request, at: now, status: status), stored: stored, status: status)
        }
        var whole = response
        whole.body = stored.content.isEmpty ? .none : .bytes(stored.content)
        var answer = pass(whole, status)
        answer.stored = stored
        return answer
    }

    /// Keeps an answer, a part with what is kept of the same whole, unless something better is kept.
    func insert(_ stored: StoredAnswer, _ fetch: Fetch, since mark: CacheStore.Mark, at now: Moment) -> Bool {
        guard !stored.isNeedless(beside: fetch.variants, at: now) else { return false }
        return shared.keep(
            stored.completed(by: fetch.variants), fetch.key, url(of: fetch.request.target),
            replacing: stored.extent == nil ? fetch.lookup.selected : nil, since: mark)
    }

    /// A newer answer that is not to be kept says that the kept one isn't what the upstream has any more.
    func outdate(_ storability: Storability, _ response: Response, _ fetch: Fetch) {
        guard rules.statuses == .any, let old = fetch.lookup.selected, !fetch.request.fields.contains(.authorization)
        else { return }
        let isGone = response.status == .notFound || response.status == .gone
        guard
            storability == .refused(.noStore) && !Lookup.isError(response.status)
                || storability == .refused(.useless) && isGone
        else { return }
        let updates = [Validation.Update(old: old, new: old.outdated())]
        shared.store.apply(updates, to: fetch.key)
        drop(updates, fetch)
    }

    /// Gives an answer to those who waited, or sends them on their own ways.
    private func share(
        _ stored: StoredAnswer, _ storability: Storability, _ status: CacheStatus, _ fetch: Fetch, at now: Moment
    ) {
        guard let lease = fetch.lease else {
            if storability == .storable { shared.unshared.remove(fetch.key) }
            return
        }
        if isForAll(stored, storability, at: now) {
            lease.land(SharedCache.Landing(answer: stored, status: status))
        } else {
            shared.unshared.add(fetch.key, at: now)
            lease.disperse()
        }
    }

    /// Whether an answer is good for all who asked at the same time.
    func isForAll(_ stored: StoredAnswer, _ storability: Storability, at now: Moment) -> Bool {
        // A gateway asks for all its clients alike, so one answer is good for all who asked at the same time.
        let isForAll = rules.statuses == .truthful
        let isError = stored.status.code >= 500
        let isGood =
            switch storability {
            // `no-cache`: each has to ask for itself.
            case .storable: !stored.mustValidate && (isForAll || stored.freshness(at: now) > 0)
            case .refused(.useless): isForAll && !stored.mustValidate || isError
            // A failure is one for all who asked, but what is about one client's conditions or range.
            case .refused(.status) where stored.status.code >= 400 && ![412, 416].contains(stored.status.code):
                isForAll || isError
            case .refused: false
            }
        // A cookie is for the one who asked, in an error too.
        let isForOne = storability != .storable && stored.fields.contains(.setCookie)
        return isGood && !isForOne
    }

    func pass(_ response: Response, _ status: CacheStatus) -> Answer {
        var response = response
        response.fields.append(.cacheStatus, status.text)
        return Answer(response: response, stored: nil, status: status)
    }

    /// All of the content; nil where it is too long or endless, and has to be passed on as it comes.
    func content(of response: Response) async throws(GatewayError) -> [UInt8]? {
        switch response.body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let stream):
            guard let length = stream.length, length <= shared.store.largest else { return nil }
            return try await response.body.collected(limit: shared.store.largest)
        }
    }
}

extension Response {
    /// `Content-Length` as the upstream said it, where the field is still there; the length that GET would have.
    var announcedLength: Int? { fields[.contentLength].flatMap { ASCII.decimal($0.utf8) } }
}

extension Lookup {
    /// Nothing is kept.
    static let none = Lookup(forwarding: .uriMiss)
}
