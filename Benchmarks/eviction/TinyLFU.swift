/// W-TinyLFU (Einziger, Friedman, Manes, 2017): a window of recent entries, a main part in two segments, and an estimate of how often
/// each key is asked for that decides which of the two ends stays. An entry has to beat every victim it would push out.
struct WTinyLFU: Policy {
    static let name = "W-TinyLFU"
    private enum Segment { static let window = 0, probation = 1, protected = 2 }
    let capacity: Int
    let windowCapacity: Int
    var table = Table(lists: 3)
    var sketch: Sketch

    init(capacity: Int) {
        self.capacity = capacity
        windowCapacity = capacity / 100
        sketch = Sketch(entries: max(1024, capacity / 2048))
    }

    mutating func access(_ key: Int, _ size: Int) -> Bool {
        sketch.add(key)
        if let slot = table.index[key] {
            touch(slot)
            return true
        }
        _ = table.add(key, size, to: Segment.window)
        while table.lists[Segment.window].bytes > windowCapacity, table.lists[Segment.window].tail >= 0 {
            admit(table.lists[Segment.window].tail)
        }
        return false
    }

    private mutating func touch(_ slot: Int) {
        switch table.entries[slot].list {
        case Segment.window: table.move(slot, to: Segment.window)
        case Segment.protected: table.move(slot, to: Segment.protected)
        default:
            table.move(slot, to: Segment.protected)
            while table.lists[Segment.protected].bytes * 10 > (capacity - windowCapacity) * 8 {
                table.move(table.lists[Segment.protected].tail, to: Segment.probation)
            }
        }
    }

    private mutating func admit(_ candidate: Int) {
        table.unlink(candidate)
        let room = capacity - windowCapacity
        let size = table.entries[candidate].size
        let rank = sketch.count(table.entries[candidate].key)
        // The victims are chosen before one of them goes: a candidate that is refused costs nobody a place.
        var victims: [Int] = []
        var needed = table.lists[1].bytes + table.lists[2].bytes + size - room
        var victim = table.lists[1].tail >= 0 ? table.lists[1].tail : table.lists[2].tail
        while needed > 0 {
            guard victim >= 0, rank > sketch.count(table.entries[victim].key) else {
                // It has earned a rest: else one that the sketch overrates would stop all that come.
                if victim >= 0 { table.move(victim, to: table.entries[victim].list) }
                // Back in a list for a moment, so that one way of removal is enough.
                table.push(candidate, Segment.window)
                return table.remove(candidate)
            }
            victims.append(victim)
            needed -= table.entries[victim].size
            let older = table.entries[victim].previous
            victim = older < 0 && table.entries[victim].list == Segment.probation ? table.lists[2].tail : older
        }
        for victim in victims { table.remove(victim) }
        table.push(candidate, Segment.probation)
    }
}

/// A count-min sketch of four rows with counters up to 15, halved after ten uses for each entry.
struct Sketch {
    private var counters: [UInt8]
    private let mask: Int
    private let limit: Int
    private var additions = 0

    init(entries: Int) {
        var width = 1
        while width < entries * 2 { width *= 2 }
        counters = Array(repeating: 0, count: width * 4)
        mask = width - 1
        limit = entries * 10
    }

    private func place(_ key: Int, _ row: Int) -> Int {
        var hash = UInt64(bitPattern: Int64(key)) &+ UInt64(row) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return row * (mask + 1) + (Int(truncatingIfNeeded: hash ^ (hash >> 31)) & mask)
    }

    func count(_ key: Int) -> UInt8 {
        var least = UInt8.max
        for row in 0..<4 { least = min(least, counters[place(key, row)]) }
        return least
    }

    mutating func add(_ key: Int) {
        for row in 0..<4 {
            let index = place(key, row)
            if counters[index] < 15 { counters[index] += 1 }
        }
        additions += 1
        guard additions >= limit else { return }
        additions /= 2
        for index in counters.indices { counters[index] /= 2 }
    }
}
