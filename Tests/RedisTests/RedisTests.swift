import Testing

@testable import Redis

/// Numbers by chance that are the same in every run.
private struct Dice: RandomNumberGenerator {
    var state: UInt64 = 42
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

@Suite("An entry as it lies in a Redis")
struct EnvelopeTests {
    private let envelope = Envelope(
        id: 7, epoch: 12, tags: ["swapi", "https://swapi.dev/api/films/1/"],
        entry: Array(repeating: 0x61, count: 3000) + [0, 255])

    @Test("is read as it was written, and takes less room")
    func roundTrip() throws {
        let bytes = try #require(envelope.sealed())
        #expect(bytes.count < 400)
        #expect(Envelope(bytes) == envelope)
        let empty = Envelope(id: 0, epoch: 0, tags: [], entry: [])
        #expect(Envelope(try #require(empty.sealed())) == empty)
    }

    @Test("is none where a byte is another, is missing, or is too many")
    func mutations() throws {
        let bytes = try #require(envelope.sealed())
        for place in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << UInt8(bit)
                // A compressed stream may be spelled in two ways; what it says may not differ.
                let read = Envelope(other)
                #expect(read == nil || read == envelope)
            }
            #expect(Envelope(Array(bytes[..<place])) == nil)
        }
        #expect(Envelope(bytes + [0]) == nil)
    }

    @Test("is none where the form has another number")
    func otherForm() throws {
        var bytes = try #require(envelope.sealed())
        bytes[2] = 2
        #expect(Envelope(bytes) == nil)
    }

    @Test("bytes by chance are none, and none of them ends the program")
    func chance() throws {
        var dice = Dice()
        let bytes = try #require(envelope.sealed())
        for _ in 0..<5000 {
            var other = bytes
            for _ in 0..<Int.random(in: 1...20, using: &dice) {
                let place = Int.random(in: 0..<other.count, using: &dice)
                other[place] = UInt8.random(in: 0...255, using: &dice)
            }
            let read = Envelope(other)
            #expect(read == nil || read == envelope)
            let noise = (0..<Int.random(in: 0...60, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
            #expect(Envelope([0x53, 0x4C, 1] + noise) == nil)
        }
    }

    @Test("one that is too large isn't written")
    func tooLarge() {
        #expect(
            Envelope(id: 1, epoch: 1, tags: [], entry: Array(repeating: 0, count: Envelope.entryLimit + 1)).sealed()
                == nil)
        var dice = Dice()
        let noise = (0..<5 << 20).map { _ in UInt8.random(in: 0...255, using: &dice) }
        #expect(Envelope(id: 1, epoch: 1, tags: [], entry: noise).sealed() == nil)
    }
}

@Suite("What the machines agree on")
struct SharedStateTests {
    private func envelope(_ epoch: UInt64, _ tags: [String] = ["swapi"], id: UInt64 = 7) -> Envelope {
        Envelope(id: id, epoch: epoch, tags: tags, entry: [])
    }

    private func made(_ text: String...) -> SharedState? { SharedState(fields: text.map { .bytes(Array($0.utf8)) }) }

