internal import HTTP

/// Answers to other methods than GET that may be given again (RFC 9110, sections 9.3.2 and 9.3.3), where answers are kept as the RFCs say.
extension CachingResponder {
    /// Answers to HEAD have a key of their own, since they are none to GET; they go with the URL's tag.
    private func headKey(of target: Target) -> CacheKey { CacheKey(.upstream, "HEAD " + key(of: target).text) }

    /// A fresh answer to an earlier HEAD.
    func keptHead(_ request: Request, at now: Moment) -> Answer? {
        guard request.method == .head, rules.statuses == .any else { return nil }
        let key = headKey(of: request.target)
        let lookup = Lookup(request, among: shared.store.variants(of: key), at: now, rules: rules)
        return lookup.action == .serve ? kept(lookup, request, key, at: now) : nil
    }

    func keepHead(
        _ response: Response, _ fetch: Fetch, sent: Request, requested: Moment, mark: CacheStore.Mark, at now: Moment
    ) {
        guard rules.statuses == .any, response.status != .partialContent,
            Storability(of: response, to: sent.asGet, received: now, rules: rules) == .storable,
            mark == shared.store.mark(of: fetch.key),
            let stored = form(
                response, content: [], of: fetch.request.target, to: sent.fields, requested: requested, received: now,
                keepsLength: true)
        else { return }
        shared.store.insert(stored, for: headKey(of: fetch.request.target))
    }

    /// Whether an answer to POST is what GET would have: it says so by `Content-Location`, and how long by itself.
    func isForGet(_ response: Response, to request: Request) -> Bool {
        guard request.method == .post, rules.statuses == .any, response.status == .ok,
            let text = response.fields[.contentLocation]
        else { return false }
        let here = url(of: request.target)
        guard here.resolving(text) == here else { return false }
        let now = host.clock()
        let directives = ResponseDirectives(response.fields, targets: rules.targets)
        let date = Age.date(response.fields, received: now)
        return Lifetime(explicit: response.fields, directives, date: date, now: now.seconds) != nil
            && Storability(of: response, to: request.asGet, received: now, rules: rules) == .storable
    }

    /// Keeps it; what was known before has just been dropped.
    func keepForGet(_ response: inout Response, to request: Request, requested: Moment) async throws(GatewayError)
        -> Bool
    {
        let key = key(of: request.target)
        let mark = shared.store.mark(of: key)
        let received = host.clock()
        guard let content = try await content(of: response) else { return false }
        response.body = content.isEmpty ? .none : .bytes(content)
        guard
            let stored = form(
                response, content: content, of: request.target, to: request.fields, requested: requested,
                received: received)
        else { return false }
        return shared.keep(stored, key, url(of: request.target), since: mark)
    }
}
