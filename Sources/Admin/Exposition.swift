/// Writes metrics in Prometheus' text format 0.0.4, or as OpenMetrics 1.0 where the scraper likes that better. Families are written one after
/// the other, each with its samples right behind it.
public struct Exposition: Sendable {
    public enum Kind: String, Sendable { case counter, gauge, histogram }
    public typealias Labels = KeyValuePairs<String, String>

    public let isOpenMetrics: Bool
    private var text = ""
    private var family = ""

    /// - Parameter accept: the scraper's `Accept`.
    public init(accept: String? = nil) {
        isOpenMetrics =
            Exposition.quality(accept, "application/openmetrics-text") > Exposition.quality(accept, "text/plain")
    }

    public var contentType: String {
        isOpenMetrics
            ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8"
    }

    /// How much a scraper likes a type that it names; 0 for one that it doesn't.
    private static func quality(_ accept: String?, _ type: String) -> Double {
        var best = 0.0
        for range in (accept ?? "").lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard parts.first == type else { continue }
            let weight = parts.first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            best = max(best, weight ?? 1)
        }
        return best
    }

    /// Begins a family.
    /// - Parameters:
    ///   - name: of a counter with `_total` at its end.
    ///   - help: one line.
    public mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        family = name
        var shown = name
        if isOpenMetrics, kind == .counter, name.hasSuffix("_total") { shown.removeLast("_total".utf8.count) }
        text += "# HELP \(shown) \(help)\n# TYPE \(shown) \(kind.rawValue)\n"
    }

    public mutating func sample(_ labels: Labels = [:], _ value: Int) { line("", labels, nil, String(value)) }

    public mutating func sample(_ labels: Labels = [:], _ value: Double) {
        line("", labels, nil, Exposition.number(value))
    }

    /// The samples of one histogram.
    public mutating func sample(_ labels: Labels = [:], _ histogram: Histogram) {
        var sum = 0
        for (bound, count) in zip(Histogram.bounds, histogram.counts) {
            sum += count
            line("_bucket", labels, Exposition.number(Double(bound) / 1e9), String(sum))
        }
        line("_bucket", labels, "+Inf", String(histogram.count))
        line("_sum", labels, nil, Exposition.number(Double(histogram.sum) / 1e9))
        line("_count", labels, nil, String(histogram.count))
    }

    /// A family of one sample.
    public mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        begin(name, kind, help)
        sample([:], value)
    }

    public mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        begin(name, kind, help)
        sample([:], value)
    }

    func finished() -> [UInt8] { Array((isOpenMetrics ? text + "# EOF\n" : text).utf8) }

    private mutating func line(_ suffix: String, _ labels: Labels, _ bound: String?, _ value: String) {
        text += family
        text += suffix
        if !labels.isEmpty || bound != nil {
            var pairs = labels.map { "\($0.key)=\"\(Exposition.escaped($0.value))\"" }
            if let bound { pairs.append("le=\"\(bound)\"") }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " " + value + "\n"
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C || $0 == 0x0A }) else { return text }
        return text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            default: String(scalar)
            }
        }.joined()
    }
}

/// How long things took, in buckets.
public struct Histogram: Sendable, Equatable {
    /// Upper bounds in nanoseconds: from a hit in memory to the longest deadline by default.
    public static let bounds: [Int] = [
        100_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
        500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    /// Those at or below each bound and above the one before.
    public private(set) var counts = [Int](repeating: 0, count: Histogram.bounds.count)
    public private(set) var count = 0
    /// Nanoseconds.
    public private(set) var sum = 0

    public init() {}

    public mutating func note(_ duration: Duration) {
        let parts = duration.components
        let (whole, overflows) = Int(clamping: parts.seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let nanoseconds = overflows ? Int.max / 2 : max(0, whole &+ Int(parts.attoseconds / 1_000_000_000))
        if let place = Histogram.bounds.firstIndex(where: { nanoseconds <= $0 }) { counts[place] += 1 }
        count += 1
        sum &+= nanoseconds
    }

    public mutating func add(_ other: Histogram) {
        for (place, value) in other.counts.enumerated() where counts.indices.contains(place) { counts[place] += value }
        count += other.count
        sum &+= other.sum
    }
}
