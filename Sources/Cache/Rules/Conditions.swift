public import HTTP

/// A request's own conditions, judged against an answer that we have (RFC 9110, section 13; RFC 9111, section 4.3.2).
public enum Condition: Sendable, Equatable {
    /// The answer as it is.
    case met
    /// 304: the client has it already.
    case notModified
    /// 412: the client wanted it only in another state.
    case failed

    /// Who judges.
    public enum Role: Sendable {
        /// A cache: `If-Match` and `If-Unmodified-Since` are the origin's business.
        case cache
        /// The origin: for answers that the gateway composes.
        case origin
    }

    /// What an answer is compared by.
    struct Subject {
        var status: Status
        var validators: Validators
        /// By `Date`.
        var date: Int
    }

    /// In the order of RFC 9110, section 13.2.2.
    /// - Parameter method: other than GET and HEAD can only fail, never be not modified.
    init(_ fields: Fields, method: Method, on subject: Subject, role: Role, now: Int) {
        self = .met
        guard subject.status.isSuccess else { return }
        if role == .origin, Condition.fails(fields, subject, now: now) {
            self = .failed
            return
        }
        let isRead = method == .get || method == .head
        if let list = TagList(fields, .ifNoneMatch) {
            if list.names(subject.validators.tag, strongly: false) { self = isRead ? .notModified : .failed }
        } else if isRead, subject.status == .ok, let text = fields[.ifModifiedSince],
            let since = CacheDate.seconds(text, now: now)
        {
            if subject.validators.lastModified ?? subject.date <= since { self = .notModified }
        }
    }

    private static func fails(_ fields: Fields, _ subject: Subject, now: Int) -> Bool {
        if let list = TagList(fields, .ifMatch) { return !list.names(subject.validators.tag, strongly: true) }
        guard let text = fields[.ifUnmodifiedSince], let since = CacheDate.seconds(text, now: now),
            let changed = subject.validators.lastModified
        else { return false }
        return changed > since
    }
}

extension Condition {
    /// Judges a request's conditions against an answer that was made here.
    public init(_ request: Request, on response: Response, role: Role = .origin, now: Moment) {
        let subject = Subject(
            status: response.status, validators: Validators(response.fields, received: now),
            date: Age.date(response.fields, received: now))
        self.init(request.fields, method: request.method, on: subject, role: role, now: now.seconds)
    }
}

extension Fields {
    /// Whether the request is only to be carried out in some state of its target (RFC 9110, section 13.1).
    var hasPrecondition: Bool {
        contains(.ifMatch) || contains(.ifNoneMatch) || contains(.ifUnmodifiedSince) || contains(.ifModifiedSince)
    }

    /// What a 304 says of an answer's fields (RFC 9110, section 15.4.5): what caches need, and nothing about the content.
    var ofNotModified: Fields {
        var fields = self
        let about: Set<FieldName> = [
            .contentType, .contentEncoding, .contentLength, "Content-Language", .contentRange, "Accept-Ranges",
        ]
        fields.removeAll { about.contains($0) }
        return fields
    }
}
