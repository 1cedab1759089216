public import Cache
internal import Loop
internal import Synchronization
internal import Threads

/// Asking Redis, on a worker's loop: whoever asks waits for its word until the deadline and no longer.
extension RedisLayer {
    /// How long one machine waits for another's fetch at the most.
    private static let longestWait = Duration.seconds(5)
    private static let pollInterval = Duration.milliseconds(10)

    public func board(
        _ name: String, _ choice: VariantChoice, until end: ContinuousClock.Instant?, host: CacheHost
    ) async -> Boarding {
        guard let place = Place(name, choice) else { return .alone }
        let watch = HolderWatch(budget: budget, at: .now)
        switch await find(name, place, choice, until: watch.limit, host) {
        case .entry(let envelope):
            count { $0.hits += 1 }
            return .found(entry: envelope.entry, tags: envelope.tags, isAwaited: false)
        case .nothing(let place):
            count { $0.misses += 1 }
            return await lead(name, place, choice, watch, until: RedisLayer.longestWait(end), host)
        case .failed: return .alone
        }
    }

    /// A new name for a turn of this machine.
    func token() -> String {
        session.withLock { $0 } + "." + String(turnNumbers.add(1, ordering: .relaxed).newValue, radix: 36)
    }

    /// Half of the time that is left, so that there is some for a fetch of our own.
    private static func longestWait(_ end: ContinuousClock.Instant?) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        return now + min(longestWait, end.map { now.duration(to: $0) / 2 } ?? longestWait)
    }

    /// Takes the turn to fetch, or waits for the machine that has it.
    private func lead(
        _ name: String, _ place: Place, _ choice: VariantChoice, _ watch: HolderWatch,
        until end: ContinuousClock.Instant, _ host: CacheHost
    ) async -> Boarding {
        let token = token()
        var found: Envelope?
        var isDone = false
        func look(_ limit: ContinuousClock.Instant) async -> Bool {
            switch await find(name, place, choice, until: limit, host) {
            case .entry(let envelope): found = envelope
            case .nothing: return false
            case .failed: break
            }
            isDone = true
            return true
        }
        let waited = await wait(for: place.lock, token, watch, until: end, host, unless: look)
        if case .ours = waited { return .lead("\(token) \(place.lock)") }
        if case .oursAfterAnother = waited {
            // What the other has kept is there by now. If it has kept nothing, nobody waits for the next one.
            if !isDone { _ = await look(.now + budget) }
            self.end(token, of: place.lock)
        }
        guard let found else { return .alone }
        count { $0.collapsed += 1 }
        return .found(entry: found.entry, tags: found.tags, isAwaited: true)
    }

    private enum Found: Sendable {
        case entry(Envelope)
        /// The variant that was looked for.
        case nothing(Place)
        case failed
    }

    /// Looks for a variant: where others depend on other fields than was thought, for that one.
    private func find(
        _ name: String, _ place: Place, _ choice: VariantChoice, until deadline: ContinuousClock.Instant,
        _ host: CacheHost
    ) async -> Found {
        await wait(until: deadline, host) { [self] reply in
            look(name, place, choice) { [self] place, value in
                switch value {
                case .bytes(let bytes):
                    let state = state.withLock { $0 }
                    guard let envelope = Envelope(bytes), let state, state.isGood(envelope) else {
                        count { $0.rejects += 1 }
                        return reply.give(.nothing(place))
                    }
                    reply.give(.entry(envelope))
                case .null: reply.give(.nothing(place))
                default: reply.give(.failed)
                }
            }
        } ?? .failed
    }

    /// On Redis' thread.
    private func look(
        _ name: String, _ place: Place, _ choice: VariantChoice, isLast: Bool = false,
        _ tell: @escaping (Place, RedisValue) -> Void
    ) {
        link.value.send(["HMGET", place.key, EntryScript.names, place.variant].words) { [self] answer in
            guard case .success(.array(let parts)) = answer, parts.count == 2 else {
                note(answer)
                return tell(place, .error(""))
            }
            guard case .bytes(let bytes) = parts[0], let names = Place.names(bytes), !isLast, names != choice.names
            else { return tell(place, parts[1]) }
            guard let other = choice.among(names), let next = Place(name, other) else {
                count { $0.rejects += 1 }
                return tell(place, .null)
            }
            look(name, next, other, isLast: true, tell)
        }
    }

    func ask(_ words: [[UInt8]], until deadline: ContinuousClock.Instant, _ host: CacheHost) async
        -> RedisValue?
    {
        await wait(until: deadline, host) { [self] reply in
            link.value.send(words) { [self] answer in
                if case .success(let value) = answer, !value.isError { return reply.give(value) }
                note(answer)
                reply.give(.error(""))
            }
        }
    }

    /// The same for whoever has time: as long as the connection waits.
    func ask(_ words: [[UInt8]]) async -> RedisValue? {
        let reply = Reply<RedisValue>()
        let begin = ContinuousClock.now
        loop.submit { [self] in
            link.value.send(words) { [self] answer in
                if case .success = answer, begin.duration(to: .now) < budget / 2 { fastEnough() }
                if case .success(let value) = answer, !value.isError { return reply.give(value) }
                note(answer)
                reply.give(nil)
            }
        }
        return await reply.value()
    }

    /// Has `begin` called on Redis' thread and waits for its word, until the deadline.
    func wait<Value: Sendable>(
        until deadline: ContinuousClock.Instant, _ host: CacheHost, _ begin: @escaping @Sendable (Reply<Value>) -> Void
    ) async -> Value? {
        let reply = Reply<Value>()
        let alarm = host.alarm(deadline) { reply.give(nil) }
        loop.submit { begin(reply) }
        let value = await reply.value()
        withExtendedLifetime(alarm) {}
        if value == nil {
            tooSlow()
        } else {
            fastEnough()
        }
        return value
    }

    /// Whether it is there, and was not too slow lately.
    var isFastEnough: Bool {
        let until = closedUntil.load(ordering: .relaxed)
        return isUp.load(ordering: .relaxed) && (until == 0 || Moment.now.uptime >= until)
    }

    private func fastEnough() {
        guard closedUntil.load(ordering: .relaxed) != 0 else { return }
        closedUntil.store(0, ordering: .relaxed)
        slowness.store(0, ordering: .relaxed)
    }

    /// Nobody asks for a while: a second, twice as long each time, half a minute at the most.
    private func tooSlow() {
        count { $0.timeouts += 1 }
        let times = min(slowness.add(1, ordering: .relaxed).newValue, 6)
        closedUntil.store(Moment.now.uptime + min(30_000, 500 << times), ordering: .relaxed)
    }

    func pause(_ host: CacheHost) async {
        let reply = Reply<Bool>()
        let alarm = host.alarm(ContinuousClock.now + RedisLayer.pollInterval) { reply.give(true) }
        _ = await reply.value()
        withExtendedLifetime(alarm) {}
    }
}
