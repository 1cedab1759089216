/// How much of a request is read. Sizes in bytes, each with the default of an edge server.
public struct RequestLimits: Sendable, Equatable {
    /// The request line without its CRLF; over it: 414.
    public var requestLine = 8 * 1024
    /// Request line, field lines and the empty line with all their CRLFs; over it: 431.
    public var head = 32 * 1024
    /// Field lines of a head or a trailer section; over it: 431.
    public var lines = 100
    /// Decoded content; over it: 413.
    public var content = 1024 * 1024
    /// Extensions of one chunk; over it: 413.
    public var chunkExtension = 256
    /// Extensions of all chunks of a message; over it: 413.
    public var chunkExtensions = 4 * 1024
    /// The trailer section with its CRLFs; over it: 431.
    public var trailers = 8 * 1024
    /// Empty lines before a request line, which some clients send after a body (RFC 9112, section 2.2); over it: 400.
    public var emptyLines = 4

    /// Methods that nobody here implements are handed on, for a mirror; else they are 501.
    public var takesOtherMethods = false

    public init() {}
}
