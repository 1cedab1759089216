/// How far the content of the shared store can be trusted to be all that there is. A store that has lost something gets it back from each machine,
/// and until the last one has done so, what is missing there proves nothing. Pure.
struct SharedContents: Sendable {
    /// What this machine has told all that it knows.
    private(set) var walked: String?
    /// What the other machines have told all that they know, too, as far as they are known.
    private(set) var trusted: String?

    private var connection = 0
    private var walkedAt = 0
    /// The others that were there while all was well, and those of them that haven't come back yet.
    private var peers: Set<String> = []
    private var awaited: Set<String> = []
    private var waitingSince = 0

    /// How often all is compared, in seconds, for what was lost there without a trace.
    private static let walkInterval = 600
    /// How long others are waited for, in seconds: longer than a gateway pauses before it looks for its Redis again.
    static let patience = 8

    /// The content that an earlier process has trusted: in another one something may be missing, and who else was there isn't known.
    private var former: String?

    init(former: String?) { self.former = former }

    func isToBeWalked(_ life: String, connection: Int, at now: Int) -> Bool {
        walked != life || self.connection != connection || !(0..<SharedContents.walkInterval).contains(now - walkedAt)
    }

    mutating func walk(_ life: String, connection: Int, at now: Int) {
        if walked != life {
            awaited = peers
            waitingSince = now
        }
        (walked, self.connection, walkedAt) = (life, connection, now)
    }

    /// - Returns: whether it is trusted from now on.
    mutating func see(_ life: SharedLife, at now: Int) -> Bool {
        guard life.name == walked else { return false }
        if let former {
            guard former == life.name || life.age >= SharedContents.patience else { return false }
            self.former = nil
        }
        awaited.subtract(life.members)
        guard awaited.isEmpty || !(0..<SharedContents.patience).contains(now - waitingSince) else { return false }
        awaited = []
        peers = life.members
        defer { trusted = life.name }
        return trusted != life.name
    }
}
