extension Fields {
    /// Takes out every line whose name `isRemoved` says yes to; the bytes of the others stay as they are.
    public mutating func removeAll(where isRemoved: (FieldName) -> Bool) {
        var kept = Fields()
        for line in lines {
            guard let name = FieldName(String(decoding: wire[line.name], as: UTF8.self)), !isRemoved(name) else {
                continue
            }
            kept.append(nameBytes: wire[line.name], valueBytes: wire[line.value])
        }
        self = kept
    }

    /// Puts the lines of `other` in place of all lines of their names, but for names that `isLeft` says yes to; the bytes are taken as
    /// they are.
    public mutating func replace(with other: Fields, except isLeft: (FieldName) -> Bool) {
        var names: Set<FieldName> = []
        for line in other.lines {
            guard let name = FieldName(String(decoding: other.wire[line.name], as: UTF8.self)), !isLeft(name) else {
                continue
            }
            names.insert(name)
        }
        removeAll { names.contains($0) }
        for line in other.lines {
            guard let name = FieldName(String(decoding: other.wire[line.name], as: UTF8.self)), names.contains(name)
            else {
                continue
            }
            append(nameBytes: other.wire[line.name], valueBytes: other.wire[line.value])
        }
    }

    /// The bytes that these fields take in memory, roughly: the lines as they stand on the wire and a note for each.
    public var footprint: Int { wire.count + lines.count * MemoryLayout<Line>.stride }
}
