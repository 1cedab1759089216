import Parameters
import Testing

@Suite("Durations and sizes")
struct QuantityTests {
    @Test(
        "a duration is a whole number and a unit",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("2s", .seconds(2)), ("5m", .seconds(300)), ("1h", .seconds(3600)),
            ("7d", .seconds(604_800)), ("0s", .zero),
        ])
    func durations(text: String, expected: Duration) {
        #expect(Quantity.duration(text) == expected)
    }

    @Test(
        "anything else is no duration",
        arguments: ["", "5", "s", "5 s", "-5s", "+5s", "5S", "1.5s", "5s ", "5sec", "9223372036854775807d", "٣s"])
    func noDurations(text: String) {
        #expect(Quantity.duration(text) == nil)
    }

    @Test(
        "a size is a whole number and a unit of 1000 or 1024",
        arguments: [
            ("512B", 512), ("8KiB", 8192), ("8kB", 8000), ("8KB", 8000), ("10MB", 10_000_000), ("2MiB", 2_097_152),
            ("1GB", 1_000_000_000), ("1GiB", 1_073_741_824),
        ])
    func sizes(text: String, expected: Int) {
        #expect(Quantity.bytes(text) == expected)
    }

    @Test(
        "anything else is no size",
        arguments: ["", "10", "MB", "10 MB", "-1B", "1.5MB", "10mb", "9223372036854775807kB"])
    func noSizes(text: String) {
        #expect(Quantity.bytes(text) == nil)
    }

    @Test(
        "what is written can be read back", arguments: [0, 1, 240, 1024, 8192, 1_000_000, 8 << 20, 32 << 20, 1 << 30])
    func sizesReadBack(bytes: Int) {
        #expect(Quantity.bytes(Quantity.text(bytes: bytes)) == bytes)
    }

    @Test(
        "a written duration can be read back",
        arguments: [Duration.zero, .milliseconds(1), .milliseconds(1500), .seconds(25), .seconds(60), .seconds(86_400)])
    func durationsReadBack(duration: Duration) {
        #expect(Quantity.duration(Quantity.text(duration)) == duration)
    }
}
