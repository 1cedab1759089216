internal import HTTP

/// One part of the store, with its own bound and policy of admission and eviction: W-TinyLFU. Whoever holds it has locked it.
struct Shard {
    private var segments = Segments()
    private var sketch: FrequencySketch
    private var tags: [String: Set<CacheKey>] = [:]
    /// When keys were last invalidated, by a part of their hash: what was asked for before then is not taken any more.
    private var invalidations = [UInt32](repeating: 0, count: 256)
    private var epoch: UInt32 = 0
    private let capacity: Int
    private let windowCapacity: Int
    private let largest: Int
    /// What happened to each layer's entries, by its raw value.
    private(set) var tallies = [Tally](repeating: Tally(), count: CacheKey.Layer.allCases.count)

    struct Tally {
        var insertions = 0
        var evictions = 0
        var refusals = 0
    }

    static let variantLimit = 32

    /// - Parameters:
    ///   - capacity: bytes, the sketch included.
    ///   - largest: bytes of the largest entry that is taken.
    init(capacity: Int, largest: Int) {
        // An answer with its fields takes some 2 kB.
        sketch = FrequencySketch(entries: capacity / 2048)
        self.capacity = max(0, capacity - sketch.footprint)
        // 1 %: the share that was best on made-up traces, see docs/decisions.
        windowCapacity = self.capacity / 100
        self.largest = min(largest, self.capacity)
    }

    var bytes: Int { segments.bytes + sketch.footprint }
    func held(_ layer: CacheKey.Layer) -> (bytes: Int, entries: Int) { segments.held[Int(layer.rawValue)] }

    /// What is kept under a key; counts as a use.
    mutating func variants(_ key: CacheKey) -> [StoredAnswer] {
        sketch.add(key.hash)
        guard let slot = segments.index[key], let entry = segments[slot] else { return [] }
        switch entry.segment {
        case .window: segments.move(slot, to: .window)
        case .protected: segments.move(slot, to: .protected)
        case .probation:
            segments.move(slot, to: .protected)
            limitProtected()
        }
        return entry.variants
    }

    private mutating func limitProtected() {
        let limit = (capacity - windowCapacity) / 5 * 4
        while segments.bytes(.protected) > limit, let oldest = segments.tail(.protected) {
            segments.move(oldest, to: .probation)
        }
    }

    // MARK: Taking in

    /// - Returns: false where it was refused: too large, or asked for less often than all that would have to go.
    mutating func insert(
        _ answer: StoredAnswer, _ key: CacheKey, replacing old: StoredAnswer?, dropped: inout [StoredAnswer]
    ) -> Bool {
        let slot = segments.index[key]
        var variants = slot.flatMap { segments[$0]?.variants } ?? []
        dropped += variants.filter { $0 === old || $0.isReplaced(by: answer) }
        variants.removeAll { $0 === old || $0.isReplaced(by: answer) }
        variants.append(answer)
        while variants.count > Self.variantLimit || variants.count > 1 && size(key, variants) > largest {
            dropped.append(variants.removeFirst())
        }
        tallies[Int(key.layer.rawValue)].insertions += 1
        return put(variants, key, slot, dropped: &dropped)
    }

    private mutating func put(
        _ variants: [StoredAnswer], _ key: CacheKey, _ slot: Int?, dropped: inout [StoredAnswer]
    ) -> Bool {
        let size = size(key, variants)
        guard size <= largest, !variants.isEmpty else {
            if !variants.isEmpty { tallies[Int(key.layer.rawValue)].refusals += 1 }
            if let slot { remove(slot, &dropped) }
            return false
        }
        retag(key, from: slot.flatMap { segments[$0]?.variants } ?? [], to: variants)
        if let slot {
            segments.set(slot, variants, size: size)
            limitProtected()
        } else {
            _ = segments.add(key, variants, size: size, to: .window)
        }
        makeRoom(for: key, &dropped)
        return segments.index[key] != nil
    }

    /// Brings the window and the whole back to their bounds.
    private mutating func makeRoom(for key: CacheKey, _ dropped: inout [StoredAnswer]) {
        // What is larger than the window passes through it alone.
        if let slot = segments.index[key], let entry = segments[slot], entry.segment == .window,
            entry.size > windowCapacity
        {
            admit(slot, &dropped)
        }
        while segments.bytes(.window) > windowCapacity, let oldest = segments.tail(.window) { admit(oldest, &dropped) }
        // An entry may have grown where it stands.
        while segments.bytes > capacity, let victim = segments.tail(.probation) ?? segments.tail(.protected) {
            evict(victim, &dropped)
        }
    }

    /// Lets an entry of the window in, where there is room or it is asked for more often than each of those that would have to go.
    private mutating func admit(_ candidate: Int, _ dropped: inout [StoredAnswer]) {
        guard let entry = segments[candidate] else { return }
        let rank = sketch.count(entry.key.hash)
        let held = segments.bytes(.probation) + segments.bytes(.protected)
        var needed = held + entry.size - (capacity - windowCapacity)
        // Chosen before one of them goes: a candidate that is refused costs nobody a place.
        var victims: [Int] = []
        var next = segments.tail(.probation) ?? segments.tail(.protected)
        while needed > 0 {
            guard let victim = next, let loser = segments[victim] else { return evict(candidate, &dropped) }
            guard rank > sketch.count(loser.key.hash) else {
                // It has earned a rest: else one that the sketch overrates would stop all that come.
                segments.move(victim, to: loser.segment)
                return evict(candidate, &dropped)
            }
            victims.append(victim)
            needed -= loser.size
            next = loser.previous ?? (loser.segment == .probation ? segments.tail(.protected) : nil)
        }
        for victim in victims { evict(victim, &dropped) }
        segments.move(candidate, to: .probation)
    }

