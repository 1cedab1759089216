/// The least recently used entry goes.
struct LRU: Policy {
    static let name = "LRU"
    let capacity: Int
    var table = Table(lists: 1)

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: Int, _ size: Int) -> Bool {
        if let slot = table.index[key] {
            table.move(slot, to: 0)
            return true
        }
        while table.lists[0].bytes + size > capacity, table.lists[0].tail >= 0 { table.remove(table.lists[0].tail) }
        _ = table.add(key, size, to: 0)
        return false
    }
}

/// SIEVE (Zhang and others, NSDI 2024): one list, a hand that goes from old to new and takes the first entry that wasn't used since
/// the hand passed it.
struct SIEVE: Policy {
    static let name = "SIEVE"
    let capacity: Int
    var table = Table(lists: 1)
    var hand = -1

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: Int, _ size: Int) -> Bool {
        if let slot = table.index[key] {
            table.entries[slot].count = 1
            return true
        }
        while table.lists[0].bytes + size > capacity, table.lists[0].tail >= 0 { evict() }
        _ = table.add(key, size, to: 0)
        return false
    }

    private mutating func evict() {
        var slot = hand >= 0 ? hand : table.lists[0].tail
        while table.entries[slot].count > 0 {
            table.entries[slot].count = 0
            slot = table.entries[slot].previous >= 0 ? table.entries[slot].previous : table.lists[0].tail
        }
        hand = table.entries[slot].previous
        table.remove(slot)
    }
}

/// S3-FIFO (Yang and others, SOSP 2023): a small queue that most entries leave without a second use, a main queue with second
/// chances, and the memory of what left the small one.
struct S3FIFO: Policy {
    static let name = "S3-FIFO"
    let capacity: Int
    var table = Table(lists: 2)
    var ghosts = Ghosts()

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: Int, _ size: Int) -> Bool {
        if let slot = table.index[key] {
            table.entries[slot].count = min(3, table.entries[slot].count + 1)
            return true
        }
        while table.bytes + size > capacity, table.lists[0].tail >= 0 || table.lists[1].tail >= 0 { evict() }
        _ = table.add(key, size, to: ghosts.take(key) ? 1 : 0)
        return false
    }

    private mutating func evict() {
        if table.lists[0].bytes * 10 >= capacity || table.lists[1].tail < 0 { return evictSmall() }
        while table.lists[1].tail >= 0 {
            let slot = table.lists[1].tail
            guard table.entries[slot].count > 0 else { return table.remove(slot) }
            table.entries[slot].count -= 1
            table.move(slot, to: 1)
        }
    }

    private mutating func evictSmall() {
        while table.lists[0].tail >= 0 {
            let slot = table.lists[0].tail
            // Used again after its first use.
            if table.entries[slot].count > 1 {
                table.entries[slot].count = 0
                table.move(slot, to: 1)
                if table.lists[1].bytes * 10 > capacity * 9 { return }
                continue
            }
            ghosts.add(table.entries[slot].key, limit: max(64, table.lists[1].count))
            return table.remove(slot)
        }
    }
}

/// The keys that left a small queue, the oldest forgotten first.
struct Ghosts {
    private var order: [Int] = []
    private var first = 0
    private var turns: [Int: Int] = [:]

    mutating func add(_ key: Int, limit: Int) {
        turns[key] = order.count
        order.append(key)
        while turns.count > limit, first < order.count {
            if turns[order[first]] == first { turns[order[first]] = nil }
            first += 1
        }
        if first > 1 << 16, first > order.count / 2 {
            order.removeFirst(first)
            for (key, turn) in turns { turns[key] = turn - first }
            first = 0
        }
    }

    mutating func take(_ key: Int) -> Bool { turns.removeValue(forKey: key) != nil }
}
