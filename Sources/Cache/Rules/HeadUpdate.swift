public import HTTP

/// What an answer to HEAD says about what is kept for GET (RFC 9111, section 4.3.5).
public enum HeadUpdate {
    /// - Parameters:
    ///   - response: a 200 to HEAD; another status changes nothing.
    ///   - length: of the content that GET would have, where the answer said it (`Content-Length`).
    /// - Returns: for the store: those that the request could have been answered with, with their new fields where all validators and
    ///   the length are the same, else as outdated.
    public static func updates(
        by response: Response, length: Int?, to request: Request, among variants: [StoredAnswer], requested: Moment,
        received: Moment, rules: CacheRules
    ) -> [Validation.Update] {
        guard request.method == .head, response.status == .ok,
            !(rules.obeysClients && RequestDirectives(request.fields).noStore),
            let selected = Lookup.select(request, among: variants), selected.status == .ok
        else { return [] }
        let validators = Validators(response.fields, received: received)
        let isSame =
            (validators.tag == nil || validators.tag == selected.validators.tag)
            && (validators.lastModified == nil || validators.lastModified == selected.validators.lastModified)
            && (length == nil || length == selected.content.count)
        guard isSame else { return [Validation.Update(old: selected, new: selected.outdated())] }
        let renewed = selected.renewed(
            by: response.fields, to: request.fields, requested: requested, received: received, rules: rules, chance: 0)
        let storability = Storability(
            of: Response(status: renewed.status, fields: renewed.fields), to: request.asGet, received: received,
            rules: rules)
        return [Validation.Update(old: selected, new: storability == .storable ? renewed : nil)]
    }
}
