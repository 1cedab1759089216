import JSON
import Testing

@Suite("JSON Pointer")
struct PointerTests {
    @Test("the examples of RFC 6901, section 5 are found")
    func examples() throws {
        let json =
            #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#
        let document = try document(json)
        let expected = [
            "": json, "/foo": #"["bar","baz"]"#, "/foo/0": #""bar""#, "/": "0", "/a~1b": "1", "/c%d": "2", "/e^f": "3",
            "/g|h": "4", "/i\\j": "5", "/k\"l": "6", "/ ": "7", "/m~0n": "8",
        ]
        for (pointer, value) in expected {
            let parsed = try #require(JSONPointer(pointer))
            let node = try #require(document.node(at: parsed), "\(pointer)")
            #expect(text(document.bytes(of: node)) == value)
            #expect(parsed.description == pointer)
            #expect(document.pointer(to: node) == parsed)
        }
    }

    @Test(
        "what isn't there is nil",
        arguments: ["/x", "/a/2", "/a/-", "/a/01", "/a/+1", "/a/", "/a/0/x", "/a/99999999999999999999", "/b/0", "/a/x"])
    func missing(pointer: String) throws {
        let document = try document(#"{"a":[1,2],"b":{}}"#)
        #expect(document.node(at: try #require(JSONPointer(pointer))) == nil)
    }

    @Test("a text that is no pointer is nil", arguments: ["a", "a/b", "/~", "/a~", "/~2", "/a~/b", " /a", "#/a"])
    func malformed(pointer: String) {
        #expect(JSONPointer(pointer) == nil)
    }

    @Test("pointers are put together and written with escapes")
    func building() {
        let pointer = JSONPointer().appending("starships").appending(3).appending("a/b~c")
        #expect(pointer.description == "/starships/3/a~1b~0c")
        #expect(JSONPointer(pointer.description) == pointer)
        #expect(JSONPointer(["x"]).appending(pointer).tokens == ["x", "starships", "3", "a/b~c"])
        #expect(JSONPointer().description == "")
        #expect(JSONPointer("/~01") == JSONPointer(["~1"]))
    }

    @Test("the pointer to every node of a random document leads back to it")
    func roundTrip() throws {
        var dice = Dice(state: 3)
        for _ in 0..<200 {
            let document = try document(dice.json())
            var nodes = [document.root]
            while let node = nodes.popLast() {
                #expect(document.node(at: document.pointer(to: node)) == node)
                nodes += document.elements(of: node).map { $0 }
                // Pointers can't tell members with the same name apart.
                let names = document.members(of: node).map { document.string(of: $0.key) ?? "" }
                nodes += Set(names).compactMap { document.member($0, of: node) }
            }
        }
    }

    @Test("a search can start at an inner node")
    func fromInside() throws {
        let document = try document(#"{"data":{"results":[{"id":7}]}}"#)
        let results = try #require(document.node(at: ["data", "results"]))
        #expect(document.node(at: JSONPointer(["0", "id"]), from: results).flatMap(document.integer(of:)) == 7)
        #expect(document.node(at: [], from: results) == results)
        #expect(document.pointer(to: results).description == "/data/results")
    }
}
