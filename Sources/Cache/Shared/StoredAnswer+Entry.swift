internal import HTTP

extension StoredAnswer {
    /// Another form has another number; one that isn't known is no entry.
    private static let format: UInt8 = 2
    /// Lines, names and tags of one answer.
    private static let listLimit = 2000

    /// The answer as bytes for other machines, with its age now.
    ///
    /// - Returns: nil for what isn't to leave this one: an answer that was chosen by a credential of a client's, one that must be asked about
    ///   each time, a part, and one of too many lines.
    func entry(at now: Moment) -> [UInt8]? {
        let chosen = zip(selection.names, selection.values)
        guard !mustValidate, extent == nil, !chosen.contains(where: { $1 != nil && StoredAnswer.mayBeSecret($0) })
        else { return nil }
        guard fields.count <= StoredAnswer.listLimit else { return nil }
        var writer = EntryWriter()
        writer.put(StoredAnswer.format)
        writer.put(status.code)
        writer.put(UInt64(clamping: now.seconds))
        writer.put(UInt16(clamping: now.fraction))
        writer.put(UInt64(clamping: milliseconds(at: now)))
        writer.put(UInt16(clamping: selection.names.count))
        for (name, value) in chosen {
            writer.put(name.text)
            writer.put(UInt8(value == nil ? 0 : 1))
            writer.put(value ?? "")
        }
        writer.put(UInt16(clamping: fields.count))
        fields.forEachRaw { name, value in
            writer.put(name)
            writer.put(value)
        }
        writer.put(content)
        return writer.bytes
    }

    /// The answer that an entry holds; nil where it holds none.
    /// - Parameters:
    ///   - rules: of the one who reads: the contract may say something else by now.
    ///   - tags: by which it may be dropped.
    convenience init?(entry: [UInt8], rules: CacheRules, tags: [String], chance: Double, at now: Moment) {
        var reader = EntryReader(entry)
        guard reader.number(UInt8.self) == StoredAnswer.format, let code = reader.number(UInt16.self),
            let status = Status(code: Int(code)),
            let written = reader.number(UInt64.self).flatMap({ Int(exactly: $0) }),
            let fraction = reader.number(UInt16.self), fraction < 1000,
            let age = reader.number(UInt64.self).flatMap({ Int(exactly: $0) }), age <= DeltaSeconds.maximum * 1000,
            let selecting = reader.list(limit: StoredAnswer.listLimit, StoredAnswer.selecting),
            let lines = reader.list(
                limit: StoredAnswer.listLimit,
                { reader in reader.piece().flatMap { name in reader.piece().map { (name, $0) } } }),
            let content = reader.piece(), reader.isAtEnd
        else { return nil }
        var fields = Fields()
        for (name, value) in lines { guard fields.append(nameBytes: name, valueBytes: value) else { return nil } }
        var request = Fields()
        for (name, value) in selecting { if let value { guard request.append(name, value) else { return nil } } }
        guard let selection = Selection(of: fields, to: request, passed: rules.passed),
            selection.names == selecting.map(\.0)
        else { return nil }
        // Machines' clocks differ a little: what was written in our future is as old as it was then.
        let total = age + now.wallMilliseconds(since: (written, Int(fraction)))
        fields.set(.age, String(DeltaSeconds.clamped(total / 1000)))
        // What `Age` can't say is counted too: lives may be as short as a second.
        let received = now.advanced(milliseconds: -(total % 1000))
        self.init(
            status: status, fields: fields, content: content, selection: selection, requested: received,
            received: received,
            rules: rules, chance: chance, tags: tags, mustValidate: false)
    }

    private static func selecting(_ reader: inout EntryReader) -> (FieldName, String?)? {
        guard let name = reader.text().flatMap({ FieldName($0) }), let isThere = reader.number(UInt8.self),
            let value = reader.text(), isThere <= 1
        else { return nil }
        return (name, isThere == 1 ? value : nil)
    }

    /// Whether a field may hold what only its client should know.
    private static func mayBeSecret(_ name: FieldName) -> Bool {
        let text = name.text.lowercased()
        return ["auth", "cookie", "key", "token", "secret", "session", "password"].contains { text.contains($0) }
    }

    /// How long anything can be done with it, in milliseconds from now; zero or less where nothing can.
    func usefulTime(at now: Moment) -> Int {
        let grace = mayBeStale ? max(staleWhileRevalidate ?? 0, staleIfError ?? 0) : 0
        return freshness(at: now) + DeltaSeconds.clamped(grace) * 1000
    }
}
