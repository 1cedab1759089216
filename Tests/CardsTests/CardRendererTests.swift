import Drawing
import GatewayTesting
import Glibc
import HTTP
import Testing

@testable import Cards

/// Shell scripts stand in for the process that draws.
@Suite("Processes that draw cards")
struct CardRendererTests {
    /// A folder with a reply that is good for any card, and a place to count starts in.
    private final class Folder {
        let path: String

        init() throws {
            var template = Array("/tmp/cards-XXXXXX".utf8CString)
            path = try #require(mkdtemp(&template).map { String(cString: $0) })
            let picture = try CardPainter.picture(of: Card(title: "x"), pixelLimit: 1)
            let reply = DrawingProcess.reply(picture)
            let file = try #require(fopen(path + "/reply", "wb"))
            fwrite(reply, 1, reply.count, file)
            fclose(file)
        }

        deinit {
            unlink(path + "/reply")
            unlink(path + "/starts")
            rmdir(path)
        }

        /// How often a script was started.
        var starts: Int {
            guard let file = fopen(path + "/starts", "rb") else { return 0 }
            defer { fclose(file) }
            var count = 0
            while fgetc(file) >= 0 { count += 1 }
            return count
        }
    }

    private func renderer(
        _ folder: Folder, _ script: String, _ change: (inout CardRenderer.Limits) -> Void = { _ in }
    ) -> CardRenderer {
        var limits = CardRenderer.Limits()
        limits.drawing.time = .seconds(30)
        change(&limits)
        let prefix = "cd \(folder.path); printf x >> starts; "
        return CardRenderer(limits, program: "/bin/sh", command: ["-c", prefix + script])
    }

    private func card(_ title: String, cover: Int = 0) -> Card {
        var card = Card(title: title)
        card.cover = Array(repeating: 1, count: cover)
        return card
    }

    @Test("a card is drawn, and the same one is not drawn again")
    func drawn() async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "cat >/dev/null; cat reply")
        #expect(try await renderer.picture(of: card("a", cover: 400_000)).bytes.count > 1000)
        _ = try await renderer.picture(of: card("a", cover: 400_000))
        #expect(folder.starts == 1)
        _ = try await renderer.picture(of: card("b"))
        #expect(folder.starts == 2)
    }

    @Test("many that want the same card at once wait for one process")
    func shared() async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "cat >/dev/null; sleep 0.3; cat reply")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await renderer.picture(of: card("a")).bytes.count } }
            for try await count in group { #expect(count > 1000) }
        }
        #expect(folder.starts == 1)
    }

    @Test(
        "a process that a cover ends is followed by one without the cover",
        arguments: [
            "kill -SEGV $$", "exit 1", "printf abc", "exec 0<&- 1>&-; sleep 60",
            "printf '\\001\\000\\000\\000\\004abcd'",
            "head -c 40000000 /dev/zero",
        ])
    func withoutCover(end: String) async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "if [ $(wc -c) -gt 5000 ]; then \(end); else cat reply; fi")
        #expect(try await renderer.picture(of: card("a", cover: 9000)).bytes.count > 1000)
        #expect(folder.starts == 2)
    }

    @Test("a process that takes too long is ended")
    func slow() async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "if [ $(wc -c) -gt 5000 ]; then sleep 60; else cat reply; fi") {
            $0.drawing.time = .seconds(2)
        }
        #expect(try await renderer.picture(of: card("a", cover: 9000)).bytes.count > 1000)
        #expect(folder.starts == 2)
    }

    @Test("a process that neither reads nor ends is ended, however much there is to send")
    func deaf() async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "sleep 60") { $0.drawing.time = .milliseconds(300) }
        let error = await #expect(throws: GatewayError.self) {
            try await renderer.picture(of: card("a", cover: 3_000_000))
        }
        #expect(error?.status == .internalServerError && error?.code == "card-failed")
        #expect(folder.starts == 2)
    }

    @Test("what can't be started is an error, and the next card is tried all the same")
    func missing() async throws {
        let renderer = CardRenderer(CardRenderer.Limits(), program: "/nowhere/at/all", command: [])
        for title in ["a", "b"] {
            let error = await #expect(throws: GatewayError.self) { try await renderer.picture(of: card(title)) }
            #expect(error?.code == "card-failed")
        }
    }

    @Test("more cards than may wait are refused, and those that wait are drawn")
    func busy() async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "cat >/dev/null; sleep 0.5; cat reply") {
            $0.drawings = 1
            $0.waiting = 2
        }
        var drawn = 0
        var refused = 0
        await withTaskGroup(of: GatewayError?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do throws(GatewayError) {
                        _ = try await renderer.picture(of: card("card \(number)"))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await error in group {
                drawn += error == nil ? 1 : 0
                guard let error else { continue }
                refused += 1
                #expect(error.status == .serviceUnavailable && error.code == "cards-busy" && error.retryAfter != nil)
            }
        }
        #expect(drawn >= 2 && refused > 0 && drawn + refused == 20)
        #expect(folder.starts == drawn)
    }

    @Test("a card that nobody waits for any more isn't begun")
    func cancelled() async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "cat >/dev/null; sleep 0.5; cat reply") { $0.drawings = 1 }
        let first = Task { try await renderer.picture(of: card("first")) }
        while folder.starts == 0 { await Task.yield() }
        let second = Task { try await renderer.picture(of: card("second")) }
        second.cancel()
        await #expect(throws: GatewayError.self) { try await second.value }
        _ = try await first.value
        _ = try await renderer.picture(of: card("third"))
        #expect(folder.starts == 2)
    }

    @Test("a card is waited for no longer than the deadline says, and then isn't begun")
    func late() async throws {
        let folder = try Folder()
        let renderer = renderer(folder, "cat >/dev/null; while [ ! -e go ]; do sleep 0.05; done; rm go; cat reply") {
            $0.drawings = 1
        }
        let first = Task { try await renderer.picture(of: card("first")) }
        while folder.starts == 0 { await Task.yield() }
        let code = try await LoopThread.run { _ in
            do throws(GatewayError) {
                _ = try await renderer.picture(of: card("second"), until: .now + .milliseconds(50))
                return ""
            } catch {
                return error.code
            }
        }
        #expect(code == "cards-busy")
        await #expect(throws: GatewayError.self) { try await renderer.picture(of: card("third"), until: .now) }
        try #require(fopen(folder.path + "/go", "wb").map { fclose($0) } == 0)
        _ = try await first.value
        #expect(folder.starts == 1)
    }

    @Test("a process gets none of the gateway's environment and none of its descriptors")
    func bare() async throws {
        let folder = try Folder()
        let open = open("/etc/hostname", O_RDONLY)
        defer { close(open) }
        setenv("SLUICE_TEST_SECRET", "canary", 1)
        defer { unsetenv("SLUICE_TEST_SECRET") }
        // A shell of its own opens none but 0 to 2 here.
        let renderer = renderer(
            folder, "cat >/dev/null; [ -z \"$SLUICE_TEST_SECRET\" ] && [ ! -e /proc/$$/fd/\(open) ] && cat reply")
        #expect(try await renderer.picture(of: card("a")).bytes.count > 1000)
    }
}
