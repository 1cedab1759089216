/// The one table of every limit and setting.
public enum ParameterTable {
    /// All parameters, group by group.
    public static let all: [Parameter] = general + clients + upstreams + cache + request + cards + upload + log + admin

    /// The row called `name` (`idle-timeout`).
    public static subscript(name: String) -> Parameter? { all.first { $0.name == name } }

    /// The rows of one command.
    public static func of(_ command: Parameter.Command) -> [Parameter] {
        all.filter { $0.commands.contains(command) }
    }

    /// The range of a duration in a contract or a flag: `request-deadline`'s.
    public static let deadlines: ClosedRange<Duration> = .milliseconds(1)...(.seconds(600))
    /// The range of the lives that a contract gives answers: a year is the most that anybody keeps anything.
    public static let lives: ClosedRange<Duration> = .zero...(.seconds(365 * 86_400))
    /// The ranges of a request's limits, in contracts too.
    public static let links = 0...10_000
    public static let depths = 0...8
    public static let upstreamBytes = (1 << 10)...(1 << 30)
    public static let contentBytes = 0...(1 << 30)

    private static let plan: [Parameter.Command] = [.serve, .check, .routes, .get]
    private static let asking: [Parameter.Command] = [.serve, .get]
    private static let listening: [Parameter.Command] = [.serve, .sample]
    private static let addressed: [Parameter.Command] = [.serve, .sample, .health]

    private static let general = rows(.general) {
        $0.add(
            "contracts", .list(\.contracts), plan,
            "The contracts: OpenAPI files, or folders of which every .yaml, .yml and .json file is read; colons stand between several. As arguments of serve, check and routes they stand behind the command."
        )
        $0.add(
            "host", .text(\.host), addressed,
            "The address to listen on. 0.0.0.0 or :: takes connections from other machines.")
        $0.add("port", .port(\.port), addressed, "The port to listen on; 0 takes any free one.")
        $0.add(
            "workers", .count(\.workers, 0...256, unit: "threads"), [.serve],
            "Threads that serve, each with its own loop and listener; 0 is one for each core.")
        $0.add(
            "sample", .flag(\.isSample), asking,
            "Starts the sample upstreams inside the program and points every upstream at them: no keys and no network are needed."
        )
        $0.add(
            "verbose", .flag(\.isVerbose), [.get],
            "Shows each part of the answer on stderr: its upstream, its address without credentials, whether it was kept, its status and its time. -v is short for it."
        )
        $0.add(
            "mirror", .text(\.mirror), [.serve],
            "Serves no contracts, but everything of this one address as it is, kept by the rules of RFC 9111: a plain caching proxy, such as --mirror http://127.0.0.1:8000. Every path is the upstream's own, /healthz too."
        )
        $0.add(
            "state", .path(\.state), asking,
            "The folder for what is kept between runs, the records of uploaded images; it is made where it is missing, and must be writable. Without it: sluice in $XDG_STATE_HOME, else ~/.local/state/sluice; with the samples nothing is kept between runs."
        )
        $0.add(
            "public-url", .text(\.publicURL), asking,
            "What links to this gateway begin with, such as https://films.example; empty is the address that it listens on, or with 0.0.0.0 and :: the host that each request names."
        )
    }

