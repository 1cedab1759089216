internal import HTTP
internal import Plan

extension Gateway {
    /// What a request is for.
    enum Match {
        /// A page of the gateway's own.
        case own(OwnPage)
        /// OPTIONS: the methods of the path, as `Allow` lists them.
        case allow(String)
        case operation(Operation, parameters: [String: String])
        /// A mirror, by its place in `Plan.operations`, and the rest of the path as it was sent.
        case mirror(Int, rest: Substring)
    }

    /// Finds the route by the decoded segments of the path. HEAD is answered by the route of GET (RFC 9110, section 9.3.2).
    ///
    /// - Throws: 404 where nothing answers at this path, 405 with `Allow` where another method would be answered.
    func match(_ request: Request) throws(GatewayError) -> Match {
        guard let segments = request.target.segments else { return try matchMirror(request) }
        let method = request.method == .head ? .get : request.method
        var known: [Method] = []
        switch plan.router.match(method, segments) {
        case .found(let index, let parameters):
            return .operation(plan.operations[index], parameters: parameters)
        case .otherMethods(let methods): known = methods
        case .none: break
        }
        if let page = OwnPage(segments: segments) {
            if method == .get { return .own(page) }
            known.append(.get)
        }
        if known.isEmpty { return try matchMirror(request) }
        if known.contains(.get) { known.append(.head) }
        let allow = Set(known + [.options]).map(\.rawValue).sorted().joined(separator: ", ")
        if method == .options { return .allow(allow) }
        var error = GatewayError(
            source: .client, code: "method-not-allowed", status: .methodNotAllowed,
            detail: "This path answers \(allow) only.")
        error.fields = Fields([(.allow, allow)])
        throw error
    }

    /// What no route answers may be below a mirror, whatever its method.
    private func matchMirror(_ request: Request) throws(GatewayError) -> Match {
        guard let (operation, rest) = plan.router.mirror(request.target.path) else { throw Gateway.noRoute }
        return .mirror(operation, rest: rest)
    }

    static let noRoute = GatewayError(
        source: .client, code: "no-route", status: .notFound,
        detail: "Nothing answers at this path; GET / lists what there is.")
}
