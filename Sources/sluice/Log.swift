internal import Gateway
internal import Glibc
internal import HTTP
internal import JSON
internal import Threads
internal import Upstream

/// Log lines on stderr, for people or as one JSON object a line. Lines name a route by its template, never by its address, so that no
/// parameter, query or credential is in them; those of a plain mirror, which has no routes and no credentials, have the path without its query. Any thread may log, and none waits for whoever reads the lines: they are gathered, written as
/// fast as they are taken, and dropped and counted where that is too slow.
final class Log: Sendable {
    enum Level: Int {
        case error, warning, info, debug

        /// Nil for another word than the four names.
        init?(name: String) {
            switch name {
            case "error": self = .error
            case "warning": self = .warning
            case "info": self = .info
            case "debug": self = .debug
            default: return nil
            }
        }
        var name: String { "\(self)" }
    }

    let level: Level
    private let isJSON: Bool
    private let gathered = Locked(Gathered())

    private struct Gathered {
        var lines: [UInt8] = []
        /// A thread is at it; lines must not be mixed.
        var isBeingWritten = false
        var dropped = 0
    }

    /// Bytes that wait at the most, and how many are worth a write.
    private static let limit = 4 << 20
    private static let worthWriting = 16 << 10

    /// Lines that nobody took in time.
    var droppedLines: Int { gathered.withLock { $0.dropped } }

    init(level: String, format: String) {
        self.level = Level(name: level) ?? .info
        isJSON = format == "json"
    }

    /// Writes a line at once.
    func write(_ level: Level, _ message: String) {
        guard level.rawValue <= self.level.rawValue else { return }
        gather(line(level, [("message", .text(message))]))
        flush()
    }

    /// Notes an exchange.
    func note(_ record: ExchangeRecord) {
        let level: Level = max(record.status.code, record.lateStatus?.code ?? 0) >= 500 ? .warning : .info
        guard level.rawValue <= self.level.rawValue else { return }
        var members: [(String, Value)] = [
            ("method", .text(record.method.rawValue)),
            record.path.map { ("path", .text($0)) } ?? ("route", .text(record.route ?? "-")),
            ("status", .number(Int(record.status.code))), ("microseconds", .number(Log.microseconds(record.total))),
            ("calls", .number(record.calls)),
        ]
        if let cache = record.cache { members.append(("cache", .text(cache))) }
        if record.missingParts > 0 { members.append(("missing", .number(record.missingParts))) }
        if let failure = record.failure { members.append(("code", .text(failure))) }
        if let late = record.lateStatus { members.append(("problem", .number(Int(late.code)))) }
        members.append(("id", .text(record.id)))
        gather(line(level, members))
    }

    private func gather(_ line: [UInt8]) {
        let isFull = gathered.withLock { gathered in
            guard gathered.lines.count + line.count <= Log.limit else {
                gathered.dropped += 1
                return false
            }
            gathered.lines += line
            return gathered.lines.count > Log.worthWriting
        }
        if isFull { flush() }
    }

    private static func microseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return Int(clamping: parts.seconds) * 1_000_000 + Int(parts.attoseconds / 1_000_000_000_000)
    }

    /// Notes an attempt of an upstream request.
    func note(_ attempt: UpstreamAttempt) {
        guard level.rawValue >= Level.debug.rawValue else { return }
        var members: [(String, Value)] = [
            ("method", .text(attempt.method.rawValue)), ("url", .text(attempt.url)),
            ("upstream", .text(attempt.upstream)),
        ]
        if let status = attempt.status { members.append(("status", .number(Int(status.code)))) }
        if let failure = attempt.failure { members.append(("code", .text(failure))) }
        members += [
            ("bytes", .number(attempt.bytes)), ("microseconds", .number(Log.microseconds(attempt.duration))),
            ("attempt", .number(attempt.number)), ("id", .text(attempt.id)),
        ]
        gather(line(.debug, members))
    }

    /// Writes as much of what was gathered as is taken at once.
    func flush() {
        let lines = gathered.withLock { gathered -> [UInt8] in
            if gathered.isBeingWritten || gathered.lines.isEmpty { return [] }
            gathered.isBeingWritten = true
            return gathered.lines.take()
        }
        if lines.isEmpty { return }
        let written = Terminal.writeNow(lines, to: STDERR_FILENO)
        gathered.withLock { gathered in
            gathered.isBeingWritten = false
            if written < lines.count { gathered.lines = lines[written...] + gathered.lines }
        }
    }

    /// Writes the last lines, for which it waits a second at the most.
    func finish() {
        for _ in 0..<100 {
            flush()
            if gathered.withLock({ $0.lines.isEmpty && !$0.isBeingWritten }) { return }
            poll(nil, 0, 10)
        }
    }

    private enum Value {
        case text(String)
        case number(Int)
    }

    private func line(_ level: Level, _ members: [(String, Value)]) -> [UInt8] {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = Log.timestamp(now)
        if isJSON {
            return JSONWriter.object { object in
                object.member("time", time)
                object.member("level", level.name)
                for (name, value) in members {
                    switch value {
                    case .text(let text): object.member(name, text)
                    case .number(let number): object.member(name, number)
                    }
                }
            } + [0x0A]
        }
        let texts = members.map { name, value in
            switch value {
            case .text(let text):
                ["message", "method", "route", "path", "url"].contains(name) ? text : "\(name)=\(text)"
            case .number(let number): name == "status" ? String(number) : "\(name)=\(number)"
            }
        }
        // A line stays one line, whatever was put into it.
        let text = ([time, level.name] + texts).joined(separator: " ")
        return text.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 } + [0x0A]
    }

    /// RFC 3339, UTC, with milliseconds.
    private static func timestamp(_ time: timespec) -> String {
        var seconds = time.tv_sec
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let date = [
            digits(Int(parts.tm_year) + 1900, 4), digits(Int(parts.tm_mon) + 1, 2), digits(Int(parts.tm_mday), 2),
        ]
        let clock = [digits(Int(parts.tm_hour), 2), digits(Int(parts.tm_min), 2), digits(Int(parts.tm_sec), 2)]
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "."
            + digits(time.tv_nsec / 1_000_000, 3) + "Z"
    }
}

extension [UInt8] {
    /// The bytes, leaving none behind.
    fileprivate mutating func take() -> [UInt8] {
        defer { self = [] }
        return self
    }
}
