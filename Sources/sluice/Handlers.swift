internal import HTTP

/// The routes that are more than upstream requests, by the names that contracts have for them.
enum Handlers {
    /// What `x-sluice: {handler: …}` may name.
    static let names: Set<String> = []
}
