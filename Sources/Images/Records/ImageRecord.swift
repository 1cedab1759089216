/// What is kept of one image.
struct ImageRecord: Sendable, Equatable {
    var id: String
    /// Never leaves this process but in the request that deletes the image.
    var deleteHash: String
    var link: String
    var type: String
    var width: Int?
    var height: Int?
    /// Bytes.
    var size: Int
    var title: String?
    /// Seconds since 1970.
    var uploaded: Int
}

/// Whose images a request may see.
enum RecordScope: Sendable, Equatable {
    /// The gateway has no client keys: images without an owner.
    case unowned
    /// The owner's own, and those that were made before there were keys.
    case owner(String)
    /// A client without a key, where others have one.
    case nobody

    /// What is written into a record.
    var owner: String? {
        if case .owner(let owner) = self { owner } else { nil }
    }
}
