internal import Admin
internal import Images

extension Exposition {
    /// What was done with images.
    mutating func write(_ counts: ImageCounts) {
        single("sluice_image_uploads_total", .counter, "Images that Imgur took.", counts.uploads)
        single("sluice_image_uploaded_bytes_total", .counter, "Bytes of those images.", counts.uploadedBytes)
        begin("sluice_image_upload_errors_total", .counter, "Uploads that came to nothing, by the code of the error.")
        for (code, count) in counts.failedUploads.sorted(by: { $0.key < $1.key }) { sample(["code": code], count) }
        single(
            "sluice_image_deletions_total", .counter, "Images that were deleted at Imgur and here.", counts.deletions)
        single(
            "sluice_image_losses_total", .counter,
            "Uploads of which nobody knows what became: an image may be at Imgur that can't be deleted from here.",
            counts.lost)
        single(
            "sluice_image_records_unshared", .gauge,
            "1 while other machines may lack records or deletions of this one (with --redis).", counts.unshared ? 1 : 0)
        single(
            "sluice_image_records_unreadable_total", .counter, "Values found in the Redis that are no records.",
            counts.unreadable)
        begin("sluice_imgur_limit_remaining", .gauge, "What is left of Imgur's limits, as its last answer told.")
        for limit in counts.limits { sample(["limit": limit.kind.rawValue], limit.remaining) }
        begin("sluice_imgur_limit_reset_timestamp_seconds", .gauge, "When each of Imgur's limits is renewed.")
        for limit in counts.limits { sample(["limit": limit.kind.rawValue], limit.resets) }
    }
}
