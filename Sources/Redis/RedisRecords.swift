public import Cache
public import Images
internal import Loop

/// The records of images in a Redis, for all machines; see ``RecordScript``.
public struct RedisRecords: RecordSharing {
    private let layer: RedisLayer
    private let host: @Sendable () -> CacheHost?

    /// - Parameter host: of the worker that asks, whose timer keeps to the budget; where it gives nil, whoever asks has time.
    public init(_ layer: RedisLayer, host: @escaping @Sendable () -> CacheHost?) {
        self.layer = layer
        self.host = host
    }

    public func put(_ record: SharedRecord) async -> SharedPut {
        let words = [
            [UInt8](record.id.utf8), Array(record.mark.utf8), Array(String(max(0, record.uploaded)).utf8),
            Array(RedisRecords.name(of: record.owner).utf8), record.bytes,
        ]
        let answer = await run(RecordScript.put, words)?.text ?? ""
        switch answer {
        case "done": return .done
        case "taken": return .taken
        case "deleted": return .deleted
        default:
            guard answer.hasPrefix("known ") else { return .failed }
            let owner = String(answer.dropFirst("known ".count))
            return .known(owner: owner == RedisRecords.nobody ? nil : owner)
        }
    }

    public func find(_ id: String, mark: String?) async -> SharedFinding {
        guard case .array(let parts) = await run(RecordScript.find, [id, mark ?? "-"].words),
            let word = parts.first?.text
        else { return .failed }
        switch (word, parts.last) {
        case ("found", .bytes(let bytes)): return .found(bytes)
        case ("deleted", _): return .deleted
        case ("unreadable", _): return .unreadable
        case ("nothing", .bytes(let bytes)): return .nothing(life: String(decoding: bytes, as: UTF8.self))
        default: return .failed
        }
    }

    public func list(_ owners: [String?], limit: Int, offset: Int) async -> SharedPage? {
        let words = [String(limit), String(offset)] + owners.map(RedisRecords.name)
        guard case .array(let parts) = await run(RecordScript.list, words.words), parts.count >= 2,
            let life = parts[0].text, let count = parts[1].text.flatMap({ Int($0) })
        else { return nil }
        let records = parts.dropFirst(2).map { part -> [UInt8] in
            if case .bytes(let bytes) = part { bytes } else { [] }
        }
        return SharedPage(life: life, count: count, records: records)
    }

    public func remove(_ id: String, mark: String) async -> SharedRemoval {
        switch await run(RecordScript.remove, [id, mark].words) {
        case .integer(1): .done
        case .integer(0): .wasNotThere
        default: .failed
        }
    }

    public func life(walked: String?) async -> SharedLife? {
        let fresh = String(UInt64.random(in: 1...(1 << 62)), radix: 36)
        guard case .array(let parts) = await run(RecordScript.life, [fresh, layer.name, walked ?? ""].words),
            parts.count >= 2, let name = parts[0].text, !name.isEmpty, let age = parts[1].text.flatMap({ Int($0) })
        else { return nil }
        let members = Set(parts.dropFirst(2).compactMap(\.text)).subtracting([layer.name])
        return SharedLife(name: name, age: age, members: members)
    }

    public func turn(
        toDelete id: String, until deadline: ContinuousClock.Instant
    ) async -> (@Sendable () -> Void)? {
        guard let host = host(), layer.isFastEnough else { return nil }
        let lock = RecordScript.lockPrefix + id
        let token = layer.token()
        let now = ContinuousClock.now
        let watch = HolderWatch(budget: layer.budget, at: now)
        // The other half is for a request of our own.
        let end = now + now.duration(to: deadline) / 2
        if case .notOurs = await layer.wait(for: lock, token, watch, until: end, host) { return nil }
        return { layer.end(token, of: lock) }
    }

    private func run(_ script: String, _ arguments: [[UInt8]]) async -> RedisValue? {
        let words = (["EVAL", script, String(RecordScript.keys.count)] + RecordScript.keys).words + arguments
        guard let host = host() else { return await layer.ask(words) }
        guard layer.isFastEnough else { return nil }
        return await layer.ask(words, until: .now + layer.budget, host)
    }

    /// The owner of what belongs to nobody.
    private static let nobody = "-"
    private static func name(of owner: String?) -> String { owner ?? nobody }
}
