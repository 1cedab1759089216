/// How often each key was asked for lately, roughly and in little memory: a count-min sketch of four rows with counters up to 15, which are
/// halved after ten uses for each entry (TinyLFU; Einziger, Friedman, Manes, 2017).
struct FrequencySketch {
    private static let rows = 4
    private var counters: [UInt8]
    private let mask: UInt64
    private let limit: Int
    private var additions = 0

    /// - Parameter entries: about as many keys as the cache holds.
    init(entries: Int) {
        let entries = min(max(entries, 64), 1 << 24)
        // Twice as wide as there are entries: half of that cost up to 2 % of the hits where popularity moves.
        var width = 64
        while width < entries * 2 { width *= 2 }
        counters = Array(repeating: 0, count: width * Self.rows)
        mask = UInt64(width - 1)
        limit = entries * 10
    }

    var footprint: Int { counters.count }

    private func place(_ hash: Int, _ row: Int) -> Int {
        var bits = UInt64(bitPattern: Int64(hash)) &+ UInt64(row) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return row * Int(mask + 1) + Int((bits ^ (bits >> 31)) & mask)
    }

    func count(_ hash: Int) -> UInt8 {
        var least = UInt8.max
        for row in 0..<Self.rows { least = min(least, counters[place(hash, row)]) }
        return least
    }

    mutating func add(_ hash: Int) {
        for row in 0..<Self.rows {
            let index = place(hash, row)
            if counters[index] < 15 { counters[index] += 1 }
        }
        additions += 1
        guard additions >= limit else { return }
        additions /= 2
        for index in counters.indices { counters[index] /= 2 }
    }
}
