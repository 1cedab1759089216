internal import HTTP
internal import JSON
internal import Plan

/// A finished piece of JSON and what went into it.
struct Composed: Sendable {
    var bytes: [UInt8]
    /// Pointers begin at this piece's root.
    var failures = PartFailures()
    /// Links that were replaced by what they lead to.
    var filled = 0
    var freshness: Freshness
}

extension Gateway {
    /// The whole answer of an operation: the upstream's resource or list, its links followed and put in their places.
    func compose(
        _ operation: Operation, _ arguments: Arguments, _ exchange: Exchange
    ) async throws(GatewayError) -> Composed {
        guard operation.upstream != nil else { return try await composeMerge(operation, arguments, exchange) }
        guard let position = plan.index(of: operation), let address = plan.address(position, arguments.values) else {
            throw .badParameter("bad-parameter", "A path parameter can't be one segment of a path.")
        }
        if let collection = operation.collection {
            return try await composeList(operation, collection, address, arguments, exchange)
        }
        return try await compose(try await fetch(address, exchange), operation, exchange)
    }

    /// The whole answer of an operation whose resource is there.
    func compose(
        _ resource: Resource, _ operation: Operation, _ exchange: Exchange
    ) async throws(GatewayError) -> Composed {
        var survey = Survey(index, resource, exchange.linkBase)
        survey.visit(
            resource.root, schema: operation.resource, expansion: exchange.selection.expansion,
            fields: exchange.selection.fields)
        survey.noteOwnErrors(of: resource.root)
        try checkBudget([survey], exchange)
        var composed = await fill(survey, resource, at: resource.root, exchange)
        composed.nameFailures()
        composed.restoreMargins(of: resource)
        return composed
    }

    /// The resource behind a link, composed as the tree of links asks for it.
    private func part(_ address: Address, _ slot: Slot, _ exchange: Exchange) async throws(GatewayError) -> Composed {
        let resource = try await fetch(address, exchange)
        var survey = Survey(index, resource, exchange.linkBase)
        guard let collection = plan.operations[address.operation].collection else {
            guard resource.document.kind(of: resource.root) != .null else {
                let name = plan.upstreams[address.upstream].name
                throw .upstream(name, "upstream-shape", .badGateway, "answers nothing in the place of a part.")
            }
            let schema = plan.operations[address.operation].resource
            survey.visit(resource.root, schema: schema, expansion: slot.expansion, fields: slot.fields)
            return await fill(survey, resource, at: resource.root, exchange)
        }
        let operation = plan.operations[address.operation]
        let page = try page(resource, operation, collection, slot.expansion, slot.fields, exchange)
        let neighbours = neighbours(of: page, collection, page.link(slot.href ?? ""))
        return await envelop(page, collection, neighbours, exchange)
    }

    /// Fetches what a survey found, side by side, and puts each part in its place.
    func fill(_ survey: Survey, _ resource: Resource, at root: JSONNode, _ exchange: Exchange) async -> Composed {
        var replacements = survey.replacements
        var edits = survey.edits
        var composed = Composed(bytes: [], freshness: resource.freshness)
        let parts = await parts(survey.slots, exchange)
        for (slot, part) in zip(survey.slots, parts) {
            switch part {
            case .success(let part) where exchange.spendAnswer(part.bytes.count):
                switch slot.place {
                case .value(let position): replacements[position].json = part.bytes
                case .addition(let object, let name): edits.append(member: name, value: part.bytes, to: object)
                }
                composed.filled += 1
                composed.freshness.combine(part.freshness)
                guard !part.failures.isEmpty else { continue }
                composed.failures.append(part.failures, below: survey.pointer(of: slot))
            case .success:
                let pointer = survey.pointer(of: slot)
                composed.failures.append(PartFailure(pointer: pointer, href: slot.href, error: .budgetExceeded))
            case .failure(let error):
                let pointer = survey.pointer(of: slot)
                composed.failures.append(PartFailure(pointer: pointer, href: slot.href, error: error))
            }
        }
        if !composed.failures.isEmpty {
            for key in survey.ownErrors { edits.remove(member: key) }
        }
        for (node, json) in replacements {
            if let json {
                edits.replace(node, with: json)
            }
        }
        composed.bytes = edits.applied(to: resource.document, at: root)
        return composed
    }

