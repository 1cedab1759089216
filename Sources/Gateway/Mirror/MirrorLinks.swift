internal import HTTP
internal import JSON
internal import Plan

/// Makes addresses of a mirror's upstream into addresses of the mirror, so that a client that follows them stays here.
///
/// Each text of a JSON answer that is such an address as a whole, and `Location`, `Content-Location` and the targets of `Link`.
struct MirrorLinks: Sendable {
    private let plan: MirrorPlan
    private let upstream: UpstreamPlan
    /// What the usual link begins with as a JSON string.
    private let prefixes: [[UInt8]]
    private let known = RewrittenContents()

    init(plan: MirrorPlan, upstream: UpstreamPlan) {
        self.plan = plan
        self.upstream = upstream
        prefixes = ([upstream.base] + upstream.aliases).flatMap { base in
            let rest = "://" + base.authority + base.path + plan.upstreamPrefix
            return (base.hasDefaultPort ? ["https", "http"] : [base.scheme]).map { Array(("\"" + $0 + rest).utf8) }
        }
    }

    /// - Parameter linkBase: what addresses of this gateway begin with.
    func rewritten(_ response: Response, linkBase: String, limits: JSONLimits) async -> Response {
        var response = response
        response.fields = fields(response.fields, linkBase)
        guard !saysNoTransform(response.fields) else { return response }
        let isJSON = MirrorLinks.isJSON(response.fields[.contentType] ?? "")
        // What a 304 or an answer to HEAD says of the content is about what we make of it.
        guard isJSON || response.status == .notModified else { return response }
        response.fields.contentChanged()
        response.fields.removeAll { $0 == "Accept-Ranges" || $0 == .contentLength }
        guard let bytes = try? await response.body.collected(limit: limits.bytes), !bytes.isEmpty else {
            return response
        }
        if let rewritten = known.rewritten(bytes, linkBase: linkBase) {
            response.body = .bytes(rewritten)
            return response
        }
        response.body = .bytes(bytes)
        guard let document = try? JSONDocument(bytes, limits: limits) else { return response }
        var edits = JSONEdits()
        let begin = Array(JSONText.quoted(linkBase + plan.prefix).dropLast())
        collect(&edits, document, document.root, linkBase, begin)
        let rewritten = edits.isEmpty ? bytes : edits.applied(to: document)
        known.keep(rewritten, of: bytes, linkBase: linkBase)
        response.body = .bytes(rewritten)
        return response
    }

    private func fields(_ fields: Fields, _ linkBase: String) -> Fields {
        var fields = fields
        for name: FieldName in [.location, "Content-Location"] {
            if let address = fields[name], let local = local(address, linkBase) { fields.set(name, local) }
        }
        guard fields.contains(.link) else { return fields }
        var changed = Fields()
        fields.forEachRaw { name, value in
            let isLink = FieldName(String(decoding: name, as: UTF8.self)) == .link
            changed.append(nameBytes: name, valueBytes: isLink ? targets(value, linkBase) : value)
        }
        return changed
    }

    /// A value of `Link` with each address in angle brackets changed, and every other byte as it came.
    private func targets(_ value: ArraySlice<UInt8>, _ linkBase: String) -> ArraySlice<UInt8> {
        let parts = value.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
        var changed = parts.first ?? []
        for part in parts.dropFirst() {
            changed.append(UInt8(ascii: "<"))
            let address = part.prefix { $0 != UInt8(ascii: ">") }
            if address.endIndex < part.endIndex, let local = local(String(decoding: address, as: UTF8.self), linkBase) {
                changed += local.utf8
                changed += part[address.endIndex...]
            } else {
                changed += part
            }
        }
        return changed
    }

    /// An address of the upstream, or a path at its host, as an address of the mirror.
    private func local(_ address: String, _ linkBase: String) -> String? {
        let isPath = address.hasPrefix("/") && !address.hasPrefix("//")
        let whole = isPath ? upstream.base.scheme + "://" + upstream.base.authority + address : address
        return plan.localPath(of: whole, at: upstream).map { linkBase + $0 }
    }

    /// The recursion is bounded by the depth of the JSON that is read.
    /// - Parameter begin: what an address of the mirror begins with as a JSON string.
    private func collect(
        _ edits: inout JSONEdits, _ document: JSONDocument, _ node: JSONNode, _ linkBase: String, _ begin: [UInt8]
    ) {
        switch document.kind(of: node) {
        case .string:
            let json = document.bytes(of: node)
            guard json.starts(with: "\"http".utf8, by: { ASCII.lowercased($0) == $1 }) else { return }
            if let link = plain(json, begin) { return edits.replace(node, with: link) }
            guard let text = document.string(of: node), let local = plan.localPath(of: text, at: upstream)
            else { return }
            edits.replace(node, with: JSONText.quoted(linkBase + local))
        case .array: for element in document.elements(of: node) { collect(&edits, document, element, linkBase, begin) }
        case .object: for (_, value) in document.members(of: node) { collect(&edits, document, value, linkBase, begin) }
        case .number, .true, .false, .null: break
        }
    }

    /// The usual link, with no text made of it: a base as it is written, and behind it nothing that needs a closer look.
    private func plain(_ json: ArraySlice<UInt8>, _ begin: [UInt8]) -> [UInt8]? {
        guard let prefix = prefixes.first(where: { json.starts(with: $0) }) else { return nil }
        let rest = json.dropFirst(prefix.count)
        let slash = UInt8(ascii: "/")
        var previous: UInt8 = 0
        for byte in rest.dropLast() {
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "%"),
                byte != UInt8(ascii: ".") || previous != slash
            else { return nil }
            previous = byte
        }
        switch rest.first {
        case slash: return begin + rest
        case UInt8(ascii: "?"), UInt8(ascii: "\""): return begin + [slash] + rest
        default: return nil
        }
    }

    /// RFC 9110, section 7.7.
    private func saysNoTransform(_ fields: Fields) -> Bool {
        (fields.list(.cacheControl) ?? "").lowercased().split(separator: ",").contains {
            ASCII.trimmed($0) == "no-transform"
        }
    }

    private static func isJSON(_ type: String) -> Bool {
        let name = ASCII.trimmed(type.prefix { $0 != ";" }).lowercased()
        return name == "application/json" || name.hasSuffix("+json")
    }
}
