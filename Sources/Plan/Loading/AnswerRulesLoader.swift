internal import HTTP
internal import JSON

/// Reads what an operation says of its upstream's query, of groups of parameters and of answers: `query`, `require`, `errors`, `expects`.
struct AnswerRulesLoader {
    let draft: OperationDraft
    let upstreams: [UpstreamPlan]
    let mistakes: MistakeList

    func load(_ operation: inout Operation) {
        operation.query = readQuery(operation)
        operation.alternatives = readAlternatives(operation)
        operation.expected = (draft.setting("expects")?.items ?? []).compactMap { JSONPointer.read($0, mistakes) }
        let loader = AnswerErrorLoader(mistakes: mistakes, isList: draft.setting("collection") != nil)
        operation.errors = loader.load(draft.setting("errors"))
        if let upstream = operation.upstream, upstreams.indices.contains(upstream) {
            operation.errors += upstreams[upstream].errors.filter {
                $0.meaning != .emptyList || draft.setting("collection") != nil
            }
        }
    }

    /// The names of the parameters that a request gives the upstream.
    private func names(_ operation: Operation) -> [String] {
        operation.parameters.filter { $0.role == .upstream }.map(\.name)
    }

    // MARK: query

    private func readQuery(_ operation: Operation) -> [QueryTemplate] {
        guard let place = draft.setting("query"), place.isMap else { return [] }
        let known = names(operation)
        let templates = place.entries.map { name, entry in
            QueryTemplate(
                name: name,
                texts: (entry.isList ? entry.items : [entry]).compactMap { text in
                    text.scalarText.flatMap { pieces($0, text, known) }
                })
        }
        let used = Set(templates.flatMap(\.parameters))
        for (name, entry) in place.entries where known.contains(name) && !used.contains(name) {
            mistakes.add(
                at: entry, atKey: true, found: "\(shown(name)), which is a parameter of the request too",
                expected: "a text with {\(name)} in it, or another name")
        }
        if let entry = place.entries.first?.place, operation.upstream == nil, draft.setting("upstream") == nil {
            mistakes.add(
                at: entry, atKey: true, found: "a query without an upstream", expected: "the key \"upstream\" too")
        }
        return templates
    }

    private func pieces(_ text: String, _ place: Place, _ known: [String]) -> [QueryTemplate.Piece]? {
        guard let pieces = Braces.split(text) else {
            mistakes.add(
                at: place, found: place.found, expected: "text, perhaps with parameters in braces: \"{query}\"")
            return nil
        }
        return pieces.map { piece in
            switch piece {
            case .text(let text): return .text(text)
            case .name(let name):
                if !known.contains(name) {
                    mistakes.add(
                        at: place, found: "{\(name)}, which no request gives",
                        expected: known.isEmpty
                            ? "no braces: the operation has no parameter"
                            : "one of: " + known.map { "{\($0)}" }.joined(separator: ", "))
                }
                return .parameter(name)
            }
        }
    }

    // MARK: require

    private func readAlternatives(_ operation: Operation) -> [[String]] {
        guard let place = draft.setting("require"), place.isList else { return [] }
        let optional = operation.parameters.filter { $0.location == .query && $0.role == .upstream && !$0.isRequired }
            .map(\.name)
        for group in place.items {
            if group.isList, group.items.isEmpty {
                mistakes.add(at: group, found: "an empty group", expected: "names of parameters")
            }
            for entry in group.items {
                guard let name = entry.text, !optional.contains(name) else { continue }
                mistakes.add(
                    at: entry, found: entry.found,
                    expected: optional.isEmpty
                        ? "an optional query parameter, of which the operation has none"
                        : "one of the optional query parameters: " + optional.joined(separator: ", "))
            }
        }
        return place.items.map { $0.items.compactMap(\.text) }.filter { !$0.isEmpty }
    }
}