    /// The slots' parts in their order. Slots with the same link at the same place of the tree share one part.
    ///
    /// An answer may hold any number of links. Where it has more than upstream calls are left, each different link is begun once only,
    /// and none beyond that number.
    private func parts(_ slots: [Slot], _ exchange: Exchange) async -> [Result<Composed, GatewayError>] {
        if slots.isEmpty { return [] }
        var results = [Result<Composed, GatewayError>](repeating: .failure(.linkRefused), count: slots.count)
        var callsLeft = exchange.budget.calls
        let isMany = slots.count > callsLeft
        var firsts: [String: Int] = [:]
        var copies: [(position: Int, of: Int)] = []
        await withTaskGroup(of: (Int, Result<Composed, GatewayError>).self) { group in
            for (position, slot) in slots.enumerated() {
                guard let address = slot.address else { continue }
                let key = address.key + " " + slot.expansion.path
                if isMany {
                    if let first = firsts[key] {
                        copies.append((position, first))
                        continue
                    }
                    firsts[key] = position
                    if !exchange.fetches.contains(address.key) { callsLeft -= 1 }
                    guard callsLeft >= 0 else {
                        results[position] = .failure(.budgetExceeded)
                        continue
                    }
                }
                group.addTask { (position, await self.sharedPart(key, address, slot, exchange)) }
            }
            for await (position, part) in group { results[position] = part }
        }
        for (position, first) in copies { results[position] = results[first] }
        return results
    }

    private func sharedPart(
        _ key: String, _ address: Address, _ slot: Slot, _ exchange: Exchange
    ) async -> Result<Composed, GatewayError> {
        await exchange.compositions.value(key) {
            do throws(GatewayError) {
                return .success(try await self.part(address, slot, exchange))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Refuses before anything is fetched what can't be fetched within the budget.
    func checkBudget(_ surveys: [Survey], _ exchange: Exchange) throws(GatewayError) {
        let left = exchange.linksLeft
        guard surveys.reduce(0, { $0 + $1.slots.count }) > left else { return }
        // A link that leads to nothing that may be fetched costs nothing.
        var keys: Set<String> = []
        for key in surveys.lazy.flatMap(\.slots).compactMap(\.address?.key) where !exchange.fetches.contains(key) {
            keys.insert(key)
        }
        guard keys.count <= left else {
            throw .overBudget(keys.count, "links", limit: exchange.operation.limits.links)
        }
    }

    /// An operation without an upstream: an empty object whose declared properties are links that the request's parameters fill.
    private func composeMerge(
        _ operation: Operation, _ arguments: Arguments, _ exchange: Exchange
    ) async throws(GatewayError) -> Composed {
        guard let resource = Resource(empty: operation) else { throw .linkRefused }
        var survey = Survey(index, resource, exchange.linkBase, context: arguments.values)
        survey.visit(
            resource.root, schema: operation.resource, expansion: exchange.selection.expansion,
            fields: exchange.selection.fields)
        try checkBudget([survey], exchange)
        var composed = await fill(survey, resource, at: resource.root, exchange)
        if composed.filled == 0, !composed.failures.isEmpty {
            throw .nothingLeft(composed.failures)
        }
        composed.nameFailures()
        return composed
    }
}

extension GatewayError {
    /// A link whose address matches no declared operation of its upstream: it is never fetched.
    static let linkRefused = GatewayError(
        source: .gateway, code: "link-refused", status: .badGateway,
        detail: "The link leads to nothing that this gateway's contract declares.")
}

extension Composed {
    /// Puts back the white space that an upstream has around its outermost value.
    mutating func restoreMargins(of resource: Resource) {
        let range = resource.document.range(of: resource.root)
        guard resource.root == resource.document.root, range.count < resource.document.bytes.count else { return }
        bytes =
            resource.document.bytes[..<range.lowerBound] + bytes + resource.document.bytes[range.upperBound...]
    }

    /// Adds `_errors` to an object some of whose links failed. It has no member of that name any more.
    mutating func nameFailures() {
        guard !failures.isEmpty, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return }
        let isEmpty = bytes.dropFirst().dropLast().allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        bytes.removeLast()
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes += "\"_errors\":".utf8
        bytes += failures.json
        bytes.append(UInt8(ascii: "}"))
    }
}
