import JSON
import Testing

private func kept(_ json: String, _ paths: String...) throws -> String {
    let document = try document(json)
    let selection = JSONSelection(paths: paths.map { $0.split(separator: ".").map(String.init) })
    return text(document.edits(keeping: selection).applied(to: document))
}

@Suite("Selections")
struct SelectionTests {
    private let film =
        #"{"title":"A","id":4,"ships":[{"name":"X","id":1},"u/3",{"name":"Y"},null],"crew":{"lead":{"name":"L","age":1}}}"#

    @Test("only the named members stay, through arrays and objects")
    func keeping() throws {
        #expect(try kept(film, "title") == #"{"title":"A"}"#)
        let ships = #"{"title":"A","ships":[{"name":"X"},"u/3",{"name":"Y"},null]}"#
        #expect(try kept(film, "title", "ships.name") == ships)
        #expect(try kept(film, "crew.lead.name", "id") == #"{"id":4,"crew":{"lead":{"name":"L"}}}"#)
        #expect(try kept(film, "crew", "crew.lead.name") == #"{"crew":{"lead":{"name":"L","age":1}}}"#)
        #expect(try kept(film, "ships.id") == #"{"ships":[{"id":1},"u/3",{},null]}"#)
        #expect(try kept(film, "nothing") == "{}")
        #expect(try kept(film, "title.deeper") == #"{"title":"A"}"#)
        #expect(try kept(film) == "{}")
        #expect(try kept(film, "") == film)
        #expect(try kept(#"[{"a":1,"b":2},[{"b":3}],4]"#, "a") == #"[{"a":1},[{}],4]"#)
        #expect(try kept("1", "a") == "1")
    }

    @Test("names are compared by their decoded text, and duplicates all stay")
    func names() throws {
        #expect(try kept(#"{"\u0061":1,"b":2,"a":3,"é":4}"#, "a") == #"{"\u0061":1,"a":3}"#)
        #expect(try kept(#"{"a":1,"\u00e9":4}"#, "é") == #"{"\u00e9":4}"#)
    }

    @Test("a selection knows its names and what is behind them")
    func tree() throws {
        let selection = JSONSelection(paths: [["b", "c"], ["a"], ["b", "d"]])
        #expect(selection.names == ["a", "b"])
        #expect(!selection.keepsEverything)
        #expect(try #require(selection.child("a")).keepsEverything)
        #expect(try #require(selection.child("b")).names == ["c", "d"])
        #expect(selection.child("x") == nil)
        #expect(JSONSelection.everything.keepsEverything)
        #expect(try #require(JSONSelection.everything.child("x")).keepsEverything)
        #expect(JSONSelection.everything.names == [])
        #expect(JSONSelection(paths: []).child("a") == nil)
        var grown = try #require(selection.child("b"))
        grown.insert(["e", "f"])
        #expect(grown.names == ["c", "d", "e"])
        #expect(selection.child("b")?.names == ["c", "d"])
    }

    @Test("a part is pruned alone")
    func part() throws {
        let document = try document(film)
        let crew = try #require(document.member("crew", of: document.root))
        let edits = document.edits(keeping: JSONSelection(paths: [["lead", "age"]]), at: crew)
        #expect(text(edits.applied(to: document, at: crew)) == #"{"lead":{"age":1}}"#)
        #expect(text(edits.applied(to: document)).hasPrefix(#"{"title":"A","id":4"#))
    }
}
