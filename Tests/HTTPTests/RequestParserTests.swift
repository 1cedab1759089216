internal import HTTP
import Testing

@Suite("The request parser") struct RequestParserTests {
    @Test("a broken request is refused with the status it is owed", arguments: ParserCorpus.refused)
    func refused(_ sample: ParserCorpus.Case) {
        let outcome = ParserOutcome(sample.text)
        #expect(outcome.status == sample.status, "\(String(describing: outcome.fault))")
        #expect(outcome.messages.allSatisfy { !$0.isComplete })
    }

    @Test("a sound request is taken", arguments: ParserCorpus.sound)
    func sound(_ sample: ParserCorpus.Case) {
        let outcome = ParserOutcome(sample.text)
        #expect(outcome.fault == nil)
        #expect(outcome.messages.filter(\.isComplete).count == sample.status)
        #expect(outcome.isBetweenRequests == (sample.status > 0))
    }

    @Test("the outcome is the same however the bytes are cut", arguments: ParserCorpus.refused + ParserCorpus.sound)
    func cutting(_ sample: ParserCorpus.Case) {
        let input = bytes(sample.text)
        let whole = ParserOutcome([input[...]])
        for pieces in cuts(input) {
            let outcome = ParserOutcome(pieces)
            guard outcome != whole else { continue }
            Issue.record("cut at \(pieces.prefix(3).map(\.endIndex)): \(outcome) instead of \(whole)")
            return
        }
    }

    @Test("what follows a refused request is never taken", arguments: ParserCorpus.refused)
    func afterFault(_ sample: ParserCorpus.Case) {
        let outcome = ParserOutcome(sample.text + "\r\n\r\n0\r\n\r\nGET /canary HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(outcome.fault != nil)
        #expect(outcome.messages.allSatisfy { !$0.line.contains("canary") })
    }

    @Test("a parser that refused stays so")
    func staysRefused() {
        let pieces = ["GET / HTTP/9.9\r\n", "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"].map { bytes($0)[...] }
        var parser = RequestParser()
        for piece in pieces {
            var position = 0
            #expect(throws: GatewayError.self) { try parser.next(in: Array(piece).span, at: &position) }
        }
    }

    @Test("fields that belong to the connection are dropped, with those that it names")
    func hopByHop() throws {
        let sample = try #require(ParserCorpus.sound.first { $0.name == "hop-by-hop fields" })
        let messages = ParserOutcome(sample.text).messages
        let message = try #require(messages.first)
        #expect(message.fields == ["Host: a.test", "X-B: 2", "X-C: "])
        #expect(!message.keepsAlive)
    }

    @Test("trailer fields are dropped")
    func trailers() throws {
        let sample = try #require(ParserCorpus.sound.first { $0.name == "chunks and a request" })
        let outcome = ParserOutcome(sample.text)
        #expect(outcome.messages.map(\.body) == [bytes("hello!"), []])
        #expect(outcome.messages.map(\.fields) == [["Host: a.test"], ["Host: a.test"]])
    }

    @Test("a field's wire bytes are exactly its lines")
    func adoptedFields() throws {
        var parser = RequestParser()
        var position = 0
        let text = "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nA:  1 \r\nTE: x\r\nB: 2\r\n\r\n"
        guard case .head(let head) = try parser.next(in: bytes(text).span, at: &position) else {
            Issue.record("no head")
            return
        }
        #expect(head.fields.wire == bytes("Host: a.test\r\nA:  1 \r\nB: 2\r\n"))
        #expect(head.fields["a"] == "1")
        #expect(head.fields["B"] == "2")
        var changed = head.fields
        changed.set("A", "3")
        #expect(changed.wire == bytes("Host: a.test\r\nB: 2\r\nA: 3\r\n"))
    }

    @Test(
        "the connection is kept as version and Connection say",
        arguments: [
            ("1.1", "", true), ("1.1", "Connection: close\r\n", false), ("1.1", "Connection: x, CLOSE\r\n", false),
            ("1.1", "Connection: keep-alive, close\r\n", false),
            ("1.1", "Connection: x\r\nConnection: close\r\n", false),
            ("1.0", "", false), ("1.0", "Connection: Keep-Alive\r\n", true),
            ("1.0", "Connection: keep-alive, close\r\n", false),
            ("1.1", "Connection: closed\r\n", true), ("1.2", "", true),
        ])
    func persistence(version: String, lines: String, keeps: Bool) {
        let outcome = ParserOutcome("GET / HTTP/\(version)\r\nHost: a.test\r\n\(lines)\r\n")
        #expect(outcome.messages.map(\.keepsAlive) == [keeps])
    }

    @Test("100-continue is expected in HTTP/1.1 and with content only")
    func expectation() {
        func expects(_ version: String, _ lines: String) -> [Bool] {
            ParserOutcome("POST / HTTP/\(version)\r\nHost: a.test\r\n\(lines)\r\n").messages.map(\.expectsContinue)
        }
        #expect(expects("1.1", "Expect: 100-Continue\r\nContent-Length: 5\r\n") == [true])
        #expect(expects("1.1", "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n") == [true])
        #expect(expects("1.1", "Expect: 100-continue\r\n") == [false])
        #expect(expects("1.0", "Expect: 100-continue\r\nContent-Length: 5\r\n") == [false])
    }

    @Test(
        "the authority comes from the absolute form, else from Host",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: A.test:80\r\n\r\n", "A.test:80"), ("GET / HTTP/1.0\r\n\r\n", nil),
            ("GET http://A.TEST HTTP/1.1\r\nHost: a.test\r\n\r\n", "A.TEST"),
            ("GET https://a.test:443/x HTTP/1.1\r\nHost: a.test\r\n\r\n", "a.test:443"),
            ("GET http://own.test/x HTTP/1.1\r\nHost: a.test\r\n\r\n", "own.test"),
            ("GET http://own.test/x HTTP/1.0\r\n\r\n", "own.test"),
        ] as [(String, String?)])
    func authority(text: String, expected: String?) {
        let outcome = ParserOutcome(text, names: ["own.test"])
        #expect(outcome.messages.map(\.authority) == [expected])
    }

