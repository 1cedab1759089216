/// A second parser, made from the RFC's grammar and slow: regular expressions over whole messages, one character a byte. It shares
/// nothing with the real one, so that a rule that one of them has wrong shows up as a difference.
///
/// It sees complete heads and chunks only: what it calls incomplete, the real parser may already refuse.
struct ReferenceParser {
    enum Verdict: Equatable {
        case refused
        case incomplete
        case clean
    }

    private(set) var messages: [ParserOutcome.Message] = []
    private(set) var verdict = Verdict.clean
    private var rest: Substring.UnicodeScalarView
    private let grammar: Grammar

    private struct Refused: Error {}
    private struct Incomplete: Error {}

    init(_ input: [UInt8], _ grammar: Grammar) {
        self.grammar = grammar
        let text = String(String.UnicodeScalarView(input.map { Unicode.Scalar($0) }))
        rest = Substring(text).unicodeScalars
        do {
            while try readMessage() {}
        } catch is Refused {
            verdict = .refused
        } catch {
            verdict = .incomplete
        }
    }

    // MARK: Messages

    /// False where nothing is left.
    private mutating func readMessage() throws -> Bool {
        var empty = 0
        while rest.starts(with: "\r\n".unicodeScalars) {
            rest = rest.dropFirst(2)
            empty += 1
            if empty > 4 { throw Refused() }
        }
        guard !rest.isEmpty else { return false }
        var lines: [String] = []
        repeat { lines.append(try readLine()) } while lines.last?.isEmpty == false
        lines.removeLast()
        let framing = try readHead(lines)
        switch framing {
        case "": messages[messages.count - 1].isComplete = true
        case "chunked": try readChunks()
        default: try readContent(Int(framing) ?? 0)
        }
        return true
    }

    /// The text before the next CRLF.
    private mutating func readLine() throws -> String {
        guard let cr = rest.firstRange(of: "\r\n".unicodeScalars) else { throw Incomplete() }
        defer { rest = rest[cr.upperBound...] }
        return String(String.UnicodeScalarView(rest[..<cr.lowerBound]))
    }

    /// Adds the message; the length, `chunked`, or nothing.
    private mutating func readHead(_ lines: [String]) throws -> String {
        guard let first = lines.first, let line = grammar.match(first, grammar.line), line[3] == "1" else {
            throw Refused()
        }
        guard ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(line[1]) else { throw Refused() }
        guard first.unicodeScalars.count <= 8192, lines.count <= 101 else { throw Refused() }
        guard lines.reduce(2, { $0 + $1.unicodeScalars.count + 2 }) <= 32_768 else { throw Refused() }
        var fields: [(name: String, value: String)] = []
        for text in lines.dropFirst() {
            guard let field = grammar.match(text, grammar.field) else { throw Refused() }
            fields.append((field[1], field[2]))
        }
        func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }
        func elements(_ name: String) -> [String] {
            values(name).flatMap { $0.lowercased().split(separator: ",") }
                .map { $0.trimmingPrefix { " \t".contains($0) } }
                .map { String($0.reversed().trimmingPrefix { " \t".contains($0) }.reversed()) }.filter { !$0.isEmpty }
        }
        let isVersion10 = line[4] == "0"
        let (target, authority) = try target(line[2], line[1], values("host"), isVersion10)
        let framing = try framing(values("transfer-encoding"), values("content-length"), isVersion10)
        let options = elements("connection")
        let expectations = isVersion10 ? [] : elements("expect")
        guard expectations.allSatisfy({ $0 == "100-continue" }) else { throw Refused() }
        let dropped =
            options.filter { $0 != "close" && $0 != "keep-alive" } + [
                "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
                "content-length", "expect",
            ]
        messages.append(
            ParserOutcome.Message(
                line: "\(line[1]) \(target) \(isVersion10 ? "1.0" : "1.1")", authority: authority,
                fields: fields.filter { !dropped.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" },
                keepsAlive: !options.contains("close") && (!isVersion10 || options.contains("keep-alive")),
                expectsContinue: !expectations.isEmpty && framing != ""))
        return framing
    }

    private func target(
        _ text: String, _ method: String, _ hosts: [String], _ isVersion10: Bool
    ) throws -> (String, String?) {
        guard hosts.count == 1 || (isVersion10 && hosts.isEmpty) else { throw Refused() }
        let host = try hosts.first.map(parts)
        if text == "*" {
            guard method == "OPTIONS" else { throw Refused() }
            return (text, hosts.first)
        }
        if grammar.match(text, grammar.origin) != nil { return (text, hosts.first) }
        guard let groups = grammar.match(text, grammar.absolute) else { throw Refused() }
        let named = try parts(groups[2])
        let standard = groups[1].count == 5 ? 443 : 80
        guard let host, named.name == host.name, named.port ?? standard == host.port ?? standard else {
            throw Refused()
        }
        return (groups[3].hasPrefix("/") ? groups[3] : "/" + groups[3], groups[2])
    }

