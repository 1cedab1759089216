import HTTP

@testable import Images

/// Feeds content to a reader, cut into pieces.
func events(
    _ reader: any UploadReader, _ pieces: [[UInt8]]
) throws(GatewayError) -> [UploadEvent] {
    var reader = reader
    var events: [UploadEvent] = []
    for piece in pieces { try reader.receive(piece, &events) }
    try reader.finish(&events)
    return joined(events)
}

/// Consecutive pieces of the image as one.
private func joined(_ events: [UploadEvent]) -> [UploadEvent] {
    var all: [UploadEvent] = []
    for event in events {
        if case .image(let more) = event, case .image(let before)? = all.last {
            all[all.count - 1] = .image(before + more)
        } else {
            all.append(event)
        }
    }
    return all
}

/// The same bytes in pieces, so that every cut is tried over many seeds.
func cut(_ bytes: [UInt8], _ random: inout some RandomNumberGenerator, longest: Int = 40) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Int.random(in: 1...longest, using: &random)
        pieces.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
    }
    return pieces
}

/// Repeats itself, so that a failure can be looked at.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

/// The code of the error that `body` throws; nil where it throws none.
func code(_ body: () throws(GatewayError) -> Void) -> String? {
    do throws(GatewayError) {
        try body()
        return nil
    } catch {
        return error.code
    }
}

let pngStart: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
