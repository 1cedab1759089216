internal import Glibc

/// What the routes for images are told besides the contract.
public struct ImagesSettings: Sendable {
    /// Nil: there is no place for records, so nothing is uploaded.
    public var store: RecordStore?
    /// Where other machines have their records too; nil where there are none.
    public var sharing: (any RecordSharing)?
    /// The largest image, in bytes.
    public var imageLimit = 10_000_000
    /// Called with a line for the log, from any thread; it never holds a delete hash.
    public var report: @Sendable (String) -> Void = { _ in }
    /// Seconds since 1970.
    public var clock: @Sendable () -> Int = { time(nil) }

    public init(store: RecordStore?) { self.store = store }
}

/// What was done with images since the start.
public struct ImageCounts: Sendable, Equatable {
    /// Images that Imgur took, and whose records were written.
    public var uploads = 0
    /// Bytes of those images.
    public var uploadedBytes = 0
    /// Uploads that came to nothing, by the code of their error.
    public var failedUploads: [String: Int] = [:]
    /// Images that were deleted.
    public var deletions = 0
    /// Images that Imgur may have although nothing is known of them here: its answer was lost, or the record could not be written and the
    /// image not be taken back.
    public var lost = 0
    /// What is left of Imgur's limits, where it has told.
    public var limits: [ImgurLimit] = []
    /// Whether other machines may lack records or deletions of this one.
    public var unshared = false
    /// Values in the shared store that are no records.
    public var unreadable = 0
}