    private func parts(_ text: String) throws -> (name: String, port: Int?) {
        guard let groups = grammar.match(text, grammar.authority) else { throw Refused() }
        let colons = groups[1].filter { $0 == ":" }.count
        guard !groups[1].hasPrefix("[") || ((2...7).contains(colons) && groups[1].count <= 47) else { throw Refused() }
        let port = groups[2].isEmpty ? nil : Int(groups[2])
        guard port ?? 0 <= 65_535 else { throw Refused() }
        return (groups[1].lowercased(), port)
    }

    private func framing(_ codings: [String], _ lengths: [String], _ isVersion10: Bool) throws -> String {
        if let coding = codings.first {
            guard codings.count == 1, lengths.isEmpty, !isVersion10, coding.lowercased() == "chunked" else {
                throw Refused()
            }
            return "chunked"
        }
        guard let length = lengths.first else { return "" }
        guard lengths.count == 1, length.count <= 19, length.allSatisfy({ "0123456789".contains($0) }),
            let count = Int(length),
            count <= 1_048_576
        else { throw Refused() }
        return count == 0 ? "" : String(count)
    }

    // MARK: Content

    private mutating func readContent(_ count: Int) throws {
        messages[messages.count - 1].body += rest.prefix(count).map { UInt8(truncatingIfNeeded: $0.value) }
        guard rest.count >= count else { throw Incomplete() }
        rest = rest.dropFirst(count)
        messages[messages.count - 1].isComplete = true
    }

    private mutating func readChunks() throws {
        var (total, extensions) = (0, 0)
        while true {
            guard let groups = grammar.match(try readLine(), grammar.chunk), let size = Int(groups[1], radix: 16) else {
                throw Refused()
            }
            total += min(size, 10_000_000)
            extensions += groups[2].unicodeScalars.count
            guard total <= 1_048_576, groups[2].unicodeScalars.count <= 256, extensions <= 4096 else { throw Refused() }
            if size == 0 { break }
            messages[messages.count - 1].body += rest.prefix(size).map { UInt8(truncatingIfNeeded: $0.value) }
            guard rest.count >= size + 2 else { throw Incomplete() }
            rest = rest.dropFirst(size)
            guard rest.starts(with: "\r\n".unicodeScalars) else { throw Refused() }
            rest = rest.dropFirst(2)
        }
        var bytes = 0
        var count = 0
        while true {
            let line = try readLine()
            bytes += line.unicodeScalars.count + 2
            count += 1
            guard bytes <= 8192 else { throw Refused() }
            if line.isEmpty { break }
            guard count <= 100, grammar.match(line, grammar.field) != nil else { throw Refused() }
        }
        messages[messages.count - 1].isComplete = true
    }
}

/// The rules of RFC 9110, 9112 and 3986 as regular expressions, one character a byte.
struct Grammar {
    private static let token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
    let line = Self.expression("(\(Self.token)) ([!-~]+) HTTP/([0-9])\\.([0-9])")
    let field = Self.expression(
        "(\(Self.token)):[ \\t]*((?:[!-~\\u0080-\\u00FF](?:[\\t -~\\u0080-\\u00FF]*[!-~\\u0080-\\u00FF])?)?)[ \\t]*")
    let origin = Self.expression("/(?:[!-\"$&-~]|%[0-9A-Fa-f]{2})*")
    let absolute = Self.expression("([hH][tT][tT][pP][sS]?)://([^/?#]*)((?:[/?](?:[!-\"$&-~]|%[0-9A-Fa-f]{2})*)?)")
    let authority = Self.expression("(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9\\-._~]+)(?::([0-9]{0,5}))?")
    let chunk = Self.expression("([0-9A-Fa-f]{1,16})((?:[ \\t]*;[\\t -~\\u0080-\\u00FF]*)?)")

    private static func expression(_ pattern: String) -> Regex<AnyRegexOutput> {
        guard let regex = try? Regex(pattern) else { preconditionFailure(pattern) }
        return regex.matchingSemantics(.unicodeScalar)
    }

    /// The groups of a match of the whole text; nil where there is none.
    func match(_ text: String, _ regex: Regex<AnyRegexOutput>) -> [String]? {
        guard let match = try? regex.wholeMatch(in: text) else { return nil }
        return match.output.map { $0.substring.map(String.init) ?? "" }
    }
}
