internal import HTTP
internal import Plan

extension GatewaySettings {
    /// Lets a client's request in: the request as all that follows sees it, without the client's key.
    ///
    /// - Parameter hasOwnPages: whether there are pages for probes, which are open to all.
    /// - Throws: 401 for a wrong key, or for none where reading needs one. A browser's question whether a listed page may ask is open
    ///   to all too, for that never brings a key.
    func admit(
        _ request: Request, _ record: ExchangeRecord, hasOwnPages: Bool = true
    ) throws(GatewayError) -> Request {
        if !origins.isEmpty { record.origin = request.fields[.origin] }
        guard access.keys != nil else { return request }
        var request = request
        record.owner = try access.takeKey(from: &request)
        let isForAll = isListedPreflight(request) || hasOwnPages && GatewaySettings.isProbe(request)
        if !isForAll { try access.checkRead(record.owner) }
        return request
    }

    private static func isProbe(_ request: Request) -> Bool {
        guard request.method == .get || request.method == .head, let segments = request.target.segments else {
            return false
        }
        return [.health, .readiness].contains(OwnPage(segments: segments))
    }

    /// - Throws: 401 or 403 where this client may not change anything, and the request does.
    func admitChange(_ request: Request, _ record: ExchangeRecord) throws(GatewayError) {
        if request.method.isSafe { return }
        try access.checkWrite(request, record.owner, origins: origins, publicURL: publicURL)
    }

    /// Whether a browser asks what a page of a listed origin may do.
    func isListedPreflight(_ request: Request) -> Bool {
        !origins.isEmpty && Origins.isPreflight(request) && (request.fields[.origin].map(origins.contains) ?? false)
    }

    /// Says on an answer who may keep and who may read it.
    func settle(_ response: inout Response, _ record: ExchangeRecord) {
        if access.readsNeedKey || record.isPersonal { access.keepPrivate(&response) }
        origins.grant(record.origin, &response)
    }
}

extension Gateway {
    /// The answer to OPTIONS, which tells a browser what a listed page may send.
    func options(_ methods: String, _ request: Request) -> Response {
        var response = Response(status: .noContent, fields: Fields([(.allow, methods)]))
        settings.origins.permit(request, methods: methods, passed: index.passed, &response)
        return response
    }
}
