import HTTP
import Testing

@Suite("Paths that climb")
struct TargetTests {
    @Test(
        "are known in every form",
        arguments: [
            "..", ".", "/..", "a/../b", "a/./b", "%2e%2e", ".%2E", "a/%2e", "..;x", "%2e%2e%3bx/a", "..%2fa",
            "a%2f..%2fb", "a\\..\\b",
            "a%5c..", "%252e%252e", "%25252e", "a/..", "./", "%2525252525252541",
        ])
    func climbs(path: String) { #expect(Target.climbs(path)) }

    @Test(
        "are told from others",
        arguments: [
            "", "/", "a", "a//b", "...", "..a", "a..", ".a", "a.b/c", "%2f", "a%2fb", "%25", "%zz", "%", "a;..", "%E4",
            "%00", "a%2",
        ])
    func stays(path: String) { #expect(!Target.climbs(path)) }

    @Test(
        "a query loses pairs by their decoded names, and keeps the others as they were",
        arguments: [
            ("/a?key=1&b=%2f", "b=%2f"), ("/a?b&&k%65y&c=key", "b&&c=key"), ("/a?key", nil), ("/a", nil), ("/a?", ""),
            ("/a?b=key=1", "b=key=1"),
            ("/a?KEY=1", "KEY=1"), ("/a?%zz=1&key=%zz", "%zz=1"),
        ] as [(String, String?)])
    func query(target: String, left: String?) { #expect(Target(target).query(without: ["key"]) == left) }
}
