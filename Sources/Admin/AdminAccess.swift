internal import HTTP
internal import Hashing

/// The key of the admin port. Never printed.
public struct AdminKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// Bytes that a key must have at the least.
    public static let minimumLength = 16
    private let digest: [UInt8]

    /// Nil where `text` is too short, or holds what can't stand in a field.
    public init?(_ text: String) {
        guard text.utf8.count >= AdminKey.minimumLength, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let digest = Digest.sha256.hex(Array(text.utf8))
        else { return nil }
        self.digest = Array(digest.utf8)
    }

    public var description: String { "…" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether `text` is the key. Takes as long for a wrong key as for the right one: digests of one length are compared to the end.
    func matches(_ text: String) -> Bool {
        guard let other = Digest.sha256.hex(Array(text.utf8)) else { return false }
        var difference: UInt8 = digest.count == other.utf8.count ? 0 : 1
        for (left, right) in zip(digest, other.utf8) { difference |= left ^ right }
        return difference == 0
    }
}

/// Who may use the admin port. A port on loopback can be reached by every page in a browser of the same machine: by its address, and by a
/// name that its owner makes mean 127.0.0.1 (DNS rebinding). So no request of another site is answered, and where no key is asked for, none
/// that names this port by a name that isn't ours.
public struct AdminAccess: Sendable {
    private let key: AdminKey?
    private let names: Set<String>

    /// - Parameters:
    ///   - key: nil where nobody needs one.
    ///   - host: the name that the port listens on.
    public init(key: AdminKey?, host: String) {
        self.key = key
        names = ["localhost", host.lowercased()]
    }

    /// - Parameter isOpen: the page needs no key.
    /// - Throws: 403 for another site's request, 421 for a host that isn't ours, 401 without the key.
    func check(_ request: Request, isOpen: Bool) throws(GatewayError) {
        let site = request.fields["Sec-Fetch-Site"]
        guard !request.fields.contains("Origin"), site == nil || site == "none" || site == "same-origin" else {
            throw AdminAccess.otherSite
        }
        guard let key else {
            guard isOurs(request.authority) else { throw AdminAccess.otherHost }
            return
        }
        if isOpen { return }
        let words = (request.fields[.authorization] ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer", key.matches(String(words[1])) else {
            throw AdminAccess.keyRequired
        }
    }

    /// Whether an authority is an address, or a name of ours; no authority at all is HTTP/1.0, which no browser speaks.
    private func isOurs(_ authority: String?) -> Bool {
        guard let authority else { return true }
        if authority.hasPrefix("[") { return true }
        let host = authority.prefix { $0 != ":" }.lowercased()
        if names.contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private static let otherSite = GatewayError(
        source: .client, code: "cross-site", status: .forbidden,
        detail: "The admin port answers no request that a page in a browser makes.")

    private static let otherHost = GatewayError(
        source: .client, code: "wrong-host", status: .misdirectedRequest,
        detail: "The admin port without a key answers to addresses, localhost and the name it listens on only.")

    private static let keyRequired: GatewayError = {
        var error = GatewayError(
            source: .client, code: "key-required", status: .unauthorized,
            detail: "The admin port needs its key: Authorization: Bearer KEY.")
        error.fields = Fields([("WWW-Authenticate", "Bearer realm=\"sluice admin\"")])
        return error
    }()
}