    private static let clients = rows(.clients) {
        $0.add(
            "max-request-line", .bytes(\.maximumRequestLine, 256...(64 << 10)), [.serve],
            "The longest request line; a longer one is answered with 414.")
        $0.add(
            "max-head", .bytes(\.maximumHead, (1 << 10)...(1 << 20)), [.serve],
            "The longest head of a request, all field lines together; a longer one is answered with 431.")
        $0.add(
            "max-field-lines", .count(\.maximumFieldLines, 8...10_000, unit: "lines"), [.serve],
            "The most field lines of a request; more are answered with 431.")
        $0.add(
            "max-body", .bytes(\.maximumBody, contentBytes), [.serve],
            "The largest content of a request, where its operation says nothing else; more is answered with 413.")
        $0.add(
            "max-image", .bytes(\.maximumImage, 1...(1 << 30)), asking,
            "The largest image that is taken for an upload; a larger one is answered with 413.")
        $0.add(
            "max-chunk-extension", .bytes(\.maximumChunkExtension, 0...(64 << 10)), [.serve],
            "The longest extension of one chunk of a request's content.")
        $0.add(
            "max-chunk-extensions", .bytes(\.maximumChunkExtensions, 0...(1 << 20)), [.serve],
            "The extensions of all chunks of a request together.")
        $0.add(
            "max-trailer", .bytes(\.maximumTrailer, 0...(1 << 20)), [.serve],
            "The longest trailer behind chunked content; it is checked and dropped.")
        $0.add(
            "head-deadline", .duration(\.headDeadline, .milliseconds(100)...(.seconds(600))), [.serve],
            "The time for a whole head, from the connection's start or the head's first byte; then 408.")
        $0.add(
            "body-rate", .bytes(\.bodyRate, 0...(1 << 30)), [.serve],
            "The bytes a second that a client must send of its content on average once body-grace has passed; 0 asks for none."
        )
        $0.add(
            "body-grace", .duration(\.bodyGrace, .seconds(0)...(.seconds(600))), [.serve],
            "How long content may come slower than body-rate.")
        $0.add(
            "body-deadline", .duration(\.bodyDeadline, .milliseconds(100)...(.seconds(3600))), [.serve],
            "The time for a whole content; then 408.")
        $0.add(
            "idle-timeout", .duration(\.idleTimeout, .milliseconds(100)...(.seconds(3600))), [.serve],
            "How long a connection is kept open between requests.")
        $0.add(
            "write-stall", .duration(\.writeStall, .milliseconds(100)...(.seconds(3600))), [.serve],
            "How long a client may take nothing of an answer that waits for it; then the connection is reset.")
        $0.add(
            "max-pipelined", .count(\.maximumPipelined, 1...10_000, unit: "requests"), [.serve],
            "The most pipelined requests of one connection that are answered before other connections have their turn; they are answered one at a time and in order."
        )
        $0.add(
            "max-connections", .count(\.maximumConnections, 0...1_000_000, unit: "connections"), [.serve],
            "The most open connections of clients; 0 is what the limit of open files (RLIMIT_NOFILE) allows.")
        $0.add(
            "drain-accept", .duration(\.drainAccept, .seconds(0)...(.seconds(600))), [.serve],
            "How long connections are still taken after SIGTERM, so that a balancer can notice that /readyz fails.")
        $0.add(
            "drain-limit", .duration(\.drainLimit, .milliseconds(100)...(.seconds(3600))), [.serve],
            "When the program ends after SIGTERM although answers are still under way.")
        $0.add(
            "client-keys-file", .path(\.clientKeysFile), [.serve],
            "A file with a client key on each line; it is read again on SIGHUP. The variable SLUICE_CLIENT_KEYS can hold the keys themselves, with commas between them."
        )
        $0.add(
            "open-writes", .flag(\.opensWrites), [.serve],
            "Lets everybody who reaches the gateway change and delete things without a key. Without this and without keys, only a gateway that listens on this machine alone takes POST, PUT, PATCH and DELETE."
        )
        $0.add(
            "require-key", .flag(\.requiresKey), [.serve],
            "Reading needs a client key too; only /healthz and /readyz stay open.")
        $0.add(
            "cors-origin", .text(\.crossOrigins), [.serve],
            "The origins, with commas between them, whose pages may ask this gateway from a browser: https://films.example,http://localhost:3000. Empty is none."
        )
    }

    private static let upstreams = rows(.upstreams) {
        $0.add(
            "connect-timeout", .duration(\.connectTimeout, .milliseconds(1)...(.seconds(60))), asking,
            "The time to connect to an upstream, TLS included.")
        $0.add(
            "allow-networks", .text(\.allowedNetworks), asking,
            "Private networks, with commas between them, that the names of upstreams may resolve to, as a container beside this one has: 172.16.0.0/12. A contract can say the same for one upstream."
        )
        $0.add(
            "max-answer", .bytes(\.maximumAnswer, (1 << 10)...(1 << 30)), asking,
            "The largest content of one upstream answer that is read, after decoding; a larger one is 502.")
        $0.add(
            "mirror-silence", .duration(\.mirrorSilence, .milliseconds(100)...(.seconds(3600))), [.serve],
            "How long an upstream may send nothing of an answer that a mirror hands on while it comes; then the answer is broken off."
        )
        $0.add(
            "max-json-depth", .count(\.maximumJSONDepth, 4...1024, unit: "levels"), asking,
            "The deepest nesting of an upstream's JSON; deeper is 502.")
        $0.add(
            "max-json-values", .count(\.maximumJSONValues, 1000...100_000_000, unit: "values"), asking,
            "The most values in one upstream answer's JSON; more is 502.")
    }

