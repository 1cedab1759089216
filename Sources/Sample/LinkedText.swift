/// Text with gaps for the address that its links begin with: the same text serves every host that a client may use.
struct LinkedText: Sendable {
    private var bytes: [UInt8] = []
    /// Where the gaps are, ascending offsets into `bytes`.
    private var gaps: [Int] = []

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func append(_ text: Substring.UTF8View) { bytes.append(contentsOf: text) }

    /// Adds a JSON string that begins with the address.
    mutating func append(linkTo path: String) {
        append("\"")
        gaps.append(bytes.count)
        append(path)
        append("\"")
    }

    /// The length of the filled-in text.
    func count(root: [UInt8]) -> Int { bytes.count + gaps.count * root.count }

    /// Adds the text to `output`, each gap filled with `root`.
    func write(root: [UInt8], to output: inout [UInt8]) {
        var start = 0
        for gap in gaps {
            output.append(contentsOf: bytes[start..<gap])
            output.append(contentsOf: root)
            start = gap
        }
        output.append(contentsOf: bytes[start...])
    }
}