    private mutating func evict(_ slot: Int, _ dropped: inout [StoredAnswer]) {
        if let layer = segments[slot]?.key.layer { tallies[Int(layer.rawValue)].evictions += 1 }
        remove(slot, &dropped)
    }

    /// The bytes that an entry takes: what it holds, and what the tables around it take for it.
    private func size(_ key: CacheKey, _ variants: [StoredAnswer]) -> Int {
        variants.reduce(Self.overhead + key.text.utf8.count) { $0 + $1.footprint }
    }

    /// Slot, index and list of one entry, and what allocating all of it costs; by the growth of a process with 50,000 entries.
    static let overhead = 400

    // MARK: Changing and removing

    /// Applies what a validation found; an answer that isn't there any more stays away.
    mutating func apply(_ updates: [Validation.Update], _ key: CacheKey, dropped: inout [StoredAnswer]) {
        guard let slot = segments.index[key], var variants = segments[slot]?.variants else { return }
        for update in updates {
            guard let place = variants.firstIndex(where: { $0 === update.old }) else { continue }
            if let new = update.new { variants[place] = new } else { variants.remove(at: place) }
            dropped.append(update.old)
        }
        if variants.isEmpty { remove(slot, &dropped) } else { _ = put(variants, key, slot, dropped: &dropped) }
    }

    private mutating func remove(_ slot: Int, _ dropped: inout [StoredAnswer]) {
        guard let entry = segments[slot] else { return }
        retag(entry.key, from: entry.variants, to: [])
        dropped += segments.remove(slot)
    }

    /// Brings the table of tags up to date with the answers of one key.
    private mutating func retag(_ key: CacheKey, from old: [StoredAnswer], to new: [StoredAnswer]) {
        let (before, after) = (Set(old.flatMap(\.tags)), Set(new.flatMap(\.tags)))
        if before == after { return }
        for tag in before.subtracting(after) {
            tags[tag]?.remove(key)
            if tags[tag]?.isEmpty == true { tags[tag] = nil }
        }
        for tag in after.subtracting(before) { tags[tag, default: []].insert(key) }
    }

    /// Drops what is kept under a key and what is on its way there.
    mutating func invalidate(_ key: CacheKey, dropped: inout [StoredAnswer]) -> Int {
        epoch &+= 1
        invalidations[Self.place(key)] = epoch
        guard let slot = segments.index[key] else { return 0 }
        remove(slot, &dropped)
        return 1
    }

    /// - Parameter isSweeping: what is on its way to any key is not taken, for nobody knows its tags yet.
    mutating func invalidate(tag: String, isSweeping: Bool, dropped: inout [StoredAnswer]) -> Int {
        if isSweeping { refuseAllOnTheWay() }
        let keys = tags[tag] ?? []
        for key in keys { _ = invalidate(key, dropped: &dropped) }
        return keys.count
    }

    /// Drops those keys with a tag that `isMeant` says yes to for one of their answers.
    mutating func invalidate(tag: String, where isMeant: (StoredAnswer) -> Bool, dropped: inout [StoredAnswer]) -> Int {
        let keys = (tags[tag] ?? []).filter { key in
            guard let slot = segments.index[key], let entry = segments[slot] else { return false }
            return entry.variants.contains(where: isMeant)
        }
        for key in keys { _ = invalidate(key, dropped: &dropped) }
        return keys.count
    }

    /// Drops each key that `isMeant` says yes to for one of its answers. What is on its way to any key is not taken.
    mutating func invalidate(where isMeant: (CacheKey, StoredAnswer) -> Bool, dropped: inout [StoredAnswer]) -> Int {
        refuseAllOnTheWay()
        let slots = segments.index.values.filter { slot in
            guard let entry = segments[slot] else { return false }
            return entry.variants.contains { isMeant(entry.key, $0) }
        }
        for slot in slots { remove(slot, &dropped) }
        return slots.count
    }

    private mutating func refuseAllOnTheWay() {
        epoch &+= 1
        for place in invalidations.indices { invalidations[place] = epoch }
    }

    /// Changes whenever a key is invalidated.
    func mark(_ key: CacheKey) -> UInt32 { invalidations[Self.place(key)] }

    private static func place(_ key: CacheKey) -> Int { (key.hash >> 8) & 255 }
}

extension StoredAnswer {
    /// The bytes that it takes in memory, rounded up: fields, content, selection, tags, itself.
    var footprint: Int {
        var bytes = 480 + fields.footprint + content.count + 32
        for (name, value) in zip(selection.names, selection.values) {
            bytes += 96 + name.text.utf8.count * 2 + 2 * (value?.utf8.count ?? 0)
        }
        for tag in tags { bytes += 112 + tag.utf8.count }
        if let composition { bytes += composition.footprint }
        return bytes
    }
}
