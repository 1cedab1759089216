extension Fields {
    /// Takes over lines that a parser has checked, with one copy of their bytes.
    /// - Parameter lines: in order, with positions in `head`.
    init(adopting lines: consuming [Line], from head: Span<UInt8>) {
        self.init()
        var lines = lines
        var length = 0
        for line in lines { length += line.end - line.name.lowerBound }
        wire.reserveCapacity(length)
        // Lines that stand one after the other are copied at once.
        var run = 0..<0
        for index in lines.indices {
            let line = lines[index]
            if line.name.lowerBound != run.upperBound {
                copy(head, run)
                run = line.name.lowerBound..<line.name.lowerBound
            }
            run = run.lowerBound..<line.end
            let shift = wire.count - run.lowerBound
            lines[index] = Line(
                name: line.name.lowerBound + shift..<line.name.upperBound + shift,
                value: line.value.lowerBound + shift..<line.value.upperBound + shift, end: line.end + shift)
        }
        copy(head, run)
        self.lines = lines
    }

    private mutating func copy(_ head: Span<UInt8>, _ range: Range<Int>) {
        head.extracting(range).withUnsafeBufferPointer { wire.append(contentsOf: $0) }
    }
}
