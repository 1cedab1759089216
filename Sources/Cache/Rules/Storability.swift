public import HTTP

/// Whether a shared cache may keep an answer (RFC 9111, section 3).
public enum Storability: Sendable, Equatable {
    case storable
    case refused(Reason)

    /// Why not; the raw value is a short word for metrics and `Cache-Status: …; detail=`.
    public enum Reason: String, Sendable, Equatable {
        /// Only answers to GET are kept.
        case method
        /// It ended too early.
        case incomplete
        case status
        /// A 206 that wasn't asked for, or that doesn't say which part of how much it is.
        case partial
        /// `must-understand`, and we don't.
        case notUnderstood = "not-understood"
        case noStore = "no-store"
        case requestNoStore = "request-no-store"
        case `private`
        case authorization
        case cookie
        /// `Vary: *` fits no request.
        case vary
        /// It is stale from the start and can't be asked about.
        case useless
    }

    /// - Parameters:
    ///   - isComplete: whether all of the content came, by its framing.
    ///   - received: when the answer came.
    public init(
        of response: Response, to request: Request, isComplete: Bool = true, received: Moment, rules: CacheRules
    ) {
        let directives = ResponseDirectives(response.fields, targets: rules.targets)
        let date = Age.date(response.fields, received: received)
        let lifetime = Lifetime(
            response.status, response.fields, directives, date: date, now: received.seconds, rules)
        let judge = Judge(
            response: response, request: request, directives: directives, lifetime: lifetime, rules: rules)
        self = (isComplete ? judge.objection : .incomplete).map(Storability.refused) ?? .storable
    }
}

private struct Judge {
    let response: Response
    let request: Request
    let directives: ResponseDirectives
    let lifetime: Lifetime
    let rules: CacheRules

    /// The first rule that forbids it; nil where none does.
    var objection: Storability.Reason? {
        if request.method != .get { return .method }
        if let objection = statusObjection { return objection }
        if rules.obeysClients, RequestDirectives(request.fields).noStore { return .requestNoStore }
        if !isOverridden {
            // `must-understand` beside `no-store` is for caches that don't know the status (RFC 9111, section 5.2.2.3).
            if directives.noStore, !directives.mustUnderstand { return .noStore }
            if directives.isPrivate { return .private }
            if request.fields.contains(.authorization), !isForAll { return .authorization }
        }
        if response.fields.contains(.setCookie), !rules.keepsCookies || !lifetime.isExplicit { return .cookie }
        if Selection.names(response.fields) == nil { return .vary }
        return isUseful ? nil : .useless
    }

    private var isOverridden: Bool { rules.overrides && lifetime.source == .contract }

    private var statusObjection: Storability.Reason? {
        let code = response.status.code
        if code == 206 { return mayBePart ? nil : .partial }
        if code < 200 || code == 304 { return .status }
        // What one client's own conditions or range have brought is no answer to others.
        if code == 412, request.fields.hasPrecondition { return .status }
        if code == 416, request.fields.contains(.range) { return .status }
        if directives.mustUnderstand, response.status.reason.isEmpty { return .notUnderstood }
        guard rules.statuses == .truthful else { return nil }
        let isTold = response.status.isSuccess || response.status.isRedirect || [300, 404, 410].contains(code)
        return isTold ? nil : .status
    }

    /// RFC 9111, section 3.3: only a part that was asked for, of something whose length is known.
    private var mayBePart: Bool {
        rules.statuses == .any && request.fields.contains(.range) && Extent(response.fields) != nil
    }

    /// RFC 9111, section 3.5.
    private var isForAll: Bool {
        directives.isPublic || directives.mustRevalidate || directives.sharedMaxAge != nil
    }

    /// Whether the answer is one of those that may be kept at all (the last rule of RFC 9111, section 3), and can ever be used.
    private var isUseful: Bool {
        let mayBeKept =
            lifetime.isExplicit || directives.isPublic || lifetime.source != .none
            || HeuristicStatus.contains(response.status)
        let canBeAsked = Validators(response.fields, received: nil).exist
        guard mayBeKept else { return false }
        if directives.noCache, !isOverridden { return canBeAsked }
        return canBeAsked || lifetime.isExplicit || lifetime.seconds > 0
    }
}
