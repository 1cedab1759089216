internal import CZlib
internal import Cache

/// How an entry lies in a Redis: a mark of what it is, the state of invalidation that it was made in, its tags, and its bytes, compressed and
/// with a checksum. Whatever isn't exactly that is no entry.
struct Envelope: Equatable {
    /// Of the shared state; see ``SharedState``.
    var id: UInt64
    var epoch: UInt64
    var tags: [String]
    var entry: [UInt8]

    /// The letters S, L and the number of this form; others are ignored.
    private static let head: [UInt8] = [0x53, 0x4C, 1]
    /// Bytes of an entry, and of an envelope.
    static let entryLimit = 9 << 20
    static let sizeLimit = 4 << 20
    private static let tagLimit = 2000

    /// The bytes; nil where they would be too many.
    func sealed() -> [UInt8]? {
        guard entry.count <= Envelope.entryLimit, tags.count <= Envelope.tagLimit else { return nil }
        var inner = EntryWriter()
        inner.put(id)
        inner.put(epoch)
        inner.put(UInt16(clamping: tags.count))
        for tag in tags { inner.put(tag) }
        inner.put(entry)
        guard let coded = Envelope.compressed(inner.bytes) else { return nil }
        var outer = EntryWriter()
        for byte in Envelope.head { outer.put(byte) }
        outer.put(Envelope.checksum(inner.bytes))
        outer.put(UInt32(clamping: inner.bytes.count))
        outer.put(coded)
        return outer.bytes.count <= Envelope.sizeLimit ? outer.bytes : nil
    }

    init(id: UInt64, epoch: UInt64, tags: [String], entry: [UInt8]) {
        self.id = id
        self.epoch = epoch
        self.tags = tags
        self.entry = entry
    }

    /// Nil for anything but an envelope of this form.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Envelope.sizeLimit else { return nil }
        var outer = EntryReader(bytes)
        for byte in Envelope.head { guard outer.number(UInt8.self) == byte else { return nil } }
        guard let checksum = outer.number(UInt32.self), let count = outer.number(UInt32.self),
            Int(count) <= Envelope.entryLimit + (1 << 20), let coded = outer.piece(), outer.isAtEnd,
            let plain = Envelope.expanded(coded, to: Int(count)), Envelope.checksum(plain) == checksum
        else { return nil }
        var inner = EntryReader(plain)
        guard let id = inner.number(UInt64.self), let epoch = inner.number(UInt64.self),
            let tags = inner.list(limit: Envelope.tagLimit, { $0.text() }), let entry = inner.piece(), inner.isAtEnd
        else { return nil }
        self.init(id: id, epoch: epoch, tags: tags, entry: entry)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes, bytes.count))
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var count = compressBound(UInt(bytes.count))
        var isGood = false
        let coded = [UInt8](unsafeUninitializedCapacity: Int(count)) { output, used in
            isGood = compress2(output.baseAddress, &count, bytes, UInt(bytes.count), 1) == Z_OK
            used = isGood ? Int(count) : 0
        }
        return isGood ? coded : nil
    }

    /// Nil where the bytes don't become exactly `count`.
    private static func expanded(_ bytes: [UInt8], to count: Int) -> [UInt8]? {
        var produced = UInt(count)
        var isGood = false
        let plain = [UInt8](unsafeUninitializedCapacity: max(1, count)) { output, used in
            isGood = uncompress(output.baseAddress, &produced, bytes, UInt(bytes.count)) == Z_OK && produced == count
            used = isGood ? count : 0
        }
        return isGood ? plain : nil
    }
}
