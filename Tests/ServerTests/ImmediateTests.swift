internal import HTTP
internal import Loop
internal import Server
internal import Testing

@Suite("Answers that are ready at once") struct ImmediateTests {
    @Test("pipelined requests are answered in order, whether their answers are ready or not")
    func pipelining() async throws {
        try await RunningServer.serve { client in
            var text = ""
            for number in 0..<1000 { text += get(number % 3 == 0 ? "/yield?\(number)" : "/now?\(number)") }
            try client.send(text)
            for number in 0..<1000 { #expect(try client.answer().text == String(number)) }
        }
    }

    @Test("HEAD has the fields of GET and no content, and the next answer is intact")
    func head() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/now?abc", method: "HEAD") + get("/now?next"))
            let answer = try client.answer(isHead: true)
            #expect(answer["Content-Length"] == "3")
            #expect(try client.answer().text == "next")
        }
    }

    @Test("large content and content in pieces arrive whole, and the connection is kept")
    func content() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/now/large") + get("/now/pieces") + get("/now?end"))
            #expect(try client.answer().body.count == 5_000_000)
            #expect(try client.answer().text == "abc")
            #expect(try client.answer().text == "end")
        }
    }

    @Test("the client's wish to close is granted, and nothing behind it is answered")
    func close() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/now?1", "Connection: close\r\n") + get("/now?2"))
            let answer = try client.answer()
            #expect(answer.text == "1")
            #expect(answer["Connection"] == "close")
            #expect(try client.end() == .closed)
        }
    }

    @Test("what is no final answer becomes an error")
    func interim() async throws {
        try await RunningServer.serve { client in
            try client.send(get("/now/100"))
            #expect(try client.answer().status == 500)
        }
    }

    @Test("content that nobody reads is read to its end before the answer, so the next request is one")
    func unread() async throws {
        try await RunningServer.serve { client in
            try client.send("POST /now?a HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nGET ")
            try client.send("/x" + get("/now?b"))
            #expect(try client.answer().text == "a")
            #expect(try client.answer().text == "b")
        }
    }
}
