internal import Loop

/// The way to one Redis: a connection for commands and one for news, made again where they end, with pauses that grow and are jittered. It is
/// up while both are there and the shared state is known. Confined to its loop.
final class RedisLink {
    private let loop: EventLoop
    private let address: RedisAddress
    private var commands: RedisConnection?
    private var news: RedisConnection?
    private var timer: LoopTimer?
    private var failures = 0
    /// Why it is down.
    private var lastFailure: RedisConnection.Failure?
    private(set) var state: SharedState?
    private(set) var isUp = false
    private var isStopped = false

    /// It is up or down now, or down for another reason; nil: up; else why it is down.
    var onChange: (RedisConnection.Failure?) -> Void = { _ in }
    /// The shared state, and what has to be dropped from memory for it.
    var onState: (_ state: SharedState, _ dropped: [String]) -> Void = { _, _ in }
    /// Who we are among the senders of news.
    let name: String

    /// The same for what is held on one connection: what was held on an earlier one is nobody's any more.
    var session: String { name + "-" + String(connections) }
    private var connections = 0

    static let prefix = "sluice:1:"
    static let stateKey = prefix + "state"
    static let channel = prefix + "news"
    private static let longestPause = 5.0
    private static let checkInterval = Duration.seconds(5)

    init(loop: EventLoop, _ address: RedisAddress, name: String) {
        self.loop = loop
        self.address = address
        self.name = name
        timer = LoopTimer(loop: loop) { [unowned self] in self.timerFired() }
    }

    func start() { connect() }

    func stop() {
        isStopped = true
        timer?.stop()
        let both = [commands, news]
        commands = nil
        news = nil
        for connection in both {
            connection?.onEnd = nil
            connection?.end()
        }
    }

    func send(_ words: [[UInt8]], _ answer: @escaping RedisConnection.Answer) {
        guard let commands else { return answer(.failure(.closed)) }
        commands.send(words, answer)
    }

    // MARK: Coming up

    private func connect() {
        do throws(RedisConnection.Failure) {
            let commands = try open()
            self.commands = commands
            let news = try open()
            self.news = news
            news.onMessage = { [weak self] in self?.told($0) }
            news.send(["SUBSCRIBE", RedisLink.channel].words) { [weak self] reply in
                guard let self else { return }
                // Only now is nothing missed that happens after the state was read.
                guard case .success(let value) = reply else { return }  // `onEnd` says why.
                guard case .array(let parts) = value, parts.first?.text == "subscribe" else {
                    return self.down(RedisLink.failure(value))
                }
                self.load()
            }
        } catch {
            down(error)
        }
    }

    private func open() throws(RedisConnection.Failure) -> RedisConnection {
        let connection = try RedisConnection(loop: loop, address)
        connection.onEnd = { [weak self] in self?.down($0) }
        let enter: (Result<RedisValue, RedisConnection.Failure>) -> Void = { [weak self] reply in
            if case .success(let value) = reply, value.isError { self?.down(RedisLink.failure(value)) }
        }
        if let password = address.password {
            connection.send((["AUTH"] + [address.user, password].compactMap { $0 }).words, enter)
        }
        if address.database != 0 { connection.send(["SELECT", String(address.database)].words, enter) }
        return connection
    }

    /// Reads the shared state, for the first time or again; where there is none, it is made, which a full Redis may refuse.
    private func load() {
        send(["HGETALL", RedisLink.stateKey].words) { [weak self] reply in
            guard let self, self.commands != nil, case .success(let value) = reply else { return }
            if case .array(let fields) = value, let state = SharedState(fields: fields) { return self.learn(state) }
            if value.isError { return self.down(RedisLink.failure(value)) }
            let fresh = String(UInt64.random(in: 1...(1 << 62)))
            self.send(["EVAL", Script.load, "1", RedisLink.stateKey, fresh].words) { [weak self] reply in
                guard let self, self.commands != nil, case .success(let value) = reply else { return }
                guard case .array(let fields) = value, let state = SharedState(fields: fields) else {
                    return self.down(RedisLink.failure(value))
                }
                self.learn(state)
            }
        }
    }

    /// What a reply that isn't the wanted one says.
    private static func failure(_ value: RedisValue) -> RedisConnection.Failure {
        if case .error(let word) = value { .error(word) } else { .unexpected }
    }

    private func learn(_ new: SharedState) {
        let dropped = new.dropped(since: state)
        state = new
        onState(new, dropped)
        failures = 0
        lastFailure = nil
        timer?.start(after: RedisLink.checkInterval)
        guard !isUp else { return }
        isUp = true
        connections += 1
        onChange(nil)
    }

    /// Whether we still know all that there is to know.
    private func check() {
        news?.send(["PING"].words) { _ in }
        send(["HMGET", RedisLink.stateKey, "id", "n"].words) { [weak self] reply in
            guard let self, let state = self.state, case .success(let value) = reply else { return }
            guard value == .array([.bytes(Array(String(state.id).utf8)), .bytes(Array(String(state.epoch).utf8))])
            else {
                return self.load()
            }
            self.timer?.start(after: RedisLink.checkInterval)
        }
    }

    private func told(_ value: RedisValue) {
        guard case .array(let parts) = value, parts.count == 3, parts[0].text == "message" else { return }
        guard var state, let text = parts[2].text, let news = SharedState.News(text), state.take(news) else {
            return load()
        }
        self.state = state
        onState(state, news.sender == name ? [] : [news.tag])
    }

    // MARK: Going down

    private func down(_ failure: RedisConnection.Failure) {
        guard !isStopped else { return }
        let wasUp = isUp
        isUp = false
        let both = [commands, news]
        commands = nil
        news = nil
        for connection in both {
            connection?.onEnd = nil
            connection?.end(failure)
        }
        failures += 1
        let isNews = wasUp || failure != lastFailure
        lastFailure = failure
        if isNews { onChange(failure) }
        let longest = min(RedisLink.longestPause, 0.1 * Double(1 << min(failures, 10)))
        timer?.start(after: .seconds(Double.random(in: longest / 2...longest)))
    }

    private func timerFired() {
        if commands == nil { connect() } else { check() }
    }
}

extension [String] {
    var words: [[UInt8]] { map { [UInt8]($0.utf8) } }
}
