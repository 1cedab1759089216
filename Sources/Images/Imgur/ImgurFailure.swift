internal import HTTP

/// Why Imgur didn't do what it was asked, as far as its many shapes of error agree. Text decides before status: the same thing has come under
/// several statuses, and some statuses mean several things.
enum ImgurFailure: Sendable, Equatable {
    /// Too many requests; how many seconds it wants us to wait, where it said so.
    case limited(seconds: Int?)
    /// Too many requests of all clients of our client id, until the day ends.
    case dayIsSpent
    /// How many seconds it wants us to wait, where it said so.
    case overCapacity(seconds: Int?)
    /// A 503 that says in how many seconds it is over.
    case unavailable(seconds: Int)
    case tooLarge
    case notAnImage
    /// The address that we are at is refused.
    case refusesPlace
    /// Client id unknown, banned or malformed; https missing.
    case misconfigured
    /// A request that we thought good; anything else.
    case refused
    /// No answer of the API.
    case unreadable

    init(_ status: Status, _ complaint: ImgurComplaint) {
        let text = complaint.text
        func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if complaint.code == 1016 || says("banned country", "actions are forbidden", "not available in your") {
            self = .refusesPlace
        } else if says("daily client", "client requests exceeded") {
            self = .dayIsSpent
        } else if says("too fast", "too many requests", "rate limit", "please wait") || status == .tooManyRequests
            || complaint.code == 429
        {
            self = .limited(seconds: ImgurFailure.wait(in: text))
        } else if complaint.code == 1203 || says("over capacity", "overloaded") {
            self = .overCapacity(seconds: nil)
        } else if status == .contentTooLarge || complaint.code == 1002 || complaint.code == 413
            || says("over the size limit", "too large")
        {
            self = .tooLarge
        } else if status == .unsupportedMediaType || complaint.code == 1003 || says("file type invalid") {
            self = .notAnImage
        } else if [401, 403].contains(status.code) || says("http access is disabled", "malformed auth") {
            self = .misconfigured
        } else if status.code >= 500 || complaint.isEmpty || status == .methodNotAllowed || says("<html", "<!doctype") {
            self = .unreadable
        } else {
            self = .refused
        }
    }

    /// The failure with the time of the answer's `Retry-After`, which counts for more than that of the text.
    /// - Parameter seconds: at most a day of them is believed; nil where the field isn't there.
    func waiting(_ seconds: Int?, _ status: Status) -> ImgurFailure {
        guard let seconds = seconds.map({ min($0, ImgurLimits.day) }) else { return self }
        switch self {
        case .limited: return .limited(seconds: seconds)
        case .overCapacity: return .overCapacity(seconds: seconds)
        case .unreadable where status == .serviceUnavailable: return .unavailable(seconds: seconds)
        default: return self
        }
    }

    /// The seconds of "wait 59 more minutes"; nil where no such words are there.
    static func wait(in text: String) -> Int? {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        for (index, word) in words.enumerated() {
            guard let number = Int(word), (0...100_000).contains(number) else { continue }
            for unit in words[(index + 1)...].prefix(2) {
                if unit.hasPrefix("second") { return number }
                if unit.hasPrefix("minute") { return number * 60 }
                if unit.hasPrefix("hour") { return number * 3600 }
            }
        }
        return nil
    }

    /// The failure in our own words.
    /// - Parameter hasAddress: whether Imgur was given an address to fetch the image from, which it may refuse.
    func error(hasAddress: Bool = false) -> GatewayError {
        switch self {
        case .limited(let seconds):
            return Self.later("imgur-limited", "Imgur takes no further request from us for now.", seconds)
        case .dayIsSpent:
            return Self.later("imgur-limited", "Imgur takes no further request from us today.", nil)
        case .overCapacity(let seconds):
            return Self.later("imgur-over-capacity", "Imgur is over its capacity.", seconds)
        case .unavailable(let seconds):
            return Self.later("upstream-unavailable", "Imgur is not available for now.", seconds)
        case .tooLarge:
            return Self.error("content-too-large", .contentTooLarge, "Imgur says that the image is too large.")
        case .notAnImage:
            return Self.error("not-an-image", .unsupportedMediaType, "Imgur says that this is no image that it takes.")
        case .refusesPlace:
            return Self.error("imgur-refuses-us", .badGateway, "Imgur refuses requests from where this gateway is.")
        case .misconfigured:
            return Self.error(
                "upstream-denied", .badGateway,
                "Imgur refuses this gateway's client id: IMGUR_CLIENT_ID has to be checked.")
        case .refused where hasAddress:
            return Self.error("image-refused", .badRequest, "Imgur could not take the image from that address.")
        case .refused: return Self.error("upstream-refused", .badGateway, "Imgur refused the request.")
        case .unreadable:
            return Self.error("upstream-error", .badGateway, "Imgur failed, or answered in a form that is not known.")
        }
    }

    private static func error(_ code: String, _ status: Status, _ detail: String) -> GatewayError {
        GatewayError(source: .upstream(Imgur.name), code: code, status: status, detail: detail)
    }

    private static func later(_ code: String, _ detail: String, _ seconds: Int?) -> GatewayError {
        var error = error(code, .serviceUnavailable, detail)
        error.retryAfter = seconds
        return error
    }
}

/// What of Imgur is in the contract.
enum Imgur {
    /// The upstream's name.
    static let name = "imgur"
}
