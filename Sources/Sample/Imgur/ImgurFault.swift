internal import HTTP

extension SampleImgur {
    /// What may be answered in place of the truth or beside it, as the service was seen to do.
    ///
    /// Each is had by `fault:NAME`: as the title or name of an upload, or as the id or hash of an address (`/3/image/fault:NAME`). An upload whose
    /// title is `later:NAME` goes well, and what is asked about that picture afterwards doesn't.
    public enum Fault: String, Error, Sendable, CaseIterable {
        /// No picture among the content.
        case noImage = "no-image"
        /// Bytes of no known picture; the error is an object.
        case type400 = "type-400"
        /// The same with another object in the object.
        case type415 = "type-415"
        /// An object with a code of its own.
        case size400 = "size-400"
        /// The front server's words.
        case size413 = "size-413"
        /// The error is a text that holds JSON.
        case nested413 = "nested-413"
        /// The address to fetch can't be fetched.
        case badAddress = "bad-address"
        /// The client's country is blocked.
        case country
        /// Of the servers in front, with fields of their own and no request in it.
        case forbidden
        /// The request came over plain http. The sample never minds by itself.
        case plainHTTP = "plain-http"
        /// No `Authorization`.
        case anonymous
        /// Another scheme than `Client-ID`, or no blank behind it.
        case malformed
        /// A bearer's token.
        case badToken = "bad-token"
        /// An account's route.
        case needsLogin = "needs-login"
        /// An unknown client, or one that may not.
        case unauthorized
        /// In truth a limit of the address.
        case capacity403 = "capacity-403"
        case capacity500 = "capacity-500"
        /// An HTML page under 200.
        case capacityPage200 = "capacity-page-200"
        case capacityPage503 = "capacity-page-503"
        case missing
        case missingPage = "missing-page"
        /// An HTML page of the front server, to a method that is right.
        case method405 = "method-405"
        /// The client's day is used up.
        case day429 = "day-429"
        /// The same as an error under 200: the true status stands in the body.
        case day200 = "day-200"
        /// The address' hour is used up.
        case many429 = "many-429"
        /// The same with `errors` in place of `data`, under a vendor's type, with gzip for who takes it.
        case errors429 = "errors-429"
        /// "Wait 59 more minutes", an object; the body says 400.
        case fast429 = "fast-429"
        case fast400 = "fast-400"
        case page429 = "page-429"

        // Answers as usual, but for one thing.
        /// `https:\/\/…`
        case slashes
        /// `link` is `http://i.imgur.com/…`, as until 2017.
        case oldLink = "old-link"
        /// `link` is `https://i.imgur.com/…`, as it is now.
        case link
        /// An upload's answer without `deletehash`.
        case noHash = "no-hash"
        /// A deletion's `data` is null.
        case nullData = "null-data"
        /// JSON as `text/html`.
        case htmlType = "html-type"
        /// JSON as `application/vnd.imgur.v1+json`.
        case vendorType = "vendor-type"
        /// `X-RateLimit-UserReset` and `-ClientReset` are Unix times.
        case resetTime = "reset-time"
        /// No fields about limits.
        case noLimits = "no-limits"
    }
}

extension SampleImgur.Fault {
    /// The fault that a text asks for: `fault:NAME` or `later:NAME`.
    init?(asking text: String, _ prefix: String) {
        guard text.hasPrefix(prefix) else { return nil }
        self.init(rawValue: String(text.dropFirst(prefix.count)))
    }

    /// Whether the answer is as usual but for one thing.
    var isBend: Bool {
        switch self {
        case .slashes, .oldLink, .link, .noHash, .nullData, .htmlType, .vendorType, .resetTime, .noLimits: true
        default: false
        }
    }

    /// The limit that is shown as used up.
    var spent: ImgurCounts.Limit? {
        switch self {
        case .day429, .day200: .client
        case .many429, .errors429, .capacity403: .user
        case .fast429, .fast400: .posts
        default: nil
        }
    }

    /// - Parameters:
    ///   - target: what was asked for; the whole path is in most errors.
    ///   - minutes: to wait, where the error says so.
    func answer(to target: Target, _ method: Method, minutes: Int = 59) -> ImgurAnswer {
        var answer = words(target, method, minutes)
        answer.fault = self
        return answer
    }

    private func words(_ target: Target, _ method: Method, _ minutes: Int) -> ImgurAnswer {
        func say(_ status: Int, _ text: String) -> ImgurAnswer {
            .error(status, .members(ImgurAnswer.call(.text(text), target, method)))
        }
        func throwing(_ status: Int, _ code: Int, _ text: String, type: String, bodyStatus: Int? = nil) -> ImgurAnswer {
            let exception = ImgurAnswer.exception(code, text, type: type)
            return .error(status, .members(ImgurAnswer.call(exception, target, method)), bodyStatus: bodyStatus)
        }
        switch self {
        case .noImage: return say(400, "No image data was sent to the upload api")
        case .type400: return throwing(400, 1003, "File type invalid (1)", type: "ImgurException")
        case .type415: return .typeWithObject(target, method)
        case .size400: return throwing(400, 1002, "File is over the size limit", type: "ImgurException")
        case .size413: return .front413(.text("file is over the size limit"), target, method)
        case .nested413: return .front413(.text(ImgurAnswer.nestedError), target, method)
        case .badAddress: return say(400, "Invalid URL")
        case .country: return throwing(400, 1016, "Banned country attempt (XX)", type: "Exception_Logged")
        case .forbidden: return .cdn
        case .plainHTTP: return say(400, "HTTP Access is disabled. Requests must use SSL (HTTPS).")
        case .anonymous: return say(401, "Authentication required")
        case .malformed: return say(403, "Malformed auth header")
        case .badToken: return say(403, "The access token provided is invalid.")
        case .needsLogin: return say(403, "This method requires authentication")
        case .unauthorized: return say(403, "Unauthorized")
        case .capacity403: return say(403, Self.overCapacity)
        case .capacity500: return say(500, Self.overCapacity)
        case .capacityPage200: return .page(200, "Imgur overloaded. Please try again later.")
        case .capacityPage503: return .page(503, "Imgur overloaded. Please try again later.")
        case .missing: return say(404, "Unable to find an image with that id")
        case .missingPage: return .page(404, "imgur: the simple 404 page")
        case .method405: return .page(405, "405 Not Allowed")
        case .day429: return say(429, Self.dayIsOver)
        case .day200:
            return .error(200, .members(ImgurAnswer.call(.text(Self.dayIsOver), target, method)), bodyStatus: 429)
        case .many429: return say(429, "Too Many Requests")
        case .errors429: return .errors
        case .fast429: return throwing(429, 429, Self.tooFast(minutes), type: "ImgurException", bodyStatus: 400)
        case .fast400: return throwing(400, 429, Self.tooFast(minutes), type: "ImgurException")
        case .page429: return .page(429, "429 Too Many Requests")
        case .slashes, .oldLink, .link, .noHash, .nullData, .htmlType, .vendorType, .resetTime, .noLimits:
            return .success(.flag(true), self)
        }
    }

    private static let overCapacity = "Imgur is temporarily over capacity. Please try again later."
    private static let dayIsOver = "Daily client requests exceeded"

    private static func tooFast(_ minutes: Int) -> String {
        "You are uploading too fast. Please wait \(minutes) more minute\(minutes == 1 ? "" : "s")."
    }
}