    @Test("the absolute form without a path is the root")
    func emptyPath() {
        #expect(
            ParserOutcome("GET http://a.test?q HTTP/1.1\r\nHost: a.test\r\n\r\n").messages.map(\.line) == [
                "GET /?q 1.1"
            ])
    }

    @Test("limits hold to the byte")
    func limits() {
        var limits = RequestLimits()
        limits.requestLine = 20
        limits.head = 60
        func status(_ text: String) -> Int? { ParserOutcome(text, limits: limits).status }
        let target = String(repeating: "a", count: 6)
        #expect(status("GET /\(target) HTTP/1.1\r\nHost: a\r\n\r\n") == nil)
        #expect(status("GET /\(target)a HTTP/1.1\r\nHost: a\r\n\r\n") == 414)
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        #expect(status(head + String(repeating: "b", count: 60 - 4 - head.utf8.count) + "\r\n\r\n") == nil)
        #expect(status(head + String(repeating: "b", count: 61 - 4 - head.utf8.count) + "\r\n\r\n") == 431)
        limits.content = 5
        let post = "POST / HTTP/1.1\r\nHost: a\r\n"
        #expect(ParserOutcome(post + "Content-Length: 5\r\n\r\n", limits: limits).status == nil)
        #expect(ParserOutcome(post + "Content-Length: 6\r\n\r\n", limits: limits).status == 413)
        limits.head = 100
        #expect(
            ParserOutcome(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", limits: limits)
                .status == nil)
        #expect(
            ParserOutcome(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\n", limits: limits).status == 413)
    }

    @Test("a refused HEAD is known as one")
    func refusedHead() {
        var parser = RequestParser()
        var position = 0
        let text = bytes("HEAD / HTTP/1.1\r\nHost: a b\r\n\r\n")
        #expect(throws: GatewayError.self) { try parser.next(in: text.span, at: &position) }
        #expect(parser.isHead)
    }

    @Test("501 names the methods there are")
    func allow() {
        var parser = RequestParser()
        var position = 0
        let error = #expect(throws: GatewayError.self) {
            try parser.next(in: bytes("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n").span, at: &position)
        }
        #expect(error?.fields[.allow] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
    }

    // MARK: Random input

    /// A message of the corpus, or two, with a few random changes.
    private func mutant(_ seeds: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
        let spice = bytes("\r\n\0 \t:;,0159afF\u{7F}\u{80}\u{FF}%/*{}")
        var input = seeds[Int.random(in: seeds.indices, using: &random)]
        if Bool.random(using: &random) { input += seeds[Int.random(in: seeds.indices, using: &random)] }
        for _ in 0..<Int.random(in: 0...3, using: &random) where !input.isEmpty {
            let place = Int.random(in: input.indices, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: input[place] = spice[Int.random(in: spice.indices, using: &random)]
            case 1: input.insert(spice[Int.random(in: spice.indices, using: &random)], at: place)
            default: input.remove(at: place)
            }
        }
        return input
    }

    @Test("random changes to sound and broken requests never depend on the cuts", arguments: 1...20)
    func mutations(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let seeds = (ParserCorpus.refused + ParserCorpus.sound).map { bytes($0.text) }.filter { $0.count < 1000 }
        for _ in 0..<200 {
            let input = mutant(seeds, &random)
            let whole = ParserOutcome([input[...]])
            let bytewise = ParserOutcome(input.indices.map { input[$0..<$0 + 1] })
            guard whole == bytewise else {
                Issue.record("\(input): \(whole) against \(bytewise)")
                return
            }
        }
    }

    @Test("the parser and one made from the grammar agree", arguments: 1...20)
    func reference(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 1000)
        // Twice the sound ones: broken requests stay broken.
        let seeds = (ParserCorpus.refused + ParserCorpus.sound + ParserCorpus.sound).map { bytes($0.text) }.filter {
            $0.count < 1000
        }
        let grammar = Grammar()
        for _ in 0..<100 { compare(mutant(seeds, &random), grammar) }
    }

    @Test(
        "the parser and one made from the grammar agree about the corpus",
        arguments: ParserCorpus.refused + ParserCorpus.sound)
    func referenceCorpus(_ sample: ParserCorpus.Case) { compare(bytes(sample.text), Grammar()) }

    private func compare(_ input: [UInt8], _ grammar: Grammar) {
        let outcome = ParserOutcome([input[...]])
        let reference = ReferenceParser(input, grammar)
        let agrees =
            switch reference.verdict {
            case .clean: outcome.fault == nil && outcome.messages == reference.messages
            case .refused: outcome.fault != nil
            case .incomplete: !outcome.isBetweenRequests
            }
        let complete = outcome.messages.filter(\.isComplete) == reference.messages.filter(\.isComplete)
        if !agrees || !complete {
            Issue.record("\(String(decoding: input, as: UTF8.self).debugDescription): \(outcome) against \(reference)")
        }
    }
}
