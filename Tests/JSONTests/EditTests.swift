import JSON
import Testing

/// The document without members of these names, and with others added.
private func edited(_ json: String, removing names: [String], adding added: [String] = []) throws -> String {
    let document = try document(json)
    var edits = JSONEdits()
    for (key, _) in document.members(of: document.root) where names.contains(document.string(of: key) ?? "") {
        edits.remove(member: key)
    }
    for name in added { edits.append(member: name, value: Array("9".utf8), to: document.root) }
    return text(edits.applied(to: document))
}

@Suite("Edits")
struct EditTests {
    @Test("no edits, no change")
    func nothing() throws {
        let document = try document(" {\"a\" : 1 }\n")
        #expect(JSONEdits().isEmpty)
        #expect(text(JSONEdits().applied(to: document)) == " {\"a\" : 1 }\n")
        #expect(text(JSONEdits().applied(to: document, at: document.root)) == "{\"a\" : 1 }")
    }

    @Test("links become objects and every other byte stays")
    func splicing() throws {
        let document = try document(#"{ "title":"A\u0020B", "ships": [ "u/2" ,"u/3", "u/2" ], "n":1.10 }"#)
        var edits = JSONEdits()
        let ships = try #require(document.member("ships", of: document.root))
        for ship in document.elements(of: ships) where document.isString(ship, equalTo: "u/2") {
            edits.replace(ship, with: Array(#"{"id":2}"#.utf8))
        }
        let expected = #"{ "title":"A\u0020B", "ships": [ {"id":2} ,"u/3", {"id":2} ], "n":1.10 }"#
        #expect(text(edits.applied(to: document)) == expected)
        #expect(text(edits.applied(to: document, at: ships)) == #"[ {"id":2} ,"u/3", {"id":2} ]"#)
    }

    @Test(
        "a removed member takes exactly one comma with it",
        arguments: [
            (["a"], #"{"b":2,"c":3}"#), (["b"], #"{"a":1,"c":3}"#), (["c"], #"{"a":1,"b":2}"#),
            (["a", "b"], #"{"c":3}"#),
            (["b", "c"], #"{"a":1}"#), (["a", "c"], #"{"b":2}"#), (["a", "b", "c"], "{}"),
            ([], #"{"a":1,"b":2,"c":3}"#),
        ])
    func removing(names: [String], left: String) throws {
        #expect(try edited(#"{"a":1,"b":2,"c":3}"#, removing: names) == left)
    }

    @Test("the layout of an indented object stays tidy")
    func layout() throws {
        let json = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}"
        #expect(try edited(json, removing: ["a"]) == "{\n  \"b\": 2,\n  \"c\": 3\n}")
        #expect(try edited(json, removing: ["b"]) == "{\n  \"a\": 1,\n  \"c\": 3\n}")
        #expect(try edited(json, removing: ["c"]) == "{\n  \"a\": 1,\n  \"b\": 2\n}")
        #expect(try edited(json, removing: ["b", "c"]) == "{\n  \"a\": 1\n}")
        #expect(try edited(json, removing: ["a", "b", "c"]) == "{\n  \n}")
        #expect(try edited("{ \"a\" : 1 , \"b\" : 2 }", removing: ["b"]) == "{ \"a\" : 1 }")
        #expect(try edited(json, removing: ["c"], adding: ["x"]) == "{\n  \"a\": 1,\n  \"b\": 2,\"x\":9\n}")
    }

    @Test("an added member gets a comma only where one is needed")
    func adding() throws {
        #expect(try edited("{}", removing: [], adding: ["x"]) == #"{"x":9}"#)
        #expect(try edited("{ }", removing: [], adding: ["x", "y"]) == #"{"x":9,"y":9 }"#)
        #expect(try edited(#"{"a":1}"#, removing: [], adding: ["x", "y"]) == #"{"a":1,"x":9,"y":9}"#)
        #expect(try edited(#"{"a":1}"#, removing: ["a"], adding: ["x", "y"]) == #"{"x":9,"y":9}"#)
        #expect(try edited(#"{"a":1,"b":2}"#, removing: ["b"], adding: ["x"]) == #"{"a":1,"x":9}"#)
        #expect(try edited(#"{"a":1,"b":2}"#, removing: ["a"], adding: ["x"]) == #"{"b":2,"x":9}"#)
        #expect(try edited(#"{"a":1,"b":2}"#, removing: ["a", "b"], adding: ["q\"\n"]) == #"{"q\"\n":9}"#)
        #expect(try edited(#"{"a":1,"a":2}"#, removing: ["a"], adding: ["x"]) == #"{"x":9}"#)
    }

    @Test("nested objects lose and gain members at the same time")
    func nested() throws {
        let document = try document(#"{"o":{"a":{"x":1},"b":2},"l":[{"a":1,"b":2},{"b":3}],"z":{"a":0}}"#)
        var edits = JSONEdits()
        func visit(_ node: JSONNode) {
            for element in document.elements(of: node) { visit(element) }
            for (key, value) in document.members(of: node) {
                visit(value)
                if ["b", "x"].contains(document.string(of: key)) { edits.remove(member: key) }
            }
            edits.append(member: "n", value: Array("0".utf8), to: node)
        }
        visit(document.root)
        let expected = #"{"o":{"a":{"n":0},"n":0},"l":[{"a":1,"n":0},{"n":0}],"z":{"a":0,"n":0},"n":0}"#
        #expect(text(edits.applied(to: document)) == expected)
    }

    @Test("of edits inside each other the outermost counts, in whatever order they were made")
    func outermost() throws {
        let document = try document(#"{"a":{"b":{"c":1,"d":2}},"e":[1,{"f":2}],"g":3}"#)
        func node(_ path: [String]) throws -> JSONNode { try #require(document.node(at: path)) }
        func key(_ parent: [String], _ name: String) throws -> JSONNode {
            let members = document.members(of: try node(parent))
            return try #require(members.first { document.isString($0.key, equalTo: name) }?.key)
        }
        let steps: [(inout JSONEdits) throws -> Void] = [
            { $0.replace(try node(["a", "b", "c"]), with: Array("7".utf8)) },
            { $0.remove(member: try key(["a", "b"], "d")) },
            { $0.append(member: "n", value: Array("8".utf8), to: try node(["a", "b"])) },
            { $0.replace(try node(["a", "b"]), with: Array("9".utf8)) },
            { $0.remove(member: try key([], "e")) },
            { $0.replace(try node(["e"]), with: Array("5".utf8)) },
            { $0.remove(member: try key(["e", "1"], "f")) },
            { $0.replace(try node(["e", "0"]), with: Array("6".utf8)) },
            { $0.append(member: "n", value: Array("8".utf8), to: try node(["e", "1"])) },
        ]
        var dice = Dice(state: 4)
        for _ in 0..<100 {
            var edits = JSONEdits()
            for step in steps.shuffled(using: &dice) { try step(&edits) }
            #expect(text(edits.applied(to: document)) == #"{"a":{"b":9},"g":3}"#)
            #expect(text(edits.applied(to: document, at: try node(["e", "1"]))) == #"{"n":8}"#)
            #expect(text(edits.applied(to: document, at: try node(["a", "b"]))) == "9")
            #expect(text(edits.applied(to: document, at: try node(["a", "b", "c"]))) == "7")
        }
    }

    @Test("the later replacement of a node counts, also of the root")
    func replacedTwice() throws {
        let document = try document(" [1] ")
        var edits = JSONEdits()
        edits.replace(document.root, with: Array("1".utf8))
        edits.replace(document.root, with: Array("2".utf8))
        #expect(text(edits.applied(to: document)) == " 2 ")
        var more = JSONEdits()
        more.replace(document.root, with: Array("3".utf8))
        edits.append(more)
        #expect(text(edits.applied(to: document)) == " 3 ")
        #expect(text(edits.applied(to: document, at: document.root)) == "3")
    }

    @Test("a key can be replaced, and goes with its member")
    func renaming() throws {
        let document = try document(#"{"a":1,"b":2}"#)
        let keys = document.members(of: document.root).map { $0.key }
        var edits = JSONEdits()
        edits.replace(keys[0], with: JSONText.quoted("x"))
        edits.replace(keys[1], with: JSONText.quoted("y"))
        #expect(text(edits.applied(to: document)) == #"{"x":1,"y":2}"#)
        edits.remove(member: keys[1])
        #expect(text(edits.applied(to: document)) == #"{"x":1}"#)
        edits.remove(member: keys[0])
        #expect(text(edits.applied(to: document)) == "{}")
    }

    @Test("what makes no sense does nothing: a value is no member, an array takes none")
    func senseless() throws {
        let document = try document(#"{"a":[1]}"#)
        let array = try #require(document.member("a", of: document.root))
        var edits = JSONEdits()
        edits.remove(member: array)
        edits.remove(member: document.root)
        edits.append(member: "x", value: Array("1".utf8), to: array)
        #expect(text(edits.applied(to: document)) == #"{"a":[1]}"#)
    }

    @Test("edits of the surroundings don't reach into a node's own text")
    func subtree() throws {
        let document = try document(#"{"a":1,"b":{"c":2}}"#)
        let a = try #require(document.member("a", of: document.root))
        let b = try #require(document.member("b", of: document.root))
        var edits = JSONEdits()
        edits.append(member: "x", value: Array("1".utf8), to: document.root)
        for (key, _) in document.members(of: document.root) { edits.remove(member: key) }
        #expect(text(edits.applied(to: document, at: a)) == "1")
        #expect(text(edits.applied(to: document, at: b)) == #"{"c":2}"#)
        #expect(text(edits.applied(to: document)) == #"{"x":1}"#)
    }
}
