import HTTP
import Synchronization
import Testing

@testable import Cache

struct StoreTests {
    private func key(_ number: Int) -> CacheKey { CacheKey(.upstream, "https://a/\(number)") }

    private func answer(_ bytes: Int = 1000, tags: [String] = [], vary: String? = nil) -> StoredAnswer {
        let text = "Cache-Control: max-age=60" + (vary == nil ? "" : "\nVary: Foo")
        return stored(text, to: vary.map { "Foo: \($0)" } ?? "", body: String(repeating: "x", count: bytes), tags: tags)
    }

    @Test("what is kept is found again, and shares its content")
    func keeps() {
        let store = CacheStore(capacity: 1 << 20)
        let first = answer()
        #expect(store.insert(first, for: key(1)))
        #expect(store.variants(of: key(1)).first === first)
        #expect(store.variants(of: key(2)).isEmpty)
        #expect(store.variants(of: CacheKey(.composed, "https://a/1")).isEmpty)
        #expect(store.counts.entries == 1 && store.counts.insertions == 1)
    }

    @Test("a new answer takes the place of the one with the same selection, and of the one that it is given instead of")
    func variants() {
        let store = CacheStore(capacity: 1 << 20)
        let english = answer(vary: "en")
        let german = answer(vary: "de")
        store.insert(english, for: key(1))
        store.insert(german, for: key(1))
        #expect(store.variants(of: key(1)).count == 2)
        let newer = answer(vary: "en")
        store.insert(newer, for: key(1))
        let kept = store.variants(of: key(1))
        #expect(kept.count == 2 && kept.contains { $0 === newer } && !kept.contains { $0 === english })
        store.insert(answer(), for: key(1), replacing: newer)
        let left = store.variants(of: key(1))
        #expect(left.count == 2 && !left.contains { $0 === newer } && left.contains { $0 === german })
        for number in 0..<100 { store.insert(answer(10, vary: String(number)), for: key(2)) }
        #expect(store.variants(of: key(2)).count == Shard.variantLimit)
        for number in 0..<100 { store.insert(answer(10_000, vary: String(number)), for: key(3)) }
        #expect((1...3).contains(store.variants(of: key(3)).count))
    }

    @Test("the bytes never pass the bound, and what is counted goes back to the start", arguments: [1, 4])
    func bounded(shards: Int) {
        let store = CacheStore(capacity: 1 << 20, shards: shards)
        let start = store.counts.bytes
        var random = SplitMix(state: 7)
        for turn in 0..<5000 {
            let number = Int.random(in: 0..<2000, using: &random)
            _ = store.variants(of: key(number))
            let vary = turn % 3 == 0 ? String(turn % 5) : nil
            store.insert(
                answer(Int.random(in: 0...4000, using: &random), tags: ["t\(number % 7)"], vary: vary), for: key(number)
            )
            guard store.counts.bytes > 1 << 20 else { continue }
            Issue.record("\(store.counts.bytes) bytes after \(turn) turns")
            return
        }
        let counts = store.counts
        #expect(counts.evictions > 1000 && counts.entries > 100)
        #expect(store.removeAll() == counts.entries)
        #expect(store.counts.bytes == start && store.counts.entries == 0)
    }

    @Test("an answer that is too large is refused and pushes nothing out")
    func huge() {
        let store = CacheStore(capacity: 1 << 20, shards: 1, largestShare: 0.1)
        for number in 0..<100 { store.insert(answer(), for: key(number)) }
        let entries = store.counts.entries
        #expect(!store.insert(answer(200_000), for: key(1000)))
        #expect(store.counts.entries == entries && store.counts.refusals == 1)
        // In place of an old one it takes that away: it is outdated.
        #expect(!store.insert(answer(200_000), for: key(5)))
        #expect(store.variants(of: key(5)).isEmpty)
    }

    @Test("what is asked for often survives a flood of what is asked for once")
    func floods() {
        let store = CacheStore(capacity: 1 << 20, shards: 1)
        for _ in 0..<5 {
            for number in 0..<100 where store.variants(of: key(number)).isEmpty {
                store.insert(answer(), for: key(number))
            }
        }
        for number in 1000..<20_000 where store.variants(of: key(number)).isEmpty {
            store.insert(answer(), for: key(number))
        }
        let left = (0..<100).filter { !store.variants(of: key($0)).isEmpty }.count
        #expect(left >= 95)
    }

    @Test("what was popular yields to what is popular now")
    func moves() {
        let store = CacheStore(capacity: 1 << 20, shards: 1)
        func use(_ numbers: Range<Int>, _ rounds: Int) -> Int {
            var hits = 0
            for _ in 0..<rounds {
                for number in numbers {
                    if store.variants(of: key(number)).isEmpty {
                        store.insert(answer(), for: key(number))
                    } else {
                        hits += 1
                    }
                }
            }
            return hits
        }
        _ = use(0..<500, 20)
        _ = use(1000..<1500, 60)
        #expect(use(1000..<1500, 1) >= 400)
    }