    private static let cache = rows(.cache) {
        $0.add(
            "cache", .word(\.cache, ["all", "upstream", "off"]), [.serve],
            "What is kept in memory: upstream keeps the answers of upstreams by their own rules and the contract's; all keeps what is composed of them too; off keeps nothing."
        )
        $0.add(
            "cache-memory", .bytes(\.cacheMemory, (1 << 20)...(1 << 40)), [.serve],
            "The memory for all that is kept: keys, fields and contents in every encoding.")
        $0.add(
            "redis", .address(\.redis), [.serve],
            "A Redis that several gateways share behind their memories, such as redis://:PASSWORD@127.0.0.1:6379/0; empty is none. With a password in it, rather set the variable, or SLUICE_REDIS_FILE to a file that holds it: other users see arguments."
        )
        $0.add(
            "redis-timeout", .duration(\.redisTimeout, .milliseconds(1)...(.seconds(2))), [.serve],
            "All that one request waits for answers of the Redis; over it, the request goes on without, and nobody asks it for a while."
        )
    }

    private static let request = rows(.request) {
        $0.add(
            "request-deadline", .duration(\.deadline, deadlines), plan,
            "The time for one client request in all, where its operation has no deadline of its own.")
        $0.add(
            "max-links", .count(\.maximumLinks, links, unit: "links"), plan,
            "The most upstream requests that may follow the first one of a client request, where its operation says nothing else."
        )
        $0.add(
            "max-depth", .count(\.maximumDepth, depths, unit: "levels"), plan,
            "The most links that one path of expand may follow, where its operation says nothing else.")
        $0.add(
            "max-upstream-bytes", .bytes(\.maximumUpstreamBytes, upstreamBytes), plan,
            "The most decoded content that one client request may read from upstreams, where its operation says nothing else."
        )
    }

    private static let upload = rows(.upload) {
        $0.add("url", .text(\.url), [.upload], "The address of the running gateway that the image is sent to.")
        $0.add("title", .text(\.title), [.upload], "The title of the image; empty for none.")
        $0.add(
            "description", .text(\.imageDescription), [.upload], "What Imgur shows below the image; empty for nothing.")
        $0.add(
            "patience", .duration(\.patience, .seconds(1)...(.seconds(3600))), [.upload],
            "How long the gateway may take nothing of the image and say nothing.")
    }

    private static let cards = rows(.cards) {
        $0.add(
            "card-drawings", .count(\.cardDrawings, 1...64, unit: "processes"), asking,
            "The most cards that are drawn at the same time, each in a process of its own.")
        $0.add(
            "card-queue", .count(\.cardQueue, 0...10_000, unit: "cards"), asking,
            "The most cards that wait to be drawn; more are answered with 503.")
        $0.add(
            "card-deadline", .duration(\.cardDeadline, .milliseconds(100)...(.seconds(60))), asking,
            "The time for one drawing; a card whose cover takes longer is drawn once more without it.")
        $0.add(
            "card-memory", .bytes(\.cardMemory, 0...(4 << 30)), asking,
            "The writable memory of one drawing; 0 sets no limit.")
        $0.add(
            "card-cover", .bytes(\.cardCover, (1 << 10)...(64 << 20)), asking,
            "The largest file of a cover; a larger one is left out.")
        $0.add(
            "card-pixels", .count(\.cardPixels, 10_000...200_000_000, unit: "pixels"), asking,
            "The most pixels of a cover; one that says it has more is left out before it is decoded.")
        $0.add(
            "cards-kept", .bytes(\.cardsKept, 0...(1 << 30)), asking,
            "The memory for finished cards, so that the same one isn't drawn again.")
    }

    private static let log = rows(.log) {
        $0.add(
            "log-level", .word(\.logLevel, ["error", "warning", "info", "debug"]), listening,
            "The least grave lines that are logged, on stderr.")
        $0.add(
            "log-format", .word(\.logFormat, ["text", "json"]), listening,
            "Log lines for people or one JSON object a line.")
    }

    private static let admin = rows(.admin) {
        $0.add(
            "admin-port", .port(\.adminPort), [.serve],
            "The port for metrics, health and dropping what is kept, with a thread of its own; 0 is none.")
        $0.add(
            "admin-host", .text(\.adminHost), [.serve],
            "The address that the admin port listens on. One that other machines reach needs a key: SLUICE_ADMIN_KEY, or a file that SLUICE_ADMIN_KEY_FILE names, holds 16 or more characters, which come as Authorization: Bearer KEY."
        )
    }

    /// Collects the rows of one group.
    private struct Rows {
        let group: Parameter.Group
        var rows: [Parameter] = []
        mutating func add(_ name: String, _ kind: Parameter.Kind, _ commands: [Parameter.Command], _ prose: String) {
            rows.append(Parameter(name: name, kind: kind, prose: prose, commands: commands, group: group))
        }
    }

    private static func rows(_ group: Parameter.Group, _ fill: (inout Rows) -> Void) -> [Parameter] {
        var rows = Rows(group: group)
        fill(&rows)
        return rows.rows
    }
}
