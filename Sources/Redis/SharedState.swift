/// What the machines at one Redis agree on: which life of the shared state this is, and what was dropped in it, in order. An entry is good where
/// it is of the same life, and nothing that it is meant by was dropped after the state that it was made in. Pure.
struct SharedState: Equatable {
    /// Chosen by chance when the state is made; a Redis that has lost its keys gets another.
    private(set) var id: UInt64
    /// How often something was dropped.
    private(set) var epoch: UInt64
    /// When each tag was dropped last, and when everything was (`*`).
    private(set) var marks: [String: UInt64] = [:]

    static let everything = "*"

    init(id: UInt64, epoch: UInt64 = 0) {
        self.id = id
        self.epoch = epoch
    }

    /// Reads the fields of the hash; nil where it is none of ours.
    init?(fields: [RedisValue]) {
        var id: UInt64?
        var epoch: UInt64?
        var marks: [String: UInt64] = [:]
        guard fields.count % 2 == 0 else { return nil }
        for place in stride(from: 0, to: fields.count, by: 2) {
            guard let name = fields[place].text, let text = fields[place + 1].text, let value = UInt64(text) else {
                return nil
            }
            switch name {
            case "id": id = value
            case "n": epoch = value
            default: if name.hasPrefix("m") { marks[String(name.dropFirst())] = value }
            }
        }
        guard let id, let epoch else { return nil }
        self.id = id
        self.epoch = epoch
        self.marks = marks
    }

    func isGood(_ envelope: Envelope) -> Bool {
        guard envelope.id == id, envelope.epoch <= epoch else { return false }
        return ([SharedState.everything] + envelope.tags).allSatisfy { (marks[$0] ?? 0) <= envelope.epoch }
    }

    /// What has to be dropped from memory to come from `old` to here: tags, or everything.
    func dropped(since old: SharedState?) -> [String] {
        guard let old else { return [] }
        guard old.id == id, old.epoch <= epoch else { return [SharedState.everything] }
        let missed = marks.filter { $0.value > old.epoch }.map(\.key)
        return missed.contains(SharedState.everything) ? [SharedState.everything] : missed.sorted()
    }

    /// What another machine has told: the next thing that was dropped.
    /// - Returns: false where it isn't the next one, so that the whole state has to be read again.
    mutating func take(_ news: News) -> Bool {
        guard news.id == id, news.epoch == epoch + 1 else { return false }
        epoch = news.epoch
        if news.tag == SharedState.everything { marks = [:] }
        marks[news.tag] = news.epoch
        return true
    }

    /// A message of the channel: `1 ID EPOCH SENDER TAG`.
    struct News: Equatable {
        var id: UInt64
        var epoch: UInt64
        var sender: String
        var tag: String

        init?(_ text: String) {
            let words = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
            guard words.count == 5, words[0] == "1", let id = UInt64(words[1]), let epoch = UInt64(words[2]),
                epoch < UInt64.max,
                !words[4].isEmpty
            else { return nil }
            self.id = id
            self.epoch = epoch
            sender = String(words[3])
            tag = String(words[4])
        }
    }
}

/// Changes that a Redis makes as one. They get the names of keys as KEYS and the rest as ARGV.
enum Script {
    /// The state, made where there is none. KEYS: state. ARGV: id.
    static let load = """
        redis.call('HSETNX',KEYS[1],'id',ARGV[1]) redis.call('HSETNX',KEYS[1],'n','0')
        return redis.call('HGETALL',KEYS[1])
        """

    /// Notes that a tag was dropped, and tells everybody. KEYS: state, channel. ARGV: id for a new state, sender, tag. So many tags that the state
    /// would grow without end drop everything.
    static let drop = """
        redis.call('HSETNX',KEYS[1],'id',ARGV[1])
        local id=redis.call('HGET',KEYS[1],'id')
        local n=redis.call('HINCRBY',KEYS[1],'n',1)
        local tag=ARGV[3]
        if redis.call('HLEN',KEYS[1])>10000 then tag='*' end
        if tag=='*' then redis.call('DEL',KEYS[1]) redis.call('HSET',KEYS[1],'id',id,'n',n) end
        redis.call('HSET',KEYS[1],'m'..tag,n)
        redis.call('PUBLISH',KEYS[2],'1 '..id..' '..n..' '..ARGV[2]..' '..tag)
        return n
        """

    /// Adds to a quota's count and says all that was sent in its window. KEYS: count. ARGV: milliseconds of a slot, slots of the window, requests.
    /// The time is the Redis' own, the same for all.
    static let count = """
        local t=redis.call('TIME')
        local slot=math.floor((t[1]*1000+math.floor(t[2]/1000))/ARGV[1])
        if tonumber(ARGV[3])>0 then
        redis.call('HINCRBY',KEYS[1],string.format('%.0f',slot),ARGV[3])
        redis.call('PEXPIRE',KEYS[1],string.format('%.0f',ARGV[1]*(ARGV[2]+2)))
        end
        local sum=0
        local all=redis.call('HGETALL',KEYS[1])
        for i=1,#all,2 do
        if tonumber(all[i])<slot-ARGV[2] then redis.call('HDEL',KEYS[1],all[i]) else sum=sum+tonumber(all[i+1]) end
        end
        return sum
        """

    /// Takes a turn that nobody has, or whose holder has died; else says who has it and how that one's heart beats. KEYS: lock. ARGV: token,
    /// the dead one's token, milliseconds, what the names of beats begin with. A token is a machine's name, a dot and a number.
    static let take = """
        local held=redis.call('GET',KEYS[1])
        if not held or held==ARGV[2] then redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[3]) return 1 end
        return {held,redis.call('GET',ARGV[4]..string.match(held,'^[^.]*')) or ''}
        """

    /// Takes a lock away if it is still ours. KEYS: lock. ARGV: token.
    static let release = "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0"
}
