public import HTTP

/// Asking the upstream whether kept answers are still good, and what its 304 changes (RFC 9111, section 4.3).
public struct Validation: Sendable {
    /// All that is kept for the URL.
    let variants: [StoredAnswer]
    /// The one that fits the request; nil where none does and the upstream may name one that does.
    let selected: StoredAnswer?

    /// - Parameter lookup: whose action is ``Lookup/Action/validate``.
    public init(_ lookup: Lookup, among variants: [StoredAnswer]) {
        self.variants = variants.filter { $0.extent == nil }
        selected = lookup.selected
    }

    /// The fields to ask with: the request's own, but for its conditions and `Range`, in whose place our tags (of all variants, so that the
    /// upstream may choose) and the selected answer's last change stand.
    ///
    /// The client's own conditions are judged afterwards, against the answer that we then have; so a 304 is always about ours.
    public func fields(for request: Fields) -> Fields {
        var fields = request
        let dropped: Set<FieldName> = [.ifNoneMatch, .ifModifiedSince, .ifRange, .range]
        fields.removeAll { dropped.contains($0) }
        var tags: [String] = []
        for tag in ([selected].compactMap { $0 } + variants).compactMap(\.validators.tag?.text)
        where !tags.contains(tag) { tags.append(tag) }
        if !tags.isEmpty, selected.map({ $0.validators.tag != nil }) ?? true {
            fields.append(.ifNoneMatch, tags.joined(separator: ", "))
        }
        if let text = selected?.validators.lastModifiedText { fields.append(.ifModifiedSince, text) }
        return fields
    }

    /// A kept answer and what it becomes.
    public struct Update: Sendable {
        public let old: StoredAnswer
        /// Nil where it has to be dropped: its new fields forbid to keep it.
        public let new: StoredAnswer?
    }

    /// What a 304 means.
    public struct Renewal: Sendable {
        /// For the store, in the order of the variants.
        public let updates: [Update]
        /// The answer to the request, with the fields that it has now.
        public let answer: StoredAnswer
        /// It fits this request too, which it wasn't known to: to be kept beside the others.
        public let addition: StoredAnswer?
    }

    /// Which kept answers a 304 is about (RFC 9111, section 4.3.4), and what they become (section 3.2).
    ///
    /// - Parameter request: that was to be answered; its method and fields.
    /// - Returns: nil where it is about none of them: then the request has to be sent again without our conditions.
    public func renewal(
        by response: Response, for request: Request, requested: Moment, received: Moment, rules: CacheRules,
        chance: Double = 0
    ) -> Renewal? {
        let found = identified(by: response.fields, received: received)
        guard !found.isEmpty else { return nil }
        var updates: [Update] = []
        var answer: StoredAnswer?
        for old in found {
            let merged = old.renewed(
                by: response.fields, to: request.fields, requested: requested, received: received, rules: rules,
                chance: chance)
            let storability = Storability(
                of: Response(status: old.status, fields: merged.fields), to: request.asGet, received: received,
                rules: rules)
            updates.append(Update(old: old, new: storability == .storable ? merged : nil))
            if answer == nil || old === selected { answer = merged }
        }
        guard let answer else { return nil }
        // Nothing of an answer to this client may be kept (RFC 9111, section 5.2.1.5); what is kept stays as it is.
        if rules.obeysClients, RequestDirectives(request.fields).noStore {
            return Renewal(updates: [], answer: answer, addition: nil)
        }
        if answer.selection.matches(request.fields) { return Renewal(updates: updates, answer: answer, addition: nil) }
        let addition = answer.selected(by: request.fields)
        let isKept = updates.contains { $0.new === answer }
        return Renewal(updates: updates, answer: addition, addition: isKept ? addition : nil)
    }

    private func identified(by fields: Fields, received: Moment) -> [StoredAnswer] {
        let validators = Validators(fields, received: received)
        if let tag = validators.tag {
            let named =
                tag.isWeak
                ? latest { $0.validators.tag.map(tag.isWeaklyEqual) ?? false }
                : variants.filter { $0.validators.tag.map(tag.isStronglyEqual) ?? false }
            if !named.isEmpty { return named }
            // One that came without a tag can only be known by its date, where that is as strong (RFC 9110, section 8.8.2.2).
            guard let changed = validators.lastModified else { return [] }
            return latest {
                $0.validators.tag == nil && $0.validators.lastModified == changed && $0.date - changed >= 1
            }
        }
        if let changed = validators.lastModified { return latest { $0.validators.lastModified == changed } }
        // A server owes the tag (RFC 9110, section 15.4.5). Where we asked about one answer only, it can mean no other.
        return variants.count == 1 ? variants : []
    }

    /// The selected one of those that match, else the latest.
    private func latest(_ isMatch: (StoredAnswer) -> Bool) -> [StoredAnswer] {
        let matching = variants.filter(isMatch)
        if let selected, matching.contains(where: { $0 === selected }) { return [selected] }
        return matching.max { ($0.date, $0.received.uptime) < ($1.date, $1.received.uptime) }.map { [$0] } ?? []
    }
}

extension Request {
    /// The GET that a kept answer belongs to.
    var asGet: Request {
        var request = self
        request.method = .get
        return request
    }
}

extension StoredAnswer {
    /// Fields of the content as it is kept, which a 304 doesn't change (RFC 9111, section 3.2).
    private static let ofContent: Set<FieldName> = [.contentLength, .contentEncoding, .contentRange, .signedWith]

    /// This answer with the fields of a 304, or of an answer to HEAD, in place of its own.
    /// - Parameter request: the fields of the request that was asked about; where this answer fits it, a new `Vary` counts too.
    func renewed(
        by fields: Fields, to request: Fields, requested: Moment, received: Moment, rules: CacheRules, chance: Double
    ) -> StoredAnswer {
        var merged = self.fields
        // Without a new one the old date would make the answer as old as it was.
        merged.remove(.date)
        merged.replace(with: fields) {
            Self.ofContent.contains($0) || UnkeptFields.names.contains($0) && $0 != .connection
        }
        let isMeant = selection.matches(request)
        let selection = isMeant ? Selection(of: merged, to: request, passed: rules.passed) : nil
        return StoredAnswer(
            status: status, fields: merged, content: content, selection: selection ?? self.selection,
            requested: requested,
            received: received, rules: rules, chance: chance, tags: tags, mustValidate: false,
            version: merged[.location] == self.fields[.location] ? versionOnDemand : Version())
    }
}
