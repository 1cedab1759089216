internal import Cache
internal import HTTP
internal import Plan

extension Gateway {
    /// Under which the answer to a checked request is kept: all that shapes it, in one form for all spellings that mean the same. What
    /// the client hands to upstreams isn't in it; answers that depend on that are variants under one key. It holds no credential.
    func composedKey(_ meaning: Meaning, _ request: Request) -> CacheKey? {
        guard var text = meaning.keyText else { return nil }
        // What a client hands to an upstream with a credential is its own.
        if credentials.contains(where: { request.fields.contains($0) }) { return nil }
        if Preferences(request.fields).isStrict { text += " strict" }
        return CacheKey(.composed, text + " " + settings.linkBase(for: request))
    }

    /// What of the key the target decides; nil for what is never kept: a handler may do anything, and others change something.
    func keyText(
        _ operation: Operation, _ arguments: Arguments, _ selection: Selection, _ target: Target
    ) -> String? {
        guard operation.handler == nil, operation.method.isSafe else { return nil }
        var text = operation.id + "?"
        let values = arguments.values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        text += Target.query(values) ?? ""
        text += " expand="
        selection.expansion.write(to: &text)
        if let paths = arguments.fields, !paths.isEmpty {
            let names = paths.map { $0.map { Percent.encoded($0) }.joined(separator: ".") }
            text += " fields=" + Set(names).sorted().joined(separator: ",")
        }
        if arguments.all == true { text += " all" }
        // The links to a list's other pages repeat the client's own words.
        if operation.collection != nil, arguments.all != true { text += " " + target.sorted.text }
        return text
    }
}

extension Expansion {
    /// Each link as its name behind a `+`, with the links below it in parentheses, in the order of the names.
    fileprivate func write(to text: inout String) {
        for (name, child) in children.sorted(by: { $0.key < $1.key }) {
            text += (child.isFollowed ? "+" : "-") + Percent.encoded(name)
            guard !child.children.isEmpty else { continue }
            text += "("
            child.write(to: &text)
            text += ")"
        }
    }
}

extension Target {
    /// The same with its query's pairs in the order of their texts, so that the order in which a client writes them changes nothing.
    var sorted: Target {
        guard let query else { return self }
        return Target(path: path, query: query.split(separator: "&").sorted().joined(separator: "&"))
    }
}
