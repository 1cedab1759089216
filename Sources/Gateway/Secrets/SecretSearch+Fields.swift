internal import HTTP

extension SecretSearch {
    /// The lines without credentials: one whose name holds one is left out, and so is one whose value has one that can't be cut out.
    func cleaned(_ fields: Fields) -> Fields {
        var cleaned = Fields()
        fields.forEachRaw { name, value in
            guard !holds(name), let clean = self.cleaned(value) else { return }
            cleaned.append(nameBytes: name, valueBytes: clean)
        }
        return cleaned
    }

    /// A value is read as UTF-8, in which wide letters stand, and where it is none as Latin-1. Nil where nothing is left of it.
    private func cleaned(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        guard !value.isEmpty else { return [] }
        let clean: [UInt8]
        if let text = String(validating: value, as: UTF8.self) {
            clean = cutOut(text).map { Array($0.utf8) } ?? []
        } else {
            let text = String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
            clean = (cutOut(text) ?? "").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
        return clean.isEmpty || holds(clean) ? nil : clean
    }
}
