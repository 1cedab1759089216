import HTTP
import Testing

@testable import Cache

@Suite("Which variant is wanted")
struct VariantChoiceTests {
    private func request(_ fields: [(FieldName, String)]) -> Request {
        Request(method: .get, target: Target(path: "/a"), fields: Fields(fields))
    }

    @Test("an answer's variant is that of the request that it was for, once its names are known")
    func agree() throws {
        let request = request([("Accept-Language", "DE, fr"), ("X-Tenant", "7")])
        let selection = try #require(
            Selection(of: Fields([(.vary, "accept-language, X-Dice")]), to: request.fields, passed: ["X-Tenant"]))
        let kept = VariantChoice(selection)
        let asked = VariantChoice(request, passed: ["X-Tenant"])
        #expect(asked.names == ["x-tenant"] && asked.values == ["7"])
        #expect(kept.names == ["accept-language", "x-dice", "x-tenant"])
        #expect(try #require(asked.among(kept.names)).text == kept.text)
    }

    @Test("other values are other variants, and so is none in place of an empty one")
    func differ() throws {
        let texts = [[("Accept-Language", "de")], [("Accept-Language", "fr")], [], [("Accept-Language", "")]].map {
            fields in
            VariantChoice(request(fields), passed: ["Accept-Language"]).text
        }
        #expect(Set(texts).count == 4)
    }

    @Test("what is no name of a field chooses nothing", arguments: ["", "a b", "\u{0}", "ü"])
    func noName(name: String) {
        #expect(VariantChoice(request([]), passed: []).among(["accept", name]) == nil)
    }
}
