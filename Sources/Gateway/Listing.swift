internal import HTTP
internal import JSON
internal import Plan

extension Survey {
    /// Visits each item of a list.
    mutating func visitItems(_ items: JSONNode, _ schema: Int?, _ expansion: Expansion?, _ fields: JSONSelection?) {
        for (position, item) in document.elements(of: items).enumerated() {
            enter(.element(position)) { $0.visit(item, schema: schema, expansion: expansion, fields: fields) }
        }
    }
}

extension Gateway {
    /// A list: one page as the client asked, or every page.
    func composeList(
        _ operation: Operation, _ collection: CollectionPlan, _ address: Address, _ arguments: Arguments,
        _ exchange: Exchange
    ) async throws(GatewayError) -> Composed {
        let first = try await fetch(address, exchange)
        let selection = exchange.selection
        let page = try page(first, operation, collection, selection.expansion, selection.fields, exchange)
        if arguments.all == true { return try await composeAll(page, operation, collection, arguments, exchange) }
        try checkBudget([page.survey], exchange)
        let link = PageLink(base: exchange.linkBase.text, target: exchange.request.target, values: arguments.values)
        var composed = await envelop(page, collection, neighbours(of: page, collection, link), exchange)
        composed.nameFailures()
        if collection.next != nil, collection.previous != nil { composed.restoreMargins(of: first) }
        return composed
    }

    /// A page with its parts put in, in the envelope `{count, next, previous, results}`.
    func envelop(
        _ page: Page, _ collection: CollectionPlan, _ neighbours: (next: String?, previous: String?),
        _ exchange: Exchange
    ) async -> Composed {
        let resource = page.resource
        guard let next = collection.next, let previous = collection.previous else {
            var composed = await fill(page.survey, resource, at: page.items, exchange)
            composed.wrap(count: page.total, next: neighbours.next, previous: neighbours.previous)
            return composed
        }
        // The upstream's envelope is ours already: it passes through with its two links replaced.
        var survey = page.survey
        for (pointer, link) in [(next, neighbours.next), (previous, neighbours.previous)] {
            guard let node = resource.document.node(at: pointer, from: resource.root) else { continue }
            survey.replacements.append((node, link.map(JSONText.quoted) ?? Array("null".utf8)))
        }
        var composed = await fill(survey, resource, at: resource.root, exchange)
        composed.failures = composed.failures.moved { collection.items.appending($0) }
        return composed
    }

    /// One fetched page of a list.
    struct Page: Sendable {
        var resource: Resource
        var items: JSONNode
        var count: Int
        /// How many items there are on all pages; nil where the upstream doesn't say.
        var total: Int?
        var survey: Survey

        /// The link to this page itself, where it is a part of another answer.
        func link(_ href: String) -> PageLink {
            PageLink(base: "", target: Target(href), values: Dictionary(Target(href).pairs ?? []) { first, _ in first })
        }
    }

    /// What the links to a page's neighbours are made from.
    struct PageLink {
        var base: String
        var target: Target
        /// The checked parameters of this page.
        var values: [String: String]

        func with(_ name: String, _ number: Int) -> String { base + target.replacing(name, String(number)) }
    }

    func page(
        _ resource: Resource, _ operation: Operation, _ collection: CollectionPlan, _ expansion: Expansion,
        _ fields: JSONSelection?, _ exchange: Exchange
    ) throws(GatewayError) -> Page {
        let document = resource.document
        guard let items = document.node(at: collection.items, from: resource.root), document.kind(of: items) == .array
        else {
            let name = plan.upstreams[resource.address.upstream].name
            throw .upstream(name, "upstream-shape", .badGateway, "answers no list where the contract has one.")
        }
        var survey = Survey(index, resource, exchange.linkBase)
        survey.visitItems(items, operation.resource, expansion, fields)
        let total = collection.total.flatMap { document.node(at: $0, from: resource.root) }.flatMap {
            document.integer(of: $0)
        }
        return Page(resource: resource, items: items, count: document.count(of: items), total: total, survey: survey)
    }

    /// The addresses of the pages before and after this one.
    func neighbours(of page: Page, _ collection: CollectionPlan, _ link: PageLink) -> (next: String?, previous: String?)
    {
        let document = page.resource.document
        func isNull(_ pointer: JSONPointer?) -> Bool? {
            guard let pointer, let node = document.node(at: pointer, from: page.resource.root) else { return nil }
            return document.kind(of: node) == .null
        }
        switch collection.paging {
        case .none: return (nil, nil)
        case .page(let parameter, let size):
            let number = link.values[parameter].flatMap { Int($0) } ?? 1
            let seen = number.multipliedReportingOverflow(by: size)
            let isLast = isNull(collection.next) ?? (seen.overflow || seen.partialValue >= page.total ?? 0)
            let isFirst = isNull(collection.previous) ?? (number <= 1)
            return (
                isLast || number == .max ? nil : link.with(parameter, number + 1),
                isFirst ? nil : link.with(parameter, max(1, number - 1))
            )
        case .offset(let parameter, let limit, let size):
            let offset = link.values[parameter].flatMap { Int($0) } ?? 0
            let step = max(1, link.values[limit].flatMap { Int($0) } ?? size)
            let (end, overflow) = offset.addingReportingOverflow(page.count)
            let isLast = overflow || page.count == 0 || end >= page.total ?? 0
            return (
                isLast ? nil : link.with(parameter, end),
                offset <= 0 ? nil : link.with(parameter, offset > step ? offset - step : 0)
            )
        }
    }
}

extension Target {
    /// Path and query with the query parameter `name` set to `value`: in its place, or last where it isn't there yet. The other
    /// parameters stay as they were written.
    func replacing(_ name: String, _ value: String) -> String {
        let new = Percent.encoded(name) + "=" + Percent.encoded(value)
        var isPlaced = false
        var pairs: [String] = []
        for pair in (query ?? "").split(separator: "&") {
            guard Percent.decoded(pair.prefix { $0 != "=" }.utf8, plusIsSpace: true) == name else {
                pairs.append(String(pair))
                continue
            }
            if !isPlaced { pairs.append(new) }
            isPlaced = true
        }
        if !isPlaced { pairs.append(new) }
        return path + "?" + pairs.joined(separator: "&")
    }
}

extension Composed {
    /// Puts a list's items into the envelope that every service's lists have.
    mutating func wrap(count: Int?, next: String?, previous: String?) {
        let items = bytes
        bytes = JSONWriter.object { object in
            if let count { object.member("count", count) } else { object.null("count") }
            if let next { object.member("next", next) } else { object.null("next") }
            if let previous { object.member("previous", previous) } else { object.null("previous") }
            object.member("results", raw: items)
        }
        failures = failures.moved { JSONPointer(["results"]).appending($0) }
    }
}
