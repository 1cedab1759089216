/// Entries in linked lists over one table: what every policy here stands on.
struct Entry {
    var key: Int
    var size: Int
    var count: UInt8 = 0
    var list = 0
    var previous = -1
    var next = -1
}

/// The ends of one list; `head` is the newest.
struct List {
    var head = -1
    var tail = -1
    var bytes = 0
    var count = 0
}

struct Table {
    var entries: [Entry] = []
    var lists: [List]
    var index: [Int: Int] = [:]
    private var free: [Int] = []

    init(lists count: Int) { lists = Array(repeating: List(), count: count) }

    var bytes: Int { lists.reduce(0) { $0 + $1.bytes } }

    mutating func add(_ key: Int, _ size: Int, to list: Int) -> Int {
        let entry = Entry(key: key, size: size)
        let slot: Int
        if let old = free.popLast() {
            entries[old] = entry
            slot = old
        } else {
            entries.append(entry)
            slot = entries.count - 1
        }
        index[key] = slot
        push(slot, list)
        return slot
    }

    mutating func push(_ slot: Int, _ list: Int) {
        entries[slot].list = list
        entries[slot].previous = -1
        entries[slot].next = lists[list].head
        if lists[list].head >= 0 { entries[lists[list].head].previous = slot } else { lists[list].tail = slot }
        lists[list].head = slot
        lists[list].bytes += entries[slot].size
        lists[list].count += 1
    }

    mutating func unlink(_ slot: Int) {
        let entry = entries[slot]
        if entry.previous >= 0 {
            entries[entry.previous].next = entry.next
        } else {
            lists[entry.list].head = entry.next
        }
        if entry.next >= 0 {
            entries[entry.next].previous = entry.previous
        } else {
            lists[entry.list].tail = entry.previous
        }
        lists[entry.list].bytes -= entry.size
        lists[entry.list].count -= 1
    }

    mutating func move(_ slot: Int, to list: Int) {
        unlink(slot)
        push(slot, list)
    }

    mutating func remove(_ slot: Int) {
        unlink(slot)
        index[entries[slot].key] = nil
        free.append(slot)
    }
}

protocol Policy {
    static var name: String { get }
    init(capacity: Int)
    /// Whether `key` was there; if not, it may be taken in.
    mutating func access(_ key: Int, _ size: Int) -> Bool
}
