internal import Images
internal import Parameters
internal import Plan

/// Reads the contracts that the settings name.
struct Contracts {
    let settings: Settings
    let environment: [String: String]

    init(_ settings: Settings, _ environment: [String: String]) {
        self.settings = settings
        self.environment = environment
    }

    /// - Parameter overrides: variables that win over the process' own, such as the addresses of the sample upstreams.
    /// - Parameter keyNeed: which requests need a client's key.
    /// - Throws: every mistake in the contracts.
    func load(
        overrides: [String: String] = [:], keyNeed: KeyNeed = .nothing
    ) throws(ContractMistakes) -> Plan {
        if !settings.mirror.isEmpty { return Plan(mirror: settings) }
        var limits = BudgetLimits()
        limits.links = settings.maximumLinks
        limits.depth = settings.maximumDepth
        limits.bytes = settings.maximumUpstreamBytes
        limits.content = settings.maximumBody
        // A client's key is nobody else's, whatever a contract says.
        var environment = environment.merging(overrides) { _, new in new }
        environment[Access.variable] = nil
        return try PlanLoader(
            deadline: settings.deadline, limits: limits, handlers: Handlers.names, keyNeed: keyNeed
        ).load(files: settings.contracts, environment: environment).withRoom(forImages: settings.maximumImage)
    }
}

extension Plan {
    /// Itself; where images may be larger than they are by default, uploads may bring what such an image takes as base64 in JSON, whatever
    /// the contract says of their content.
    fileprivate func withRoom(forImages size: Int) -> Plan {
        guard size > Settings().maximumImage else { return self }
        let room = size / 3 * 4 + Plan.roomAroundImages
        let operations = operations.map { operation in
            var operation = operation
            if operation.handler == ImagesHandler.name, operation.content != nil {
                operation.limits.content = max(operation.limits.content, room)
            }
            return operation
        }
        return Plan(
            upstreams: upstreams, operations: operations, schemas: schemas, router: router, links: links,
            document: document)
    }

    /// Bytes of the texts and marks around an image, at most.
    private static let roomAroundImages = 128 << 10
}

extension Plan {
    /// Of nothing but the upstream of `--mirror`; its address has been checked.
    fileprivate init(mirror settings: Settings) {
        var upstreams: [UpstreamPlan] = []
        if let base = BaseURL(settings.mirror) {
            var upstream = UpstreamPlan(name: "mirror", base: base)
            upstream.timeout = settings.deadline
            upstream.concurrency = Plan.mirrorConcurrency
            upstream.isWatched = false
            upstreams = [upstream]
        }
        self.init(
            upstreams: upstreams, operations: [], schemas: [], router: Router(),
            links: LinkMatcher(upstreams: [], operations: []), document: [])
    }

    /// Requests in flight to the upstream of `--mirror`, each until all of its answer has come.
    private static let mirrorConcurrency = 512
}
