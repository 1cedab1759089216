/// Content in the pieces in which it came, for readers that are at different places. Pure.
struct ContentPieces {
    /// Where a reader is.
    struct Place {
        /// Counted from the first piece of all, and what is read of it.
        fileprivate var piece = 0
        fileprivate var offset = 0
        /// Bytes read so far.
        private(set) var bytes = 0

        fileprivate mutating func add(_ count: Int) {
            offset += count
            bytes += count
        }
    }

    /// Small pieces are put together up to this size, since each costs memory of its own.
    private static let pieceSize = 16 * 1024

    private var pieces: [[UInt8]] = []
    /// Pieces that were let go of.
    private var dropped = 0
    /// Bytes of all that was put in.
    private(set) var total = 0
    /// Bytes of the pieces that are still here.
    private(set) var count = 0

    mutating func append(_ bytes: [UInt8]) {
        total += bytes.count
        count += bytes.count
        if let last = pieces.indices.last, pieces[last].count + bytes.count <= Self.pieceSize {
            pieces[last].append(contentsOf: bytes)
        } else {
            pieces.append(bytes)
        }
    }

    /// The next bytes for a reader; nil where it has all that has come.
    func read(_ place: inout Place) -> [UInt8]? {
        while pieces.indices.contains(place.piece - dropped) {
            let piece = pieces[place.piece - dropped]
            if place.offset < piece.count {
                let bytes = place.offset == 0 ? piece : Array(piece.dropFirst(place.offset))
                place.add(bytes.count)
                return bytes
            }
            // The last piece may still grow.
            if place.piece - dropped == pieces.count - 1 { return nil }
            place.piece += 1
            place.offset = 0
        }
        return nil
    }

    /// Lets go of what lies before all of these places.
    mutating func drop(before places: [Place]) {
        let first = places.map(\.piece).min() ?? dropped + pieces.count
        let count = min(max(0, first - dropped), pieces.count)
        self.count -= pieces.prefix(count).reduce(0) { $0 + $1.count }
        pieces.removeFirst(count)
        dropped += count
    }

    /// All of it, where nothing was let go of.
    func joined() -> [UInt8] {
        if pieces.count == 1, let only = pieces.first { return only }
        var all: [UInt8] = []
        all.reserveCapacity(total)
        for piece in pieces { all.append(contentsOf: piece) }
        return all
    }
}
