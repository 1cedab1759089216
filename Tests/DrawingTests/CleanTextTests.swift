import Testing

@testable import Drawing

@Suite("Text that is fit to be drawn")
struct CleanTextTests {
    @Test(
        "control characters and invisible ones that turn text around are taken out",
        arguments: [
            ("plain", "plain"), ("  a \t\r\n b  ", "a b"), ("a\u{0}b\u{7}c\u{7F}d\u{9B}e", "abcde"),
            ("evil\u{202E}gpj.exe\u{202C}", "evilgpj.exe"), ("a\u{2066}b\u{2069}\u{200E}\u{200F}\u{61C}", "ab"),
            ("a\u{2028}b\u{2029}c\u{85}d", "a b c d"), ("\u{FEFF}a\u{AD}b\u{E0041}", "ab"), ("\u{E000}x", "x"),
            ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("نمی\u{200C}خواهم", "نمی\u{200C}خواهم"),
            ("<b>&amp;</b>", "<b>&amp;</b>"), ("", ""), (" \n ", ""),
        ])
    func cleaned(text: String, expected: String) {
        #expect(CleanText.line(text, limit: 100) == expected)
    }

    @Test("accents stay, and a pile of them is cut down")
    func marks() {
        #expect(CleanText.line("e\u{301}a\u{308}", limit: 100).unicodeScalars.count == 4)
        let pile = "Z" + String(repeating: "\u{30F}", count: 500) + "algo"
        #expect(CleanText.line(pile, limit: 100).unicodeScalars.count == 1 + 6 + 4)
    }

    @Test("a long text ends with an ellipsis, however long it is")
    func limit() {
        #expect(CleanText.line("abcdef", limit: 6) == "abcdef")
        #expect(CleanText.line("abcdefg", limit: 6) == "abcdef…")
        let huge = String(repeating: "word ", count: 200_000)
        #expect(CleanText.line(huge, limit: 50).unicodeScalars.count <= 52)
    }
}
