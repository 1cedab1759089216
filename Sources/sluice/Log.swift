internal import Gateway
internal import Glibc
internal import HTTP
internal import JSON
internal import Loop

/// Log lines on stderr, for people or as one JSON object a line. Lines name a route by its template, never by its address, so that no
/// parameter, query or credential is in them. Any thread may log; lines of exchanges are gathered and written by ``flush()``.
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
    private let gathered = Locked<[UInt8]>([])

    init(level: String, format: String) {
        self.level = Level(name: level) ?? .info
        isJSON = format == "json"
    }

    /// Writes a line at once.
    func write(_ level: Level, _ message: String) {
        guard level.rawValue <= self.level.rawValue else { return }
        let line = line(level, [("message", .text(message))])
        Terminal.write(gathered.withLock { $0.take() } + line, to: STDERR_FILENO)
    }

    /// Notes an exchange.
    func note(_ record: ExchangeRecord) {
        let level: Level = record.status.code >= 500 ? .warning : .info
        guard level.rawValue <= self.level.rawValue else { return }
        let parts = record.total.components
        let microseconds = Int(parts.seconds) * 1_000_000 + Int(parts.attoseconds / 1_000_000_000_000)
        var members: [(String, Value)] = [
            ("method", .text(record.method.rawValue)), ("route", .text(record.route ?? "-")),
            ("status", .number(Int(record.status.code))), ("microseconds", .number(microseconds)),
            ("calls", .number(record.calls)),
        ]
        if record.missingParts > 0 { members.append(("missing", .number(record.missingParts))) }
        if let failure = record.failure { members.append(("code", .text(failure))) }
        members.append(("id", .text(record.id)))
        let line = line(level, members)
        let full = gathered.withLock { lines -> [UInt8]? in
            lines += line
            return lines.count > 16 << 10 ? lines.take() : nil
        }
        if let full { Terminal.write(full, to: STDERR_FILENO) }
    }

    /// Writes what was gathered.
    func flush() {
        let lines = gathered.withLock { $0.take() }
        if !lines.isEmpty { Terminal.write(lines, to: STDERR_FILENO) }
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
            case .text(let text): ["message", "method", "route"].contains(name) ? text : "\(name)=\(text)"
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
