internal import CSimdJSON

/// What a text may cost. It is refused at the first of these that it passes.
public struct JSONLimits: Sendable {
    /// Containers inside each other: `[[1]]` has 2. More than 1,024 counts as 1,024.
    public var depth = 64
    /// Objects, arrays, strings, numbers and literals; keys are not counted.
    public var values = 250_000
    /// Bytes of the whole text. More than 1 GiB counts as 1 GiB.
    public var bytes = 8 << 20

    public init() {}
}

/// Why a text is refused.
public enum JSONError: Error, Equatable, Sendable {
    /// It is not what RFC 8259, section 2 describes. The offset is that of the first byte that can't be there, or the
    /// text's length where more was expected. A byte order mark, NaN and anything after the value are syntax errors.
    case syntax(offset: Int)
    case invalidUTF8
    case tooDeep
    case tooManyValues
    /// Longer than the limit, or there is no memory for it.
    case tooLarge
}

/// What a value is.
public enum JSONKind: UInt8, Sendable {
    case object, array, string, number, `true`, `false`, null
}

/// A value or a member's key: an index into its document's tape.
///
/// A plain value that only means something with the document it came from. With another document it names some other
/// node or none (an empty `null`); it never traps.
public struct JSONNode: Hashable, Sendable {
    let index: UInt32

    init(_ index: UInt32) {
        self.index = index
    }
}

/// A JSON text that was checked once, and where each of its values lies.
///
/// The text is never changed, decoded or put in order: numbers keep their digits, strings their escapes, objects their
/// order. Cheap to copy; safe to share between threads.
public struct JSONDocument: Sendable {
    /// The whole text, as it was given.
    public let bytes: [UInt8]
    let tape: [sluice_tape_entry]

    /// Checks the text (RFC 8259, UTF-8, no byte order mark) in time linear in its length, without recursion.
    public init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self.bytes = bytes
        self.tape = try Self.tape(of: bytes, limits: limits)
    }

    /// The outermost value.
    public var root: JSONNode { JSONNode(0) }

    private static func tape(of bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> [sluice_tape_entry] {
        let bounds = sluice_tape_limits(
            depth: UInt32(clamping: limits.depth), values: UInt32(clamping: limits.values),
            bytes: Int(clamping: max(0, limits.bytes)))
        defer { sluice_tape_release() }
        let tape = bytes.withUnsafeBufferPointer { sluice_tape_build($0.baseAddress, $0.count, bounds) }
        switch tape.status {
        case SLUICE_TAPE_OK: return Array(UnsafeBufferPointer(start: tape.entries, count: Int(tape.count)))
        case SLUICE_TAPE_UTF8: throw .invalidUTF8
        case SLUICE_TAPE_DEPTH: throw .tooDeep
        case SLUICE_TAPE_VALUES: throw .tooManyValues
        case SLUICE_TAPE_SIZE, SLUICE_TAPE_MEMORY: throw .tooLarge
        default: throw .syntax(offset: Int(tape.offset))
        }
    }
}

extension JSONDocument {
    /// The node's entry; for an index that this document doesn't have, an empty `null`.
    func entry(_ index: UInt32) -> sluice_tape_entry {
        guard index < tape.count else {
            return sluice_tape_entry(
                start: 0, end: 0, next: index, kind: JSONKind.null.rawValue, key: 0, escaped: 0, unused: 0)
        }
        return tape[Int(index)]
    }

    /// The index after the node and all that it holds.
    func end(of index: UInt32) -> UInt32 {
        let entry = entry(index)
        return entry.key == 0 ? entry.next : index + 1
    }
}

extension sluice_tape_entry {
    var isKey: Bool { key != 0 }
    var isEscaped: Bool { escaped != 0 }
    var range: Range<Int> { Int(start)..<Int(end) }

    func `is`(_ kind: JSONKind) -> Bool {
        self.kind == kind.rawValue
    }
}
