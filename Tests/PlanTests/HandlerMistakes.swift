import HTTP
import Plan
import Testing

@Suite("Handlers and content in contracts")
struct HandlerMistakes {
    /// Loads the small contract with one edit, and with the handlers `copy` and `draw`.
    private func load(_ edit: Edit) throws -> Result<Plan, ContractMistakes> {
        let sources = [("films.yaml", try edit.applied()), ("common.yaml", SmallContract.common)]
        do throws(ContractMistakes) {
            return .success(
                try PlanLoader(handlers: ["copy", "draw"]).load(
                    sources: sources.map { ($0.0, Array($0.1.utf8)) }, environment: [:]))
        } catch {
            return .failure(error)
        }
    }

    private static let post = "operationId: addShip"

    @Test("is told with its line and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        guard case .failure(let mistakes) = try load(edit) else {
            Issue.record("no mistake was found")
            return
        }
        #expect(mistakes.all.map(\.description) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            "a handler that the program doesn't have", replace: post, with: post + "\n      x-sluice: {handler: drew}",
            #"films.yaml:42:27: /paths/~1ships/post/x-sluice/handler: found "drew", expected one of: copy, draw"#),
        Edit(
            "what only the gateway's own answers have, beside a handler",
            replace: #"x-sluice: {path: "/films/{id}/", expand: [ships]}"#,
            with: #"x-sluice: {handler: draw, expand: [ships]}"#,
            #"films.yaml:27:11: /paths/~1films~1{id}/get/parameters/1: found the parameter "expand" beside a handler, expected it only where the gateway makes the answer"#,
            #"films.yaml:28:33: /paths/~1films~1{id}/get/x-sluice/expand: found "expand" beside a handler, expected one of the two: a handler makes its requests and its answer itself"#,
            #"films.yaml:62:72: /components/schemas/Ship/properties/films/items/x-sluice-link/to: found "getFilm", which has a handler, expected "expand: false" too: what a handler answers can't be put into an answer"#
        ),
        Edit(
            "content of GET", replace: "operationId: getShip",
            with: "operationId: getShip\n      requestBody: {content: {text/plain: {}}}",
            "films.yaml:34:7: /paths/~1ships~1{id}/get/requestBody: found a requestBody of GET, expected none: GET brings no content"
        ),
        Edit(
            "media types that are none", replace: post,
            with: post + "\n      requestBody: {content: {json: {}, '*/json': {}, 'text/plain; charset=utf-8': {}}}",
            #"films.yaml:42:31: /paths/~1ships/post/requestBody/content/json: found "json", expected a media type without parameters, such as application/json or image/*"#,
            #"films.yaml:42:41: /paths/~1ships/post/requestBody/content/*~1json: found "*/json", expected a media type without parameters, such as application/json or image/*"#,
            #"films.yaml:42:55: /paths/~1ships/post/requestBody/content/text~1plain; charset=utf-8: found "text/plain; charset=utf-8", expected a media type without parameters, such as application/json or image/*"#
        ),
        Edit(
            "a limit of content that is no size", replace: post,
            with: post + "\n      x-sluice: {limits: {body: 10 apples}}",
            #"films.yaml:42:33: /paths/~1ships/post/x-sluice/limits/body: found "10 apples", expected a size such as 512B, 8KiB, 10MB or 1GiB, from 0B to 1GiB"#
        ),
        Edit(
            "a word of body that means nothing", replace: post,
            with: post + "\n      x-sluice: {body: whole}\n      requestBody: {content: {text/plain: {}}}",
            #"films.yaml:42:24: /paths/~1ships/post/x-sluice/body: found "whole", expected stream"#),
    ]

    @Test("a route with a handler, a limit and content is read as it stands")
    func good() throws {
        let plan = try load(
            Edit(
                "", replace: Self.post,
                with: Self.post
                    + """

                          requestBody: {required: true, content: {image/*: {}, application/JSON: {}}}
                          x-sluice: {handler: copy, limits: {body: 10MB}, deadline: 1m}
                    """)
        ).get()
        let operation = try #require(plan.operations.first { $0.id == "addShip" })
        #expect(operation.handler == "copy")
        #expect(operation.limits.content == 10_000_000)
        let content = try #require(operation.content)
        #expect(content.isRequired && !content.isStreamed)
        #expect(content.takes("image/png; q=1") && content.takes("Application/Json"))
        #expect(!content.takes("text/plain") && !content.takes(nil) && !content.takes(""))
    }

    @Test("an address leads to the upstream that it is below, and to no other")
    func located() throws {
        let upstream = try smallPlan().upstreams[0]
        #expect(upstream.target(of: "https://films.test/api/a/b?c=d")?.text == "/a/b?c=d")
        #expect(upstream.target(of: "http://old.test/api/a")?.text == "/a")
        #expect(upstream.target(of: "http://films.test/api/a")?.text == "/a")
        for other in [
            "https://films.test/apis/a", "https://films.test.evil/api/a", "https://films.test:8443/api/a",
            "https://u@films.test/api/a", "https://films.test/api/../a", "https://films.test/api/%2e%2e/a",
            "https://films.test/api//a", "https://films.test/api/a#b", "/api/a", "ftp://films.test/api/a", "",
        ] {
            #expect(upstream.target(of: other) == nil, "\(other)")
        }
    }
}
