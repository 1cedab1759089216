/// When a server wants to be asked again (RFC 9110, section 10.2.3).
public enum RetryAfter {
    /// A year; whatever is longer is taken for it, numbers that no integer holds too.
    private static let longest = 31_536_000

    /// The seconds from now on that a field's value means, written as a number or a date; nil where it is neither.
    /// - Parameter clock: seconds since 1970.
    public static func seconds(_ value: String, clock: Int) -> Int? {
        if !value.isEmpty, value.utf8.allSatisfy(ASCII.isDigit) {
            return min(ASCII.decimal(value.utf8.drop { $0 == UInt8(ascii: "0") }.prefix(18)) ?? 0, longest)
        }
        guard let date = HTTPDate.seconds(value) else { return nil }
        let (seconds, isOver) = date.subtractingReportingOverflow(clock)
        return isOver ? longest : min(max(0, seconds), longest)
    }
}
