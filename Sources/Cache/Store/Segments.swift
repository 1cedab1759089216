/// What a shard holds, in three linked lists over one table of slots; the newest of a list is at its head.
///
/// Slots are handed out here and checked by nobody: a slot is valid from `add` to `remove`.
struct Segments {
    /// W-TinyLFU's: the window takes what is new, probation what was admitted, protected what was used again since.
    enum Segment: Int, CaseIterable { case window, probation, protected }

    struct Slot {
        var key: CacheKey
        var variants: [StoredAnswer]
        var size: Int
        var segment: Segment
        var previous: Int?
        var next: Int?
    }

    struct List {
        var head: Int?
        var tail: Int?
        var bytes = 0
    }

    private(set) var slots: [Slot?] = []
    private var free: [Int] = []
    private var lists = [List](repeating: List(), count: Segment.allCases.count)
    private(set) var index: [CacheKey: Int] = [:]
    /// Of each layer's entries, by its raw value.
    private(set) var held = [(bytes: Int, entries: Int)](repeating: (0, 0), count: CacheKey.Layer.allCases.count)

    var bytes: Int { lists.reduce(0) { $0 + $1.bytes } }
    func bytes(_ segment: Segment) -> Int { lists[segment.rawValue].bytes }
    /// The one that was unused longest.
    func tail(_ segment: Segment) -> Int? { lists[segment.rawValue].tail }
    subscript(slot: Int) -> Slot? { slots[slot] }

    mutating func add(_ key: CacheKey, _ variants: [StoredAnswer], size: Int, to segment: Segment) -> Int {
        let entry = Slot(key: key, variants: variants, size: size, segment: segment)
        let slot: Int
        if let old = free.popLast() {
            slots[old] = entry
            slot = old
        } else {
            slots.append(entry)
            slot = slots.count - 1
        }
        index[key] = slot
        push(slot, segment)
        return slot
    }

    /// Puts other variants in the place of a slot's.
    mutating func set(_ slot: Int, _ variants: [StoredAnswer], size: Int) {
        guard let segment = slots[slot]?.segment else { return }
        unlink(slot)
        slots[slot]?.variants = variants
        slots[slot]?.size = size
        push(slot, segment)
    }

    mutating func move(_ slot: Int, to segment: Segment) {
        unlink(slot)
        push(slot, segment)
    }

    /// - Returns: what it held, to be let go of where no lock is held.
    mutating func remove(_ slot: Int) -> [StoredAnswer] {
        guard let entry = slots[slot] else { return [] }
        unlink(slot)
        index[entry.key] = nil
        slots[slot] = nil
        free.append(slot)
        return entry.variants
    }

    private mutating func push(_ slot: Int, _ segment: Segment) {
        let head = lists[segment.rawValue].head
        slots[slot]?.segment = segment
        slots[slot]?.previous = nil
        slots[slot]?.next = head
        if let head { slots[head]?.previous = slot } else { lists[segment.rawValue].tail = slot }
        lists[segment.rawValue].head = slot
        guard let entry = slots[slot] else { return }
        lists[segment.rawValue].bytes += entry.size
        held[Int(entry.key.layer.rawValue)].bytes += entry.size
        held[Int(entry.key.layer.rawValue)].entries += 1
    }

    private mutating func unlink(_ slot: Int) {
        guard let entry = slots[slot] else { return }
        let list = entry.segment.rawValue
        if let previous = entry.previous { slots[previous]?.next = entry.next } else { lists[list].head = entry.next }
        if let next = entry.next { slots[next]?.previous = entry.previous } else { lists[list].tail = entry.previous }
        lists[list].bytes -= entry.size
        held[Int(entry.key.layer.rawValue)].bytes -= entry.size
        held[Int(entry.key.layer.rawValue)].entries -= 1
    }
}
