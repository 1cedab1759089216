internal import HTTP
internal import JSON
internal import Plan

extension Gateway {
    /// Every page of a list in order: the first one is there, the others are read side by side.
    func composeAll(
        _ first: Page, _ operation: Operation, _ collection: CollectionPlan, _ arguments: Arguments,
        _ exchange: Exchange
    ) async throws(GatewayError) -> Composed {
        let rest = try addresses(after: first, operation, collection, arguments, exchange)
        var pages: [Result<Page, GatewayError>] = [.success(first)]
        pages += await fetchPages(rest, operation, collection, exchange)
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
        result.wrap(count: first.total ?? position, next: nil, previous: nil)
        result.nameFailures()
        return result
    }

    /// The upstream requests for the pages after the first.
    private func addresses(
        after first: Page, _ operation: Operation, _ collection: CollectionPlan, _ arguments: Arguments,
        _ exchange: Exchange
    ) throws(GatewayError) -> [Address] {
        // Without a position of the client's own, the first page begins at the list's beginning.
        guard let total = first.total, total > first.count, first.count > 0 else { return [] }
        let index = first.resource.address.operation
        let (pages, remainder) = total.quotientAndRemainder(dividingBy: first.count)
        let count = pages + (remainder > 0 ? 1 : 0)
        guard count - 1 <= exchange.budget.calls else {
            throw .overBudget(count, "pages", limit: exchange.operation.limits.links)
        }
        return (1..<count).compactMap { number in
            var values = arguments.values
            switch collection.paging {
            case .none: return nil
            case .page(let parameter, _): values[parameter] = String(number + 1)
            case .offset(let parameter, _, _):
                let start = values[parameter].flatMap { Int($0) } ?? 0
                let (skipped, isHuge) = number.multipliedReportingOverflow(by: first.count)
                let (offset, isTooFar) = start.addingReportingOverflow(skipped)
                guard !isHuge, !isTooFar else { return nil }
                values[parameter] = String(offset)
            }
            return plan.address(index, values)
        }
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
        failures += items.failures.map { failure in
            var tokens = failure.pointer.tokens
            if let first = tokens.first, let index = Int(first) { tokens[0] = String(index + position) }
            return PartFailure(pointer: JSONPointer(tokens), href: failure.href, error: failure.error)
        }
    }
}
