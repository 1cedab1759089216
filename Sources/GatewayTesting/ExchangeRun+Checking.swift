internal import HTTP

extension ExchangeRun {
    typealias Finding = ExchangeFile.Finding

    /// The status, the named fields and every byte of the content, decoded where it is coded.
    func check(_ response: Response, _ exchange: ExchangeFile.Exchange, took time: Duration) async -> [Finding] {
        guard let expected = exchange.expected else { return [] }
        var findings: [Finding] = []
        let content = await content(of: response, to: exchange.method)
        let text = content.map { String(decoding: $0, as: UTF8.self) }
        if Int(response.status.code) != expected.status {
            findings.append(
                Finding(
                    line: expected.line + 1, text: "status \(response.status.code) in place of \(expected.status)"))
        }
        for check in expected.fields {
            if let text = check.difference(in: response.fields) {
                findings.append(Finding(line: check.line, text: text))
            }
        }
        if let wanted = expected.time, wanted != time {
            findings.append(Finding(line: expected.line, text: "took \(time) in place of \(wanted)"))
        }
        switch text {
        case nil: findings.append(Finding(line: expected.line, text: "the content can't be decoded"))
        case let text? where !expected.matches(text):
            findings.append(Finding(line: expected.line, text: "the content differs:\n\(text)"))
        default: break
        }
        return findings
    }

    /// What a client reads: nothing where the method or the status allow no content; nil where its coding is broken.
    private func content(of response: Response, to method: Method) async -> [UInt8]? {
        guard method != .head, !response.status.forbidsContent else { return [] }
        guard let bytes = try? await response.body.collected(limit: 64 << 20) else { return nil }
        return Decoding.decoded(bytes, coding: response.fields[.contentEncoding])
    }

    func check(seen: [ExchangeFile.Seen], _ upstreams: [ScriptedUpstream], since marks: [Int]) -> [Finding] {
        var findings: [Finding] = []
        for expected in seen {
            guard let index = upstreams.firstIndex(where: { $0.name == expected.upstream }) else {
                findings.append(Finding(line: expected.line, text: "no upstream \(expected.upstream) in the contract"))
                continue
            }
            var log = Array(upstreams[index].log.dropFirst(marks[index]))
            var wanted = expected.requests
            if !expected.isOrdered {
                log.sort { ScriptedUpstream.key(of: $0) < ScriptedUpstream.key(of: $1) }
                wanted.sort { $0.text < $1.text }
            }
            let keys = log.map(ScriptedUpstream.key)
            guard keys == wanted.map(\.text) else {
                let text = "\(expected.upstream) was asked:\n" + keys.joined(separator: "\n")
                findings.append(Finding(line: expected.line, text: text))
                continue
            }
            for (request, wanted) in zip(log, wanted) {
                if let text = wanted.difference(inContentOf: request), let line = wanted.body?.line {
                    findings.append(Finding(line: line, text: text))
                }
                for check in wanted.fields {
                    if let text = check.difference(in: request.fields) {
                        findings.append(Finding(line: check.line, text: text))
                    }
                }
            }
        }
        return findings
    }
}

extension ExchangeFile.Seen.Request {
    /// What is wrong with the content; nil where nothing is.
    func difference(inContentOf request: Request) -> String? {
        guard let body, case .bytes(let bytes) = request.body else { return body.map { _ in "no content in memory" } }
        let text = String(decoding: bytes, as: UTF8.self)
        return text == body.text ? nil : "the content was: " + text
    }
}

extension ExchangeFile.FieldCheck {
    /// What is wrong with the field; nil where nothing is.
    func difference(in fields: Fields) -> String? {
        let found = fields.list(name)
        switch rule {
        case .value(let value) where found == value: return nil
        case .anyValue where found != nil: return nil
        case .absent where found == nil: return nil
        default: return "\(name.text): \(found ?? "isn't there")"
        }
    }
}

extension ExchangeFile.Expected {
    /// Whether `text` is the expected content. One newline at its end isn't compared: a block in a file can't show it.
    func matches(_ text: String) -> Bool {
        let wanted = body ?? ""
        if text == wanted || text == wanted + "\n" { return true }
        guard isAbridged else { return false }
        var rest = text[...]
        let pieces = wanted.split(separator: "…", omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1, rest.hasPrefix(first) else {
            return false
        }
        rest = rest.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard let range = piece.isEmpty ? rest.startIndex..<rest.startIndex : rest.firstRange(of: piece) else {
                return false
            }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last) || rest.hasSuffix(last + "\n")
    }
}