    @Test("an entry from before its tag was dropped is no good, one from after it is")
    func marks() throws {
        var state = try #require(made("id", "7", "n", "4", "mswapi", "3"))
        #expect(!state.isGood(envelope(2)))
        #expect(state.isGood(envelope(3)))
        #expect(state.isGood(envelope(1, ["marvel"])))
        #expect(!state.isGood(envelope(1, ["marvel", "swapi"])))
        #expect(!state.isGood(envelope(5)), "from a later state than ours")
        #expect(!state.isGood(envelope(4, id: 8)), "of another life")
        let took = state.take(try #require(SharedState.News("1 7 5 me *")))
        #expect(took)
        #expect(!state.isGood(envelope(4, ["marvel"])))
        #expect(state.isGood(envelope(5)))
    }

    @Test("news that isn't the next has the whole state read again")
    func gaps() throws {
        var state = SharedState(id: 7, epoch: 4)
        for text in ["1 7 6 me a", "1 7 4 me a", "1 8 5 me a"] {
            let took = state.take(try #require(SharedState.News(text)))
            #expect(!took)
        }
        #expect(state == SharedState(id: 7, epoch: 4))
    }

    @Test(
        "what is no news isn't taken for some",
        arguments: [
            "", "1", "2 7 5 me a", "1 7 5 me", "1 7 5 me ", "1 x 5 me a", "1 7 -5 me a",
            "1 7 18446744073709551615 me a",
        ])
    func noNews(text: String) { #expect(SharedState.News(text) == nil) }

    @Test("after an absence all that was missed is dropped, or everything where that can't be known")
    func missed() throws {
        let old = SharedState(id: 7, epoch: 3)
        #expect(
            try #require(made("id", "7", "n", "5", "ma", "2", "mb", "4", "mc", "5")).dropped(since: old) == ["b", "c"])
        #expect(try #require(made("id", "7", "n", "5", "ma", "4", "m*", "5")).dropped(since: old) == ["*"])
        #expect(try #require(made("id", "9", "n", "3")).dropped(since: old) == ["*"])
        #expect(try #require(made("id", "7", "n", "2")).dropped(since: old) == ["*"])
        #expect(try #require(made("id", "7", "n", "3")).dropped(since: old) == [])
        #expect(try #require(made("id", "7", "n", "3")).dropped(since: nil) == [])
    }

    @Test("what is no state is none")
    func noState() {
        #expect(made() == nil)
        #expect(made("id", "7") == nil)
        #expect(made("id", "7", "n") == nil)
        #expect(made("id", "x", "n", "1") == nil)
        #expect(SharedState(fields: [.integer(1), .null]) == nil)
    }
}

@Suite("Replies of a Redis")
struct ReaderTests {
    private func read(_ bytes: [UInt8], piece: Int = .max) -> [RedisValue]? {
        guard let reader = RedisReader() else { return nil }
        var values: [RedisValue] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(piece))
            rest = rest.dropFirst(next.count)
            let isSound = next.withUnsafeBytes { bytes in (try? reader.take(bytes) { values.append($0) }) != nil }
            if !isSound { return nil }
        }
        return values
    }

    private static let text = "+OK\r\n-ERR no\r\n:-5\r\n$3\r\na\r\n\r\n$-1\r\n*2\r\n$1\r\nx\r\n*1\r\n:7\r\n*0\r\n"
    private static let values: [RedisValue] = [
        .status("OK"), .error("ERR"), .integer(-5), .bytes([0x61, 0x0D, 0x0A]), .null,
        .array([.bytes([0x78]), .array([.integer(7)])]), .array([]),
    ]

    @Test("are the same however their bytes are cut", arguments: [1, 2, 3, 7, 1000])
    func cuts(piece: Int) { #expect(read(Array(ReaderTests.text.utf8), piece: piece) == ReaderTests.values) }

    @Test(
        "what is no reply is an error",
        arguments: ["HTTP/1.1 200 OK\r\n", "\0\0\0", "*999999999\r\n", "*100001\r\n", ":x\r\n", "hello\r\n"])
    func broken(text: String) { #expect(read(Array(text.utf8)) == nil) }

    @Test("mutated bytes never end the program")
    func mutations() {
        var dice = Dice()
        for _ in 0..<3000 {
            var bytes = Array(ReaderTests.text.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...127, using: &dice)
            }
            let whole = read(bytes)
            #expect(whole == nil || whole?.count ?? 0 <= bytes.count)
        }
    }

    @Test("commands are arrays of bulk strings, whatever is in them")
    func commands() {
        var bytes: [UInt8] = []
        RedisCommand.append([Array("SET".utf8), [0x0D, 0x0A], []], to: &bytes)
        #expect(bytes == Array("*3\r\n$3\r\nSET\r\n$2\r\n\r\n\r\n$0\r\n\r\n".utf8))
    }
}

@Suite("The address of a Redis")
struct AddressTests {
    @Test("says where it is and how it is entered")
    func good() throws {
        let full = try RedisAddress("redis://us%40er:p%3Aw@[::1]:7000/3")
        #expect(full.host == "::1" && full.port == 7000 && full.database == 3)
        #expect(full.user == "us@er" && full.password == "p:w")
        let short = try RedisAddress("REDIS://cache")
        #expect(short.host == "cache" && short.port == 6379 && short.database == 0 && short.password == nil)
        #expect(try RedisAddress("redis://:a@b@host/").password == "a@b")
    }

    @Test("shows no password")
    func description() throws {
        let address = try RedisAddress("redis://user:password@host:1/2")
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", "\(String(reflecting: address))", dumped] {
            #expect(!text.contains("password") && !text.contains("user"))
        }
    }

    @Test(
        "a wrong one is refused",
        arguments: [
            "", "redis", "redis:/a", "rediss://a", "http://a", "redis://", "redis://a:0", "redis://a:x", "redis://a/x",
            "redis://a/-1",
            "redis://a/99999999999999999999", "redis://a b", "redis://user@a", "redis://:@a", "redis://:%2@a",
            "redis://a?x", "redis://[::1",
        ])
    func wrong(text: String) {
        #expect(throws: RedisAddress.Mistake.self) { try RedisAddress(text) }
    }
}

@Suite("The machine that has a turn")
struct HolderWatchTests {
    private let start = ContinuousClock.now
    private func beat(_ number: Int) -> RedisValue { .array([.bytes([0x61]), .bytes(Array(String(number).utf8))]) }

    @Test("is taken for dead within the budget where its heart doesn't beat")
    func dead() {
        var watch = HolderWatch(budget: .milliseconds(50), at: start)
        var states = [Bool]()
        for time in stride(from: 0, to: 50, by: 10) {
            states.append(watch.isAlive(beat(7), at: start + .milliseconds(time)))
        }
        #expect(states == [true, true, true, true, false])
        #expect(watch.limit == start + .milliseconds(50))
    }

    @Test("is waited for as long as it beats, and no longer")
    func alive() {
        var watch = HolderWatch(budget: .milliseconds(50), at: start)
        for time in stride(from: 0, to: 3000, by: 10) {
            let isAlive = watch.isAlive(beat(time / 20), at: start + .milliseconds(time))
            #expect(isAlive)
        }
        let isAlive = watch.isAlive(beat(2990 / 20), at: start + .milliseconds(3030))
        #expect(!isAlive)
    }
}
