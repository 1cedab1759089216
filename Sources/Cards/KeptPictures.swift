internal import Drawing

/// The pictures that were used last, as many as fit. A picture is found by what it shows, so it is never out of date.
struct KeptPictures {
    /// In bytes.
    let capacity: Int
    private var pictures: [String: (picture: Picture, lastUse: Int)] = [:]
    private(set) var size = 0
    private var uses = 0

    init(capacity: Int) { self.capacity = capacity }

    subscript(key: String) -> Picture? {
        mutating get {
            guard let found = pictures[key] else { return nil }
            uses += 1
            pictures[key]?.lastUse = uses
            return found.picture
        }
    }

    /// Keeps `picture`, and lets those go that were used longest ago.
    mutating func keep(_ picture: Picture, for key: String) {
        guard picture.bytes.count <= capacity, pictures[key] == nil else { return }
        // A few hundred at most, so looking at all of them takes less than drawing a line of text.
        while size > capacity - picture.bytes.count,
            let oldest = pictures.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            size -= oldest.value.picture.bytes.count
            pictures[oldest.key] = nil
        }
        uses += 1
        size += picture.bytes.count
        pictures[key] = (picture, uses)
    }
}
