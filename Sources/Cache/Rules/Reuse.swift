public import HTTP

extension StoredAnswer {
    /// The answer to a client made of this one: 304 (or 412) by the request's conditions, 206 or 416 by its range, else the whole; with
    /// `Age` and our member of `Cache-Status`. HEAD gets the same: who writes the answer leaves the content out.
    ///
    /// - Parameters:
    ///   - request: the client's.
    ///   - status: nil: no `Cache-Status` is added.
    public func response(
        to request: Request, at now: Moment, status cacheStatus: CacheStatus?, role: Condition.Role = .cache
    ) -> Response {
        var fields = fields
        fields.set(.age, String(age(at: now)))
        if let cacheStatus { fields.append(.cacheStatus, cacheStatus.text) }
        let subject = Condition.Subject(status: status, validators: validators, date: date)
        switch Condition(request.fields, method: request.method, on: subject, role: role, now: now.seconds) {
        case .notModified: return Response(status: .notModified, fields: fields.ofNotModified)
        case .failed: return Response(status: .preconditionFailed, fields: fields.ofNotModified)
        case .met: break
        }
        // A range is only for GET, and of what would be a 200 (RFC 9110, section 14.2).
        guard request.method == .get, status == .ok || extent != nil, let range = request.fields[.range],
            ByteRange.isHeeded(request.fields[.ifRange], validators, date: date, now: now.seconds)
        else { return Response(status: status, fields: fields, body: body) }
        return part(ByteRange(range, length: total), fields)
    }

    /// The length of the whole.
    private var total: Int { extent?.total ?? content.count }

    private var body: Body { content.isEmpty ? .none : .bytes(content) }

    private func part(_ range: ByteRange, _ fields: Fields) -> Response {
        var fields = fields
        switch range {
        case .whole: return Response(status: status, fields: fields, body: body)
        case .part(let range):
            fields.set(.contentRange, range.contentRange(of: total))
            return Response(status: .partialContent, fields: fields, body: .bytes(Array(bytes(range))))
        case .parts(let ranges):
            let boundary = String(UInt64.random(in: .min ... .max), radix: 36) + "-sluice"
            let body = parts(ranges, type: fields[.contentType], boundary)
            fields.set(.contentType, "multipart/byteranges; boundary=" + boundary)
            fields.remove(.contentRange)
            return Response(status: .partialContent, fields: fields, body: .bytes(body))
        case .unsatisfiable:
            fields = fields.ofNotModified
            fields.remove(.etag)
            fields.remove(.lastModified)
            fields.remove(.cacheControl)
            fields.remove(.expires)
            fields.set(.contentRange, "bytes */\(total)")
            return Response(status: .rangeNotSatisfiable, fields: fields)
        }
    }

    /// - Parameter range: of the whole. What isn't here of it is left out.
    private func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
        let first = extent?.bytes.lowerBound ?? 0
        return content[(range.clamped(to: first..<first + content.count)).shifted(by: -first)]
    }

    /// Several ranges in one content (RFC 9110, section 14.6).
    private func parts(_ ranges: [Range<Int>], type: String?, _ boundary: String) -> [UInt8] {
        var body: [UInt8] = []
        for range in ranges {
            body += "--\(boundary)\r\n".utf8
            if let type { body += "Content-Type: \(type)\r\n".utf8 }
            body += "Content-Range: \(range.contentRange(of: total))\r\n\r\n".utf8
            body += bytes(range)
            body += "\r\n".utf8
        }
        return body + "--\(boundary)--\r\n".utf8
    }

    /// What `Cache-Status` says of this answer where it was given without asking.
    public func hitStatus(at now: Moment) -> CacheStatus {
        // Rounded down, also below zero.
        let freshness = freshness(at: now)
        return .hit(ttl: freshness >= 0 ? freshness / 1000 : -((-freshness + 999) / 1000))
    }
}

extension Range<Int> {
    /// The value of `Content-Range` (RFC 9110, section 14.4).
    fileprivate func contentRange(of total: Int) -> String { "bytes \(lowerBound)-\(upperBound - 1)/\(total)" }

    fileprivate func shifted(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}

extension Status {
    /// A part, and no part.
    static let partialContent = Status(code: 206) ?? .ok
    static let rangeNotSatisfiable = Status(code: 416) ?? .badRequest
}
