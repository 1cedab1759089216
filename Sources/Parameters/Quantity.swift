/// Durations and sizes as people write them: a whole number and a unit. Contracts, flags and environment variables
/// share these forms.
public enum Quantity {
    /// What a duration looks like, for messages.
    public static let durationForm = "a duration such as 500ms, 2s, 5m, 1h or 7d"
    /// What a size looks like, for messages.
    public static let bytesForm = "a size such as 512B, 8KiB, 10MB or 1GiB"

    private static let durationUnits: [(name: String, milliseconds: Int)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]
    private static let byteUnits: [(name: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1000),
        ("KB", 1000), ("B", 1),
    ]

    /// The duration that `text` names, or nil where it is no whole number with one of the units `ms`, `s`, `m`, `h` and `d`, or is
    /// longer than about 290,000 years.
    public static func duration(_ text: String) -> Duration? {
        guard let (count, unit) = split(text),
            let factor = durationUnits.first(where: { $0.name == unit })?.milliseconds
        else { return nil }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// The number of bytes that `text` names, or nil where it is no whole number with one of the units `B`, `kB`, `MB`, `GB` (powers
    /// of 1000) and `KiB`, `MiB`, `GiB` (powers of 1024).
    public static func bytes(_ text: String) -> Int? {
        guard let (count, unit) = split(text), let factor = byteUnits.first(where: { $0.name == unit })?.bytes else {
            return nil
        }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : bytes
    }

    /// `count` of things that a plural's `s` tells apart: `1 route`, `12 routes`.
    public static func text(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

    /// A whole number without a sign.
    public static func count(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// `duration` in its largest unit that leaves no rest; parts of a millisecond are dropped.
    public static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard seconds != 0 || attoseconds != 0 else { return "0s" }
        guard attoseconds == 0 else {
            let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            return overflow ? "\(seconds)s" : "\(scaled + attoseconds / 1_000_000_000_000_000)ms"
        }
        for (name, milliseconds) in durationUnits {
            let unit = Int64(milliseconds / 1000)
            if unit > 0, seconds % unit == 0 { return "\(seconds / unit)\(name)" }
        }
        return "\(seconds)s"
    }

    /// `bytes` in its largest unit of powers of 1024 that leaves no rest.
    public static func text(bytes: Int) -> String {
        for (name, size) in byteUnits where name.hasSuffix("iB") && bytes != 0 && bytes % size == 0 {
            return "\(bytes / size)\(name)"
        }
        return "\(bytes)B"
    }

    private static func split(_ text: String) -> (count: Int, unit: Substring)? {
        let digits = text.prefix { $0 >= "0" && $0 <= "9" }
        guard let count = count(String(digits)) else { return nil }
        return (count, text[digits.endIndex...])
    }
}
