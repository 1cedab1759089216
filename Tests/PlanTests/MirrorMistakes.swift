import Plan
import Testing

@Suite("Mirrors in contracts")
struct MirrorMistakes {
    private static let before = "  /ships:\n    post:"
    private static let rest = "      parameters: [{name: rest, in: path, required: true, schema: {type: string}}]\n"

    /// The small contract with a path before its last one.
    private static func path(_ text: String, at key: String = "/mirror/{rest}") -> String {
        "  \(key):\n\(text)\(before)"
    }

    private static func get(_ sluice: String, _ parameters: String = rest) -> String {
        "    get:\n      operationId: mirror\n\(parameters)      x-sluice: \(sluice)\n      responses: {default: {description: Anything.}}\n"
    }

    @Test("is told with its line and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "another method beside get", replace: before,
            with: path(
                get("{mirror: true}") + "    put:\n      operationId: other\n" + rest
                    + "      x-sluice: {mirror: true}\n"),
            #"films.yaml:45:5: /paths/~1mirror~1{rest}/put: found the method "put", expected get alone, which describes a mirror of every method"#
        ),
        Edit(
            "keys of other routes", replace: before, with: path(get("{mirror: true, shape: true, unwrap: /a}")),
            #"films.yaml:43:32: /paths/~1mirror~1{rest}/get/x-sluice/shape: found the key "shape" with a mirror, expected one of: upstream, path, deadline, limits, cache, mirror, links"#,
            #"films.yaml:43:45: /paths/~1mirror~1{rest}/get/x-sluice/unwrap: found the key "unwrap" with a mirror, expected one of: upstream, path, deadline, limits, cache, mirror, links"#
        ),
        Edit(
            "links without a mirror", replace: #"x-sluice: {path: "/ships/{id}/"}"#,
            with: #"x-sluice: {path: "/ships/{id}/", links: rewrite}"#,
            #"films.yaml:36:40: /paths/~1ships~1{id}/get/x-sluice/links: found "links" without a mirror, expected "mirror: true" too"#
        ),
        Edit(
            "another word for links", replace: before, with: path(get("{mirror: true, links: keep}")),
            #"films.yaml:43:39: /paths/~1mirror~1{rest}/get/x-sluice/links: found "keep", expected rewrite"#),
        Edit(
            "a mirror for the whole document", replace: "x-sluice: {upstream: films}",
            with: "x-sluice: {upstream: films, mirror: true}",
            #"films.yaml:8:29: /x-sluice/mirror: found a mirror for the whole document, expected it at one path"#),
    ]

    @Test("a mirror knows its own path and its upstream's")
    func plan() throws {
        let edit = Edit(
            "a mirror", replace: MirrorMistakes.before,
            with: MirrorMistakes.path(
                MirrorMistakes.get(#"{mirror: true, path: "/v2/{rest}", links: rewrite}"#), at: "/mirror/f%20g/{rest}"))
        let plan = try PlanLoader().load(
            sources: [
                ("films.yaml", Array(try edit.applied().utf8)), ("common.yaml", Array(SmallContract.common.utf8)),
            ])
        let operation = try #require(plan.operations.first { $0.mirror != nil })
        let mirror = try #require(operation.mirror)
        #expect(mirror == MirrorPlan(prefix: "/mirror/f%20g", upstreamPrefix: "/v2", rewritesLinks: true))
        let upstream = plan.upstreams[0]
        let links: [(String, String?)] = [
            ("https://films.test/api/v2/a?b#c", "/mirror/f%20g/a?b#c"), ("http://old.test/api/v2", "/mirror/f%20g/"),
            ("https://films.test/api/v2x", nil), ("https://films.test/api/a", nil),
            ("https://films.test:444/api/v2/a", nil),
            ("https://user@films.test/api/v2/a", nil), ("https://films.test.evil/api/v2/a", nil),
            ("https://films.test/api/v2/../a", nil),
            ("HTTPS://FILMS.test/api/v2/a", "/mirror/f%20g/a"), ("//films.test/api/v2/a", nil), ("", nil),
        ]
        for (address, local) in links { #expect(mirror.localPath(of: address, at: upstream) == local, "\(address)") }
        #expect(plan.links.match("https://films.test/api/v2/a", from: 0) == nil)
    }
}
