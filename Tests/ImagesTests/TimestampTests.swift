import Testing

@testable import Images

@Suite("Times of images")
struct TimestampTests {
    @Test(
        "seconds become a date and a time in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"), (1_798_761_599, "2026-12-31T23:59:59Z"),
            (-5, "1970-01-01T00:00:00Z"),
            (Int.max, "9999-12-31T23:59:59Z"),
        ])
    func texts(_ seconds: Int, _ text: String) { #expect(Timestamp.text(seconds) == text) }
}
