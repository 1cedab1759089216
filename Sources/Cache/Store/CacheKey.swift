/// Under which answers are kept: all variants of one thing. Hashed once.
public struct CacheKey: Sendable, Hashable {
    /// Which of the two layers an answer belongs to.
    public enum Layer: UInt8, Sendable, CaseIterable {
        /// As upstreams gave them.
        case upstream
        /// As the gateway composed them.
        case composed
    }

    public let layer: Layer
    /// For the upstream layer the unsigned URL; for the composed one route, parameters and whatever else shapes the answer.
    public let text: String
    let hash: Int

    public init(_ layer: Layer, _ text: String) {
        self.layer = layer
        self.text = text
        // Seeded for each process, so that nobody outside can choose keys that fall together.
        var hasher = Hasher()
        hasher.combine(layer.rawValue)
        hasher.combine(text)
        hash = hasher.finalize()
    }

    /// Of what a GET (or HEAD) of this URL is answered with.
    /// - Parameter space: a word without blanks that keeps apart what isn't to be shared, such as the same URL with other credentials.
    public init(_ url: CacheURL, space: String = "") {
        self.init(.upstream, space.isEmpty ? url.text : space + " " + url.text)
    }

    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.hash == right.hash && left.layer == right.layer && left.text == right.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
