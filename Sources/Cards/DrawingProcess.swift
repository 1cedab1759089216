internal import Drawing
internal import Glibc

/// What runs inside a process that draws one card and ends. It reads a `CardMessage` from its standard input and answers on its
/// standard output: a byte that says whether the cover is in it, the length in four bytes, the picture.
public enum DrawingProcess {
    /// The hidden command of the program.
    public static let command = "draw-card"

    /// Draws the card and ends the process, with 0 where it was drawn.
    /// - Parameter arguments: bytes of memory (0: any), seconds of processor time, pixels of a cover.
    public static func run(_ arguments: [String]) -> Never {
        let numbers = arguments.compactMap { Int($0) }
        guard arguments.count == 3, numbers.count == 3 else { _exit(2) }
        confine(memory: numbers[0], seconds: numbers[1])
        guard let input = readAll(), let card = CardMessage.card(input) else { _exit(2) }
        do {
            let picture = try CardPainter.picture(of: card, pixelLimit: numbers[2])
            // `_exit`: nobody needs what libraries do at the end of a process.
            _exit(write(reply(picture)) ? 0 : 1)
        } catch {
            _exit(1)
        }
    }

    static func reply(_ picture: Picture) -> [UInt8] {
        let length = UInt32(clamping: picture.bytes.count)
        return [picture.hasCover ? 1 : 0]
            + [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: length >> shift) } + picture.bytes
    }

    /// The picture in a reply; nil where it isn't whole or isn't of the format that was asked for.
    static func picture(_ reply: [UInt8], _ format: PictureFormat) -> Picture? {
        guard reply.count > 5, let cover = reply.first, cover <= 1,
            reply[1..<5].reduce(0, { $0 << 8 | Int($1) }) == reply.count - 5
        else { return nil }
        let picture = Picture(bytes: Array(reply[5...]), hasCover: cover == 1)
        guard let head = PictureHead(picture.bytes), head.kind == (format == .png ? .png : .jpeg) else { return nil }
        return picture
    }

    private static func confine(memory: Int, seconds: Int) {
        limit(RLIMIT_CORE, 0)
        limit(RLIMIT_CPU, seconds)
        limit(RLIMIT_NOFILE, 64)
        if memory > 0 { limit(RLIMIT_DATA, memory) }
    }

    private static func limit(_ resource: __rlimit_resource, _ value: Int) {
        var limit = rlimit()
        limit.rlim_cur = rlim_t(clamping: value)
        limit.rlim_max = rlim_t(clamping: value)
        // Lowering one's own limits can't fail, unless they are lower already.
        _ = setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }

    private static func readAll() -> [UInt8]? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return all }
            all.append(contentsOf: buffer[..<count])
        }
    }

    private static func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
