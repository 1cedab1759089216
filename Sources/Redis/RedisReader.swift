internal import CHiredis

/// One reply of a Redis (RESP2).
enum RedisValue: Sendable, Equatable {
    /// `+OK`.
    case status(String)
    /// `-ERR …`; its first word, which says what kind of error it is.
    case error(String)
    case integer(Int)
    case bytes([UInt8])
    case null
    case array([RedisValue])

    /// The text of a status or of bytes.
    var text: String? {
        switch self {
        case .status(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }
}

/// Reads replies from bytes as they come: hiredis' parser with our own objects, so that no reply takes more than is allowed.
final class RedisReader {
    /// The bytes are no replies, or too many.
    struct Broken: Error {}

    /// Bytes of a reply that isn't complete, and elements of one array.
    static let bufferLimit = 40 << 20
    static let arrayLimit = 100_000

    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>

    /// Nil where memory has run out.
    init?() {
        functions = .allocate(capacity: 1)
        functions.initialize(
            to: redisReplyObjectFunctions(
                createString: { task, bytes, count in
                    let content = UnsafeRawBufferPointer(start: bytes, count: count)
                    let value: RedisValue =
                        switch task?.pointee.type {
                        case REDIS_REPLY_STATUS: .status(String(decoding: content.prefix(256), as: UTF8.self))
                        case REDIS_REPLY_ERROR:
                            .error(String(decoding: content.prefix(64).prefix { $0 != 0x20 }, as: UTF8.self))
                        default: .bytes(Array(content))
                        }
                    return Node.make(value, in: task)
                },
                createArray: { task, count in
                    count < 0 || Int(count) > RedisReader.arrayLimit ? nil : Node.make(.array([]), in: task)
                },
                createInteger: { task, number in Node.make(.integer(Int(number)), in: task) },
                createNil: { task in Node.make(.null, in: task) },
                freeObject: { object in
                    if let object { Unmanaged<Node>.fromOpaque(object).release() }
                }))
        guard let reader = redisReaderCreateWithFunctions(functions) else {
            functions.deallocate()
            return nil
        }
        self.reader = reader
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    /// Takes bytes and hands each reply that is complete to `emit`.
    func take(_ bytes: UnsafeRawBufferPointer, emit: (RedisValue) -> Void) throws(Broken) {
        guard reader.pointee.len <= RedisReader.bufferLimit,
            redisReaderFeed(reader, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count) == 0
        else { throw Broken() }
        while true {
            var reply: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &reply) == 0 else { throw Broken() }
            guard let reply else { return }
            emit(Unmanaged<Node>.fromOpaque(reply).takeRetainedValue().whole)
        }
    }

    /// A value under construction. The outermost one is owned by the reader, each other by the one that it is in.
    private final class Node {
        private let value: RedisValue
        private var elements: [Node] = []
        private init(_ value: RedisValue) { self.value = value }

        static func make(_ value: RedisValue, in task: UnsafePointer<redisReadTask>?) -> UnsafeMutableRawPointer? {
            let node = Node(value)
            guard let parent = task?.pointee.parent?.pointee.obj else { return Unmanaged.passRetained(node).toOpaque() }
            Unmanaged<Node>.fromOpaque(parent).takeUnretainedValue().elements.append(node)
            return Unmanaged.passUnretained(node).toOpaque()
        }

        /// With its elements. hiredis reads arrays at most seven deep, so this ends.
        var whole: RedisValue {
            if case .array = value { return .array(elements.map(\.whole)) }
            return value
        }
    }
}

/// Writes a command as Redis reads it: an array of bulk strings.
enum RedisCommand {
    static func append(_ words: [[UInt8]], to bytes: inout [UInt8]) {
        bytes += Array("*\(words.count)\r\n".utf8)
        for word in words {
            bytes += Array("$\(word.count)\r\n".utf8)
            bytes += word
            bytes += [0x0D, 0x0A]
        }
    }
}
