internal import HTTP
internal import JSON

/// The last step of a mirror before its upstream is asked, below the cache: so what is kept has no credential in it.
struct MirrorUpstream: Responder {
    let asker: Asker
    /// Nil where the upstream has no credential that it could tell.
    let secrets: SecretSearch?
    let isReading: Bool
    let json: JSONLimits
    /// A 304 or 206 that wasn't asked for is the upstream's own affair.
    var passesUnasked = false

    /// - Throws: what asking throws; 502 where an answer can't be looked into as it has to be.
    func respond(to request: Request) async throws(GatewayError) -> Response {
        var request = request
        request.fields.append("Via", Mirror.via)
        if isReading { request.fields.removeAll { $0 == "Range" || $0 == "If-Range" } }
        let response = try await asker.respond(to: request)
        if !passesUnasked, let unasked = MirrorUpstream.unasked(response.status, request) {
            throw .upstream(asker.name, "upstream-framing", .badGateway, unasked)
        }
        guard isReading else { return response }
        let coding = response.fields[.contentEncoding]?.lowercased() ?? "identity"
        guard response.status.code != 206, coding == "identity" || response.body.isEmpty else {
            throw .upstream(
                asker.name, "upstream-framing", .badGateway, "answers in a coding or a part that wasn't asked for.")
        }
        guard let secrets else { return response }
        var marked = response
        marked.fields.remove(.signedWith)
        return try await cleaned(marked, secrets.with(digests: response.fields.digests))
    }

    /// What is wrong with an answer that only a condition or a range may have; nil where one was sent (RFC 9110, sections 15.3.7 and 15.4.5).
    private static func unasked(_ status: Status, _ request: Request) -> String? {
        switch (status.code, request.method) {
        case (304, .get), (304, .head):
            let hasCondition = request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince)
            return hasCondition ? nil : "answers that nothing has changed, which wasn't asked."
        case (206, .get): return request.fields.contains("Range") ? nil : "answers with a part, which wasn't asked for."
        default: return nil
        }
    }

    /// The answer without credentials in its fields and in its content.
    private func cleaned(_ response: Response, _ secrets: SecretSearch) async throws(GatewayError) -> Response {
        var response = response
        response.fields = secrets.cleaned(response.fields)
        let bytes = try await response.body.collected(limit: json.bytes)
        guard !bytes.isEmpty else { return response }
        response.body = .bytes(bytes)
        guard secrets.mayBeIn(bytes) || secrets.holds(String(decoding: bytes, as: UTF8.self)) else { return response }
        guard let clean = cleaned(bytes, secrets) else {
            throw .upstream(
                asker.name, "credential-in-answer", .badGateway, "answers with a credential that can't be taken out.")
        }
        if clean != bytes {
            response.body = .bytes(clean)
            response.fields.contentChanged()
        }
        return response
    }

    /// Nil where a credential is found that can't be taken out: between bytes that are no text, or spelled in another way than it is asked with.
    private func cleaned(_ bytes: [UInt8], _ secrets: SecretSearch) -> [UInt8]? {
        if let document = try? JSONDocument(bytes, limits: json) {
            let edits = secrets.edits(in: document, at: document.root)
            return edits.isEmpty ? bytes : edits.applied(to: document)
        }
        if let text = String(validating: bytes, as: UTF8.self) {
            return secrets.cutOut(text).map { Array($0.utf8) }
        }
        return secrets.holds(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))) ? nil : bytes
    }
}

extension Fields {
    /// The content isn't any more what the upstream spoke of: its tag says no longer that the bytes are the same, and its digests nothing.
    mutating func contentChanged() {
        removeAll { $0 == "Content-Digest" || $0 == "Repr-Digest" || $0 == "Digest" || $0 == "Content-MD5" }
        guard let text = self[.etag], !text.hasPrefix("W/\"") else { return }
        // Some write it without its quotes.
        let opaque = text.hasPrefix("\"") ? text.dropFirst().prefix { $0 != "\"" } : text[...]
        let isSound = opaque.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }
        if isSound { set(.etag, "W/\"" + opaque + "\"") } else { remove(.etag) }
    }
}
