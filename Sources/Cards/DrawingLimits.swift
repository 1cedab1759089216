/// What one process that draws a card may use.
public struct DrawingLimits: Sendable, Equatable {
    /// Writable memory of its own (RLIMIT_DATA), in bytes; 0 sets no limit.
    public var memory = 256 << 20
    /// For one drawing, from the start of its process to the last byte.
    public var time = Duration.seconds(3)
    /// The most pixels of a cover.
    public var pixels = 16_000_000

    public init() {}

    /// The arguments of the process.
    var arguments: [String] {
        let seconds = time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
        return [String(memory), String(max(1, seconds)), String(pixels)]
    }
}
