internal import HTTP
internal import JSON
internal import Plan

extension Gateway {
    /// Every page of a list in order: the first one is there, the others are read side by side.
    func composeAll(
        _ first: Page, _ operation: Operation, _ collection: CollectionPlan, _ arguments: Arguments,
        _ exchange: Exchange
    ) async throws(GatewayError) -> Composed {
        var rest = try addresses(after: first, collection, arguments, exchange)
        var pages: [Result<Page, GatewayError>] = [.success(first)]
        pages += await fetchPages(rest, operation, collection, exchange)
        // The number of all items may be missing or wrong: read on, one page after another, while there is more.
        var received = Gateway.received(pages[...])
        while let count = received, case .success(let last)? = pages.last, hasMore(first, last, count, collection),
            let next = address(of: pages.count, after: count, first, collection, arguments)
        {
            rest.append(next)
            pages += await fetchPages([next], operation, collection, exchange)
            received = Gateway.received(pages.suffix(1)).map { count + $0 }
        }
        try checkBudget(pages.compactMap { try? $0.get().survey }, exchange)
        var result = Composed(bytes: [UInt8(ascii: "[")], freshness: first.resource.freshness)
        var position = 0
        for (index, piece) in await fillPages(pages, exchange).enumerated() {
            switch piece {
            case .success(let (items, count)):
                result.append(items, from: position)
                position += count
            case .failure(let error):
                // A page that failed leaves no slot behind; it is named at the place where its items would begin.
                let href = rest.indices.contains(index - 1) ? localLink(rest[index - 1], exchange) : nil
                let place = JSONPointer([String(position)])
                result.failures.append(PartFailure(pointer: place, href: href, error: error))
            }
        }
        result.bytes.append(UInt8(ascii: "]"))
        let total = first.facts.total.flatMap { $0 < position ? nil : $0 }
        result.wrap(count: total ?? position, next: nil, previous: nil, first, collection)
        result.nameFailures()
        return result
    }

    /// How many items these pages have as the upstream counts them; nil where one failed.
    private static func received(_ pages: ArraySlice<Result<Page, GatewayError>>) -> Int? {
        var count = 0
        for page in pages {
            guard case .success(let page) = page else { return nil }
            count += page.facts.received
        }
        return count
    }

    /// Whether the upstream says that there are items behind the pages that were read.
    /// - Parameter count: the items on all of them.
    private func hasMore(_ first: Page, _ last: Page, _ count: Int, _ collection: CollectionPlan) -> Bool {
        guard collection.paging != .none else { return false }
        if let isLast = last.facts.isLast { return !isLast }
        if let total = first.facts.total, total >= 0 { return last.facts.received > 0 && count < total }
        return last.facts.received > 0 && last.facts.received >= first.facts.received
    }

    /// The upstream requests for the pages after the first, as far as the number of all items tells.
    private func addresses(
        after first: Page, _ collection: CollectionPlan, _ arguments: Arguments, _ exchange: Exchange
    ) throws(GatewayError) -> [Address] {
        let received = first.facts.received
        guard let total = first.facts.total, total > received, received > 0 else { return [] }
        let (pages, remainder) = total.quotientAndRemainder(dividingBy: received)
        let count = pages + (remainder > 0 ? 1 : 0)
        guard count - 1 <= exchange.linksLeft else {
            throw .overBudget(count, "pages", limit: exchange.operation.limits.links)
        }
        return (1..<count).compactMap { number in
            let (skipped, isHuge) = number.multipliedReportingOverflow(by: received)
            return isHuge ? nil : address(of: number, after: skipped, first, collection, arguments)
        }
    }

    /// The upstream request for one page.
    /// - Parameters:
    ///   - number: from 0 on.
    ///   - items: how many stand before it, counted from the first page on.
    private func address(
        of number: Int, after items: Int, _ first: Page, _ collection: CollectionPlan, _ arguments: Arguments
    ) -> Address? {
        var values = arguments.values
        switch collection.paging {
        case .none: return nil
        // Without a position of the client's own, the first page begins at the list's beginning.
        case .page(let parameter, _): values[parameter] = String(number + 1)
        case .offset(let parameter, let limit, _):
            if let maximum = collection.maximum { values[limit] = String(maximum) }
            let (offset, isHuge) = (values[parameter].flatMap { Int($0) } ?? 0).addingReportingOverflow(items)
            guard !isHuge else { return nil }
            values[parameter] = String(offset)
        }
        return plan.address(first.resource.address.operation, values)
    }

    private func fetchPages(
        _ addresses: [Address], _ operation: Operation, _ collection: CollectionPlan, _ exchange: Exchange
    ) async -> [Result<Page, GatewayError>] {
        await side(by: addresses) { address throws(GatewayError) in
            let resource = try await self.fetch(address, exchange)
            return try self.page(
                resource, operation, collection, exchange.selection.expansion, exchange.selection.fields, exchange)
        }
    }

    private func fillPages(
        _ pages: [Result<Page, GatewayError>], _ exchange: Exchange
    ) async -> [Result<(Composed, Int), GatewayError>] {
        await side(by: pages) { page throws(GatewayError) in
            let page = try page.get()
            return (await self.fill(page.survey, page.resource, at: page.items, exchange), page.count)
        }
    }

    /// `body` for each input side by side, the results in the inputs' order.
    private func side<Input: Sendable, Output: Sendable>(
        by inputs: [Input], _ body: @escaping @Sendable (Input) async throws(GatewayError) -> Output
    ) async -> [Result<Output, GatewayError>] {
        var results = [Result<Output, GatewayError>](repeating: .failure(.budgetExceeded), count: inputs.count)
        await withTaskGroup(of: (Int, Result<Output, GatewayError>).self) { group in
            for (index, input) in inputs.enumerated() {
                group.addTask {
                    do throws(GatewayError) {
                        return (index, .success(try await body(input)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for await (index, result) in group { results[index] = result }
        }
        return results
    }

    private func localLink(_ address: Address, _ exchange: Exchange) -> String {
        exchange.linkBase.text
            + Target(path: exchange.request.target.path, query: address.target.query).text
    }
}

extension Composed {
    /// Adds the items of another array.
    fileprivate mutating func append(_ items: Composed, from position: Int) {
        let inner = items.bytes.dropFirst().dropLast()
        let isBlank = inner.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if !isBlank {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += inner
        }
        freshness.combine(items.freshness)
        let moved = items.failures.moved { pointer in
            var tokens = pointer.tokens
            if let first = tokens.first, let index = Int(first) { tokens[0] = String(index + position) }
            return JSONPointer(tokens)
        }
        failures.append(moved, below: JSONPointer())
    }
}
