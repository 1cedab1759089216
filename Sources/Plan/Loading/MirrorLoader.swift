internal import HTTP

/// Reads a mirror: a path whose last segment stands for all that may follow, and what it says beside `mirror: true`.
struct MirrorLoader {
    let draft: OperationDraft
    let mistakes: MistakeList

    /// Keys of `x-sluice` that mean something for a mirror.
    private static let keys = ["upstream", "path", "deadline", "limits", "cache", "mirror", "links"]

    /// - Parameters:
    ///   - operation: with its upstream.
    ///   - path: the upstream's, where the contract gives one.
    func load(_ operation: Operation, path: PathTemplate?) -> MirrorPlan? {
        checkKeys()
        guard operation.upstream != nil else {
            if draft.setting("upstream")?.text == nil, let place = draft.mirror {
                mistakes.add(
                    at: place, atKey: true, found: "a mirror without an upstream", expected: "the key \"upstream\" too")
            }
            return nil
        }
        guard draft.method == .get else {
            mistakes.add(
                at: draft.place, atKey: true, found: "the method \(shown(draft.method.rawValue.lowercased()))",
                expected: "get alone, which describes a mirror of every method")
            return nil
        }
        guard let prefix = draft.template.beforeRest, let name = draft.template.parameterNames.last else {
            mistakes.add(
                at: draft.pathEntry, atKey: true, found: shown(draft.template.text),
                expected: "a mirror's path: fixed segments and one parameter behind them, such as /mirror/films/{rest}")
            return nil
        }
        for parameter in draft.parameters where parameter.plan.name != name || parameter.plan.location != .path {
            mistakes.add(
                at: parameter.entry, found: "the parameter \(shown(parameter.plan.name))",
                expected: "\(shown(name)) alone: a mirror passes every query on")
        }
        guard let upstreamPrefix = path.map(\.beforeRest) ?? "" else {
            if let place = draft.setting("path") {
                mistakes.add(
                    at: place, found: place.found, expected: "fixed segments and {\(name)} behind them")
            }
            return nil
        }
        return MirrorPlan(prefix: prefix, upstreamPrefix: upstreamPrefix, rewritesLinks: readLinks())
    }

    private func checkKeys() {
        for owner in [draft.place, draft.pathItem] {
            for (key, entry) in owner["x-sluice"]?.entries ?? []
            where !MirrorLoader.keys.contains(key) && draft.isKnown(key) {
                mistakes.add(
                    at: entry, atKey: true, found: "the key \(shown(key)) with a mirror",
                    expected: "one of: " + MirrorLoader.keys.joined(separator: ", "))
            }
        }
    }

    private func readLinks() -> Bool {
        guard let place = draft.setting("links"), let text = place.text else { return false }
        if text != "rewrite" { mistakes.add(at: place, found: place.found, expected: "rewrite") }
        return true
    }

    /// What belongs to a mirror alone, at a route that is none.
    static func checkAbsence(_ draft: OperationDraft, _ mistakes: MistakeList) {
        for owner in [draft.place, draft.pathItem] {
            guard let entry = owner["x-sluice"]?["links"] else { continue }
            mistakes.add(at: entry, atKey: true, found: "\"links\" without a mirror", expected: "\"mirror: true\" too")
        }
    }
}

extension OperationDraft {
    /// The key `mirror` of the operation or of its path.
    var mirror: Place? { [place, pathItem].lazy.compactMap { $0["x-sluice"]?["mirror"] }.first }

    var isMirror: Bool { mirror?.flag ?? false }

    /// Whether a key is one of `x-sluice` at all; an unknown one is reported elsewhere.
    fileprivate func isKnown(_ key: String) -> Bool { Kind.sluice.shape(of: key) != nil }
}

extension PathTemplate {
    /// The path before its last segment, which must be its only parameter; nil for another form.
    var beforeRest: String? {
        guard parameterNames.count == 1, case .parameter? = segments.last, !endsInSlash else { return nil }
        let fixed = PathTemplate(segments: Array(segments.dropLast()), endsInSlash: false)
        return fixed.segments.isEmpty ? "" : fixed.filled([:])
    }
}
