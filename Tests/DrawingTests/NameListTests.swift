import Testing

@testable import Drawing

@Suite("Some names of many")
struct NameListTests {
    /// Without the marks that keep each name's direction.
    private func text(_ names: [String], of count: Int, width: Int) -> String {
        func bare(_ text: String) -> String {
            String(
                String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .format })
            ).replacing("\u{A0}", with: " ")
        }
        return bare(NameList.text(names, of: count) { bare($0).count <= width })
    }

    @Test("all names stand there where they fit")
    func all() {
        #expect(text(["Ann"], of: 1, width: 40) == "Ann")
        #expect(text(["Ann", "Bo"], of: 2, width: 40) == "Ann and Bo")
        #expect(text(["Ann", "Bo", "Cy"], of: 3, width: 40) == "Ann, Bo and Cy")
    }

    @Test("as many names as fit, and the number of the others")
    func some() {
        let names = (1...40).map { "Name \($0)" }
        #expect(text(names, of: 40, width: 30) == "Name 1, Name 2 and 38 more")
        #expect(text(names, of: 40, width: 5) == "Name 1 and 39 more")
        #expect(text(["Ann", "Bo"], of: 9, width: 40) == "Ann, Bo and 7 more")
    }

    @Test("a name stays on one line, unless it could fill one")
    func whole() {
        let text = NameList.text(["Kestrel Okafor", "Somebody of a Very Long Name"], of: 9) { _ in true }
        #expect(text.contains("Kestrel\u{A0}Okafor") && text.contains("Somebody of a Very Long Name"))
        #expect(text.contains("7\u{A0}more"))
    }

    @Test("names that nobody knows are counted")
    func none() {
        #expect(text([], of: 0, width: 40) == "")
        #expect(text([], of: 1, width: 40) == "1 character")
        #expect(text([], of: 12, width: 40) == "12 characters")
    }
}
