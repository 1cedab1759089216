import Drawing
import Testing

@testable import Cards

@Suite("What a card needs of a comic")
struct ComicFactsTests {
    @Test("everything that is there is read")
    func whole() throws {
        let json = #"""
            {"id":1,"title":"Harbour Watch #3","onSaleDate":"2024-05-22T00:00:00-04:00","description":"One.<br>Two &amp; three",
            "characters":[{"name":"Ann","url":"x"},{"name":null},{"name":"Bo"}],"charactersAvailable":40,
            "thumbnail":"https://i.annihil.us/u/prod/marvel/a.jpg","attribution":"Data provided by Marvel."}
            """#
        let facts = try #require(ComicFacts(Array(json.utf8)))
        #expect(facts.cover == "https://i.annihil.us/u/prod/marvel/a.jpg")
        let card = facts.card(cover: [1], width: 320, format: .png)
        #expect(card.title == "Harbour Watch #3")
        #expect(card.date == "On sale 22 May 2024")
        #expect(card.characters == ["Ann", "Bo"])
        #expect(card.characterCount == 40)
        #expect(card.description == "One. Two & three")
        #expect(card.attribution == "Data provided by Marvel.")
        #expect(card.cover == [1] && card.width == 320 && card.format == .png)
    }

    @Test(
        "what isn't there or is of another type is left out",
        arguments: [
            "{}", #"{"title":null,"onSaleDate":null,"description":7,"characters":null,"thumbnail":null}"#,
            #"{"title":{},"characters":{"name":"x"},"charactersAvailable":"many","thumbnail":[1]}"#,
            #"{"characters":["x",1,null,[]],"charactersAvailable":-4}"#,
        ])
    func empty(json: String) throws {
        let facts = try #require(ComicFacts(Array(json.utf8)))
        #expect(facts.cover == nil)
        #expect(facts.card(cover: [], width: 800, format: .jpeg) == Card(title: ""))
    }

    @Test("what is no object is no comic", arguments: ["", "[]", "1", "{", "\"x\""])
    func none(json: String) {
        #expect(ComicFacts(Array(json.utf8)) == nil)
    }

    @Test(
        "dates are words",
        arguments: [
            ("2024-05-22T00:00:00-04:00", "22 May 2024"), ("1999-12-01", "1 December 1999"), ("2024-13-01", nil),
            ("2024-00-01", nil),
            ("2024-05-32", nil), ("-0001-11-30T00:00:00-0500", nil), ("", nil), ("2024-5-2", nil), ("soon", nil),
            ("2024-05", nil),
        ] as [(String, String?)])
    func dates(date: String, words: String?) {
        #expect(ComicFacts.words(date: date) == words)
    }

    @Test(
        "a little HTML becomes text, and all else stays as it is",
        arguments: [
            ("a<br>b<br/>c<BR />d", "a b c d"), ("<p>x</p>", " x "), ("<i>so</i> <b>bold</b>", "so bold"),
            ("5 < 6 & 7 > 6", "5 < 6 & 7 > 6"),
            ("&lt;b&gt; &quot;q&quot; &#39;s&#39;", "<b> \"q\" 's'"), ("&amp;lt;", "&lt;"),
            ("<script>x</script>", "<script>x</script>"),
            ("&", "&"), ("<", "<"), ("&unknown;", "&unknown;"), ("<<br>", "< "), ("", ""),
            ("&#x41;&#66;&#X43;", "ABC"), ("&copy; 2024 MARVEL", "© 2024 MARVEL"),
            ("&#xD800;&#x;&#0;", "&#xD800;&#x;&#0;"),
        ])
    func html(html: String, text: String) {
        #expect(PlainText.text(ofHTML: html) == text)
    }
}
