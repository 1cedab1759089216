internal import Cache
internal import Loop

/// The turns that this machine has at something that only one machine is to do at a time. As long as it has one, it shows the others that it is
/// alive: a lock alone would last too long where its holder has died, or not long enough where it has not. Confined to Redis' loop.
final class Turns {
    private let loop: EventLoop
    private unowned let link: RedisLink
    private var held: Set<String> = []
    private var beats = 0
    private var timer: LoopTimer?

    /// How often it shows that.
    static let interval = Duration.milliseconds(10)
    /// Milliseconds that a turn lasts at the most.
    static let longest = "60000"
    /// Milliseconds after which the beats of a machine are forgotten.
    private static let memory = "10000"
    static let beatPrefix = RedisLink.prefix + "b:"

    init(loop: EventLoop, _ link: RedisLink) {
        self.loop = loop
        self.link = link
    }

    /// Begins a turn that was taken.
    func begin(_ token: String) {
        held.insert(token)
        if held.count == 1 { beat() }
    }

    /// Ends one, whether it was taken or not.
    func end(_ token: String, of lock: String) {
        held.remove(token)
        if held.isEmpty { timer?.stop() }
        // Where that fails, the others see that nobody is there.
        link.send(["EVAL", Script.release, "1", lock, token].words) { _ in }
    }

    func stop() {
        timer = nil
        held = []
    }

    private func beat() {
        guard !held.isEmpty else { return }
        beats &+= 1
        if link.isUp {
            let words = ["SET", Turns.beatPrefix + link.session, String(beats), "PX", Turns.memory]
            link.send(words.words) { _ in }
        }
        if timer == nil { timer = LoopTimer(loop: loop) { [weak self] in self?.beat() } }
        timer?.start(after: Turns.interval)
    }
}

/// What is known of the machine that has a turn. Pure.
struct HolderWatch {
    /// The last sign of its life.
    private(set) var sign: ContinuousClock.Instant
    private var last: RedisValue?
    private let budget: Duration

    /// - Parameter budget: all that may be waited for one that is dead, from now.
    init(budget: Duration, at now: ContinuousClock.Instant) {
        self.budget = budget
        sign = now
    }

    /// When an answer of Redis is too late.
    var limit: ContinuousClock.Instant { sign + budget }

    /// - Parameter state: holder and beat; each change is a sign of life.
    /// - Returns: whether it may be alive. The last part of the budget is for taking its place.
    mutating func isAlive(_ state: RedisValue, at now: ContinuousClock.Instant) -> Bool {
        if last != nil, last != state { sign = now }
        last = state
        return sign.duration(to: now) < budget * 3 / 4
    }
}

extension RedisLayer {
    enum Taking: Sendable {
        case ours
        /// Another machine has it; how that one is.
        case theirs(RedisValue)
        case failed
    }

    /// What came of waiting for a turn.
    enum Waited: Sendable {
        case ours
        /// It is ours, and somebody has ended one that was waited for.
        case oursAfterAnother
        case notOurs
    }

    /// One try.
    /// - Parameter dead: who is known to have died with it.
    func take(
        _ lock: String, _ token: String, from dead: String?, until limit: ContinuousClock.Instant, _ host: CacheHost
    ) async -> Taking {
        let words = ["EVAL", Script.take, "1", lock, token, dead ?? "", Turns.longest, Turns.beatPrefix].words
        switch await ask(words, until: limit, host) {
        case .integer(1):
            loop.submit { [turns] in turns.value.begin(token) }
            return .ours
        case .array(let state): return .theirs(.array(state))
        default:
            // It may have been taken all the same.
            end(token, of: lock)
            return .failed
        }
    }

    /// Ends a turn. Returns at once.
    func end(_ token: String, of lock: String) { loop.submit { [turns] in turns.value.end(token, of: lock) } }

    /// Waits for a turn, as long as its holder is alive.
    /// - Parameter look: whether that has become needless.
    func wait(
        for lock: String, _ token: String, _ watch: HolderWatch, until deadline: ContinuousClock.Instant,
        _ host: CacheHost, unless look: (ContinuousClock.Instant) async -> Bool = { _ in false }
    ) async -> Waited {
        var watch = watch
        var dead: String?
        var isFirst = true
        while true {
            let state: RedisValue
            switch await take(lock, token, from: dead, until: min(deadline, watch.limit), host) {
            case .ours: return isFirst || dead != nil ? .ours : .oursAfterAnother
            case .failed: return .notOurs
            case .theirs(let answer): state = answer
            }
            if isFirst { count { $0.waits += 1 } }
            isFirst = false
            let now = ContinuousClock.now
            if now >= deadline { return .notOurs }
            if watch.isAlive(state, at: now) {
                await pause(host)
                if await look(min(deadline, watch.limit)) { return .notOurs }
            } else {
                guard dead == nil, case .array(let parts) = state, let holder = parts.first?.text else {
                    return .notOurs
                }
                count { $0.takeovers += 1 }
                dead = holder
            }
        }
    }
}
