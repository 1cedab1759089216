/// Writes our own small documents: `JSONWriter.object { $0.member("status", 404) }`.
///
/// Containers close with their closures and commas are put by the writer, so what it writes is valid as long as an
/// object gets members only, an array values only, and `raw` valid JSON.
public struct JSONWriter {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() {}

    /// The bytes of one object.
    public static func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) -> [UInt8] {
        var writer = JSONWriter()
        try writer.object(body)
        return writer.bytes
    }

    /// The bytes of one array.
    public static func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) -> [UInt8] {
        var writer = JSONWriter()
        try writer.array(body)
        return writer.bytes
    }

    // Values: of an array, or behind `key`.

    public mutating func value(_ text: String) {
        separate()
        JSONText.append(quoted: text, to: &bytes)
    }

    public mutating func value(_ number: Int) {
        raw(String(number).utf8)
    }

    public mutating func value(_ truth: Bool) {
        raw(truth ? "true".utf8 : "false".utf8)
    }

    public mutating func null() {
        raw("null".utf8)
    }

    /// One value that is JSON already.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try container("{", "}", body)
    }

    public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try container("[", "]", body)
    }

    // Members of an object.

    /// A member's name; its value must be written next.
    public mutating func key(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func member(_ name: String, _ text: String) {
        key(name)
        value(text)
    }

    public mutating func member(_ name: String, _ number: Int) {
        key(name)
        value(number)
    }

    public mutating func member(_ name: String, _ truth: Bool) {
        key(name)
        value(truth)
    }

    public mutating func null(_ name: String) {
        key(name)
        null()
    }

    public mutating func member(_ name: String, raw json: some Sequence<UInt8>) {
        key(name)
        raw(json)
    }

    public mutating func object<E: Error>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        key(name)
        try object(body)
    }

    public mutating func array<E: Error>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        key(name)
        try array(body)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func container<E: Error>(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        try body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }
}
