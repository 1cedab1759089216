import HTTP
import Testing

@testable import Gateway

@Suite("Addresses of neighbouring pages")
struct TargetTests {
    @Test(
        "one parameter is set, the others stay as they were written",
        arguments: [
            ("/people", "/people?page=3"), ("/people?", "/people?page=3"), ("/people?page=1", "/people?page=3"),
            ("/people?search=sky+w%C3%A9&page=2&fields=name", "/people?search=sky+w%C3%A9&page=3&fields=name"),
            ("/people?p%61ge=2&x=1", "/people?page=3&x=1"), ("/people?page=1&page=2&a", "/people?page=3&a"),
            ("/people?pages=1", "/people?pages=1&page=3"), ("/people?x=page=1", "/people?x=page=1&page=3"),
        ])
    func replacing(text: String, expected: String) { #expect(Target(text).replacing("page", "3") == expected) }

    @Test("the new value is encoded")
    func encoding() { #expect(Target("/a?q=1").replacing("q", "x&y z") == "/a?q=x%26y%20z") }
}