    @Test("a large entry passes the window alone")
    func largeEntry() {
        let store = CacheStore(capacity: 1 << 20, shards: 1, largestShare: 0.25)
        for number in 0..<3 { store.insert(answer(), for: key(number)) }
        #expect(store.insert(answer(100_000), for: key(10)))
        #expect((0..<3).allSatisfy { !store.variants(of: key($0)).isEmpty })
    }

    @Test("keys, tags, predicates and all are dropped")
    func drops() {
        let store = CacheStore(capacity: 1 << 20, shards: 4)
        for number in 0..<40 { store.insert(answer(tags: ["n\(number % 4)", "all"]), for: key(number)) }
        #expect(store.remove(key(1)) == 1 && store.remove(key(1)) == 0)
        #expect(store.remove(tag: "n0") == 10 && store.remove(tag: "n0") == 0 && store.remove(tag: "none") == 0)
        #expect(store.removeAll { key, _ in key.text.hasPrefix("https://a/2") } == 8)
        #expect(store.counts.entries == 40 - 1 - 10 - 8)
        #expect(store.remove(tag: "all") == 21)
        #expect(store.counts.invalidations == 40)
    }

    @Test("a key that lost the answer with a tag isn't dropped by that tag")
    func oldTags() {
        let store = CacheStore(capacity: 1 << 20)
        store.insert(answer(tags: ["old"]), for: key(1))
        store.insert(answer(tags: ["new"]), for: key(1))
        #expect(store.remove(tag: "old") == 0)
        #expect(store.remove(tag: "new") == 1)
    }

    @Test("an answer that was on its way while its key was dropped isn't taken")
    func marks() {
        let store = CacheStore(capacity: 1 << 20)
        let mark = store.mark(of: key(1))
        store.remove(key(1))
        #expect(!store.insert(answer(), for: key(1), since: mark))
        #expect(store.insert(answer(), for: key(1), since: store.mark(of: key(1))))
        let second = store.mark(of: key(2))
        store.removeAll { _, _ in false }
        #expect(!store.insert(answer(), for: key(2), since: second))
        let third = store.mark(of: key(1))
        store.remove(tag: "x")
        #expect(store.insert(answer(), for: key(1), since: third))
    }

    @Test("a tag that is dropped drops what is on its way to those keys, too")
    func tagMarks() {
        let store = CacheStore(capacity: 1 << 20)
        store.insert(answer(tags: ["t"]), for: key(1))
        let mark = store.mark(of: key(1))
        store.remove(tag: "t")
        #expect(!store.insert(answer(), for: key(1), since: mark))
    }

    @Test("a sweep refuses what is on its way to keys that had no such tag")
    func sweeps() {
        let store = CacheStore(capacity: 1 << 20)
        let mark = store.mark(of: key(1))
        store.remove(tag: "t", isSweeping: true)
        #expect(!store.insert(answer(), for: key(1), since: mark))
    }

    @Test("renewed answers take the place of the old ones, if those are still there")
    func renews() {
        let store = CacheStore(capacity: 1 << 20)
        let old = answer()
        let new = answer()
        store.insert(old, for: key(1))
        store.apply([Validation.Update(old: old, new: new)], to: key(1))
        #expect(store.variants(of: key(1)).first === new)
        store.apply([Validation.Update(old: old, new: old)], to: key(1))
        #expect(store.variants(of: key(1)).first === new)
        store.apply([Validation.Update(old: new, new: nil)], to: key(1))
        #expect(store.variants(of: key(1)).isEmpty && store.counts.entries == 0)
        store.apply([Validation.Update(old: new, new: old)], to: key(1))
        #expect(store.counts.entries == 0)
    }

    @Test("a store without room keeps nothing")
    func tiny() {
        for capacity in [0, 1, 500, 2000] {
            let store = CacheStore(capacity: capacity)
            #expect(!store.insert(answer(), for: key(1)))
            #expect(store.variants(of: key(1)).isEmpty)
        }
    }

    @Test("many threads at once")
    func threads() async {
        let store = CacheStore(capacity: 2 << 20, shards: 4)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var random = SplitMix(state: UInt64(worker))
                    for turn in 0..<2000 {
                        let key = key(Int.random(in: 0..<500, using: &random))
                        let variants = store.variants(of: key)
                        store.count(variants.isEmpty ? .miss : .hit, key)
                        switch turn % 50 {
                        case 0: store.remove(key)
                        case 1: store.remove(tag: "t\(turn % 3)")
                        case 2: store.removeAll { key, _ in key.text.hasSuffix("7") }
                        case 3...10: store.apply(variants.map { Validation.Update(old: $0, new: answer()) }, to: key)
                        default:
                            if variants.isEmpty {
                                store.insert(answer(turn, tags: ["t\(turn % 3)"]), for: key, since: store.mark(of: key))
                            }
                        }
                    }
                }
            }
        }
        let counts = store.counts
        #expect(counts.hits + counts.misses == 16_000)
        #expect(counts.bytes <= 2 << 20 && counts.entries > 0)
    }
}

/// The same numbers in each run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
