import Plan
import Testing

@Suite("Mistakes in files")
struct FileMistakes {
    private func told(_ sources: [(name: String, text: [UInt8])], environment: [String: String] = [:]) -> [String] {
        do {
            _ = try PlanLoader().load(sources: sources, environment: environment)
            return []
        } catch {
            return error.all.map(\.description)
        }
    }

    private func told(_ text: String) -> [String] { told([("a.yaml", Array(text.utf8))]) }

    private func told(files: [String]) -> [String] {
        do {
            _ = try PlanLoader().load(files: files, environment: [:])
            return []
        } catch {
            return error.all.map(\.description)
        }
    }

    @Test("no file at all")
    func none() {
        #expect(told([]) == ["contracts:1:1: found no file, expected at least one OpenAPI document"])
    }

    @Test("a file that isn't there")
    func missing() {
        #expect(
            told(files: ["/nowhere/films.yaml"])
                == [
                    "/nowhere/films.yaml:1:1: found nothing that can be read (No such file or directory), expected an OpenAPI document, or a folder of them"
                ])
    }

    @Test("an empty file, and one with comments only", arguments: ["", "# nothing\n", "---\n", "null\n", "~"])
    func empty(text: String) {
        #expect(told(text) == ["a.yaml:1:1: found an empty file, expected an OpenAPI document"])
    }

    @Test("a text or list in place of a document", arguments: ["films", "[1]"])
    func noMap(text: String) {
        #expect(told(text) == ["a.yaml:1:1: found no map, expected an OpenAPI document"])
    }

    @Test("bytes that are no UTF-8")
    func encoding() {
        let text = Array("openapi: 3.1.0\ninfo: {title: é".utf8) + [0xFF] + Array("}\n".utf8)
        #expect(told([("a.yaml", text)]) == ["a.yaml:2:16: found bytes that are no UTF-8, expected UTF-8"])
    }

    @Test("UTF-16, which YAML would allow and we don't")
    func utf16() {
        #expect(
            told([("a.yaml", [0xFF, 0xFE, 0x61, 0x00])]) == [
                "a.yaml:1:1: found bytes that are no UTF-8, expected UTF-8"
            ])
    }

    @Test("a control character")
    func control() {
        #expect(
            told("openapi: 3.1.0\ninfo: {title: a\u{7}b}\n")
                == ["a.yaml:2:16: found a character that YAML doesn't allow, expected text without control characters"])
    }

    @Test("a file of more than 4 MiB")
    func size() {
        let text = [UInt8](repeating: 0x20, count: (4 << 20) + 1)
        #expect(told([("a.yaml", text)]) == ["a.yaml:1:1: found 4194305 bytes, expected at most 4194304"])
    }

    @Test("nesting of more than 64 levels, also where aliases make it")
    func depth() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(told(deep) == ["a.yaml:1:65: found nesting deeper than 64 levels, expected flatter YAML"])
        var text = "a0: &a0 [[[[[[[[[1]]]]]]]]]\n"
        for level in 1...10 { text += "a\(level): &a\(level) [[[[[[[[*a\(level - 1)]]]]]]]]\n" }
        #expect(told(text).first?.hasSuffix("found nesting deeper than 64 levels, expected flatter YAML") == true)
    }

    @Test("aliases that multiply a value to more than 200,000")
    func multiplication() {
        var text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
        for level in 1...9 {
            let copies = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
            text += "a\(level): &a\(level) [\(copies)]\n"
        }
        #expect(told(text).count == 1)
        #expect(told(text).first?.hasSuffix("found more than 200000 values, expected fewer") == true)
    }

    @Test("an upstream in two files")
    func upstreamTwice() {
        let head =
            "openapi: 3.1.0\ninfo: {title: A, version: \"1\"}\nx-sluice-upstreams: {a: {url: \"http://a.test\"}}\n"
        let sources = ["a.yaml", "b.yaml"].map { name in
            (
                name: name,
                text: Array((head + "paths: {/\(name.prefix(1)): {get: {operationId: \(name.prefix(1))}}}\n").utf8)
            )
        }
        #expect(
            told(sources) == [
                #"b.yaml:3:22: /x-sluice-upstreams/a: found the upstream "a" again, expected each name once (it stands in a.yaml already)"#
            ])
    }

    @Test("an operationId and a route in two files")
    func operationTwice() {
        let text = "openapi: 3.1.0\ninfo: {title: A, version: \"1\"}\npaths: {/a: {get: {operationId: a}}}\n"
        #expect(
            told([("a.yaml", Array(text.utf8)), ("b.yaml", Array(text.utf8))]) == [
                #"b.yaml:3:9: /paths/~1a: found "/a", expected a path that doesn't collide with /a (a.yaml:3)"#,
                #"b.yaml:3:33: /paths/~1a/get/operationId: found "a", expected each operationId once (a.yaml:3 has it already)"#,
            ])
    }

    @Test("every mistake of every file is told at once, in the order of files and lines")
    func all() {
        let first = "openapi: 3.0.0\ninfo: {title: A}\npaths: {a: {}}\n"
        let told = told([
            ("a.yaml", Array(first.utf8)), ("b.yaml", Array("a: [\n".utf8)), ("c.yaml", Array(first.utf8)),
        ])
        #expect(
            told.map { String($0.prefix { $0 != " " }) } == [
                "a.yaml:1:10:", "a.yaml:2:7:", "a.yaml:3:9:", "b.yaml:2:1:", "c.yaml:1:10:", "c.yaml:2:7:",
                "c.yaml:3:9:",
            ])
    }

    @Test("the mistakes of one file that others share are told once")
    func shared() {
        let common = "parameters:\n  mode: {name: mode, in: cookie, schema: {type: string}}\n"
        let text = """
            openapi: 3.1.0
            info: {title: A, version: "1"}
            paths:
              /a: {get: {operationId: a, parameters: [{$ref: "common.yaml#/parameters/mode"}]}}
              /b: {get: {operationId: b, parameters: [{$ref: "common.yaml#/parameters/mode"}]}}
            """
        #expect(
            told([("x/a.yaml", Array(text.utf8)), ("x/common.yaml", Array(common.utf8))])
                == [#"x/common.yaml:2:26: /parameters/mode/in: found "cookie", expected one of: path, query"#])
    }
}
