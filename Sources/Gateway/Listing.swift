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
        let first = try await fetch(widest(address, collection, arguments), exchange)
        let selection = exchange.selection
        let page = try page(first, operation, collection, selection.expansion, selection.fields, exchange)
        if arguments.all == true { return try await composeAll(page, operation, collection, arguments, exchange) }
        try checkBudget([page.survey], exchange)
        let link = PageLink(base: exchange.linkBase.text, target: exchange.request.target, values: arguments.values)
        var composed = await envelop(page, collection, neighbours(of: page, collection, link), exchange)
        composed.nameFailures()
        if !operation.wrapsList { composed.restoreMargins(of: first) }
        return composed
    }

    /// The request for the first page; where every page is read, with as many items as the upstream gives on one.
    private func widest(_ address: Address, _ collection: CollectionPlan, _ arguments: Arguments) -> Address {
        guard arguments.all == true, let maximum = collection.maximum, case .offset(_, let limit, _) = collection.paging
        else { return address }
        var values = arguments.values
        values[limit] = String(maximum)
        return plan.address(address.operation, values) ?? address
    }

    /// A page with its parts put in, in the envelope `{count, next, previous, results}`.
    func envelop(
        _ page: Page, _ collection: CollectionPlan, _ neighbours: (next: String?, previous: String?),
        _ exchange: Exchange
    ) async -> Composed {
        let resource = page.resource
        guard let next = collection.next, let previous = collection.previous, resource.list == nil,
            collection.attribution == nil
        else {
            var composed = await fill(page.survey, resource, at: page.items, exchange)
            let count = page.facts.total ?? (collection.paging == .none ? page.count : nil)
            composed.wrap(count: count, next: neighbours.next, previous: neighbours.previous, page, collection)
            return composed
        }
        // The upstream's envelope is ours already: it passes through with its two links replaced.
        var survey = page.survey
        for (pointer, link) in [(next, neighbours.next), (previous, neighbours.previous)] {
            guard let node = resource.document.node(at: pointer, from: resource.root) else { continue }
            survey.replacements.append((node, link.map(JSONText.quoted) ?? Array("null".utf8)))
        }
        survey.noteOwnErrors(of: resource.root)
        var composed = await fill(survey, resource, at: resource.root, exchange)
        composed.failures = composed.failures.moved { collection.items.appending($0) }
        return composed
    }

    /// One fetched page of a list.
    struct Page: Sendable {
        var resource: Resource
        var items: JSONNode
        /// The items that are shown.
        var count: Int
        var facts: ListFacts
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
        let items = resource.list == nil ? try items(of: resource, collection) : resource.root
        let facts = resource.list ?? ListFacts(collection, document, root: resource.root, items: items)
        var survey = Survey(index, resource, exchange.linkBase)
        survey.visitItems(items, operation.resource, expansion, fields)
        let count = resource.list == nil ? facts.received : document.count(of: items)
        return Page(resource: resource, items: items, count: count, facts: facts, survey: survey)
    }

    /// The addresses of the pages before and after this one.
    func neighbours(of page: Page, _ collection: CollectionPlan, _ link: PageLink) -> (next: String?, previous: String?)
    {
        let facts = page.facts
        switch collection.paging {
        case .none: return (nil, nil)
        case .page(let parameter, let size):
            let number = link.values[parameter].flatMap { Int($0) } ?? 1
            let seen = number.multipliedReportingOverflow(by: size)
            let isLast = facts.isLast ?? (seen.overflow || seen.partialValue >= facts.total ?? 0)
            let isFirst = facts.isFirst ?? (number <= 1)
            return (
                isLast || number == .max ? nil : link.with(parameter, number + 1),
                isFirst ? nil : link.with(parameter, max(1, number - 1))
            )
        case .offset(let parameter, let limit, let size):
            let offset = link.values[parameter].flatMap { Int($0) } ?? 0
            let step = max(1, link.values[limit].flatMap { Int($0) } ?? size)
            let (end, overflow) = offset.addingReportingOverflow(facts.received)
            let isLast = overflow || facts.received == 0 || end >= facts.total ?? 0
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
    ///
    /// - Parameter page: one of the list's pages, from which the text comes that has to be shown with the data.
    mutating func wrap(
        count: Int?, next: String?, previous: String?, _ page: Gateway.Page, _ collection: CollectionPlan
    ) {
        let items = bytes
        bytes = JSONWriter.object { object in
            if let count { object.member("count", count) } else { object.null("count") }
            if let next { object.member("next", next) } else { object.null("next") }
            if let previous { object.member("previous", previous) } else { object.null("previous") }
            object.member("results", raw: items)
            guard collection.attribution != nil else { return }
            if let text = page.facts.attribution {
                object.member("attribution", text)
            } else {
                object.null("attribution")
            }
        }
        failures = failures.moved { JSONPointer(["results"]).appending($0) }
    }
}
