internal import HTTP

extension ExchangeFile {
    /// Reads a scenario.
    /// - Throws: the first mistake, with its line.
    public init(_ text: String) throws(Finding) {
        var reader = Reader(lines: text.split(separator: "\n", omittingEmptySubsequences: false))
        try reader.readHead()
        while let block = try reader.nextBlock() { try reader.take(block) }
        self = try reader.finish()
    }
}

/// The lines between two fences and what the fence says about them.
private struct Block {
    /// Of the opening fence.
    var line: Int
    /// The words behind the language.
    var words: [Substring]
    var lines: ArraySlice<Substring>

    /// The file's line of an index into `lines`.
    func number(_ index: Int) -> Int { index + 1 }
}

private struct Reader {
    typealias Finding = ExchangeFile.Finding

    let lines: [Substring]
    var position = 0
    var title = ""
    var contract: ExchangeFile.Contract?
    var contractLine = 1
    var publicURL = "http://gateway.example"
    var isDraining = false
    var kept = ExchangeFile.Kept.nothing
    var environment: [String: String] = [:]
    var scripted: [ExchangeFile.Scripted] = []
    var exchanges: [ExchangeFile.Exchange] = []

    init(lines: [Substring]) { self.lines = lines }

    /// `# Title`, an empty line, a sentence.
    mutating func readHead() throws(Finding) {
        guard let first = lines.first, first.hasPrefix("# "), first.count > 2 else {
            throw Finding(line: 1, text: "a file begins with its title: # …")
        }
        title = String(first.dropFirst(2))
        guard lines.count > 2, lines[1].isEmpty, let start = lines[2].first,
            start.isLetter || start.isNumber || start == "`"
        else {
            throw Finding(line: 3, text: "a sentence follows the title, after an empty line")
        }
        position = 2
    }

    /// The next fenced block; prose and headings between blocks are for people, but for the line that names the contract.
    mutating func nextBlock() throws(Finding) -> Block? {
        while position < lines.count {
            let line = lines[position]
            position += 1
            if line.hasPrefix("```") { return try block(line.dropFirst(3)) }
            if line.hasPrefix("Contract:") { try takeContract(line.dropFirst("Contract:".count)) }
        }
        return nil
    }

    private mutating func block(_ info: Substring) throws(Finding) -> Block {
        let start = position
        guard let end = lines[start...].firstIndex(where: { $0.hasPrefix("```") }), lines[end] == "```" else {
            throw Finding(line: start, text: "this block has no closing fence")
        }
        position = end + 1
        return Block(line: start, words: info.split(separator: " ").dropFirst().map(\.self), lines: lines[start..<end])
    }

    private mutating func takeContract(_ names: Substring) throws(Finding) {
        guard contract == nil else { throw Finding(line: position, text: "a second contract") }
        contractLine = position
        contract = .files(names.split(separator: ",").map { String(ASCII.trimmed($0)) })
    }

    mutating func take(_ block: Block) throws(Finding) {
        switch block.words.first {
        case "contract" where block.words.count == 1:
            guard contract == nil else { throw Finding(line: block.line, text: "a second contract") }
            contractLine = block.line
            contract = .inline(block.lines.joined(separator: "\n") + "\n")
        case "settings" where block.words.count == 1: try takeSettings(block)
        case "upstream" where block.words.count == 2: scripted.append(try readScripted(block))
        case "request": exchanges.append(try readRequest(block))
        case "answer": try takeAnswer(block)
        case "seen": try takeSeen(block)
        default:
            throw Finding(
                line: block.line,
                text: "unknown block; known: yaml contract, text settings, http upstream NAME, "
                    + "http request [after DURATION], "
                    + "http answer [abridged] [at DURATION], text seen by NAME [in order]")
        }
    }

    func finish() throws(Finding) -> ExchangeFile {
        guard let contract else { throw Finding(line: 1, text: "no contract") }
        guard !exchanges.isEmpty else { throw Finding(line: 1, text: "no request") }
        for exchange in exchanges where exchange.expected == nil {
            throw Finding(line: exchange.line, text: "no answer follows this request")
        }
        return ExchangeFile(
            title: title, contract: contract, contractLine: contractLine, publicURL: publicURL, isDraining: isDraining,
            kept: kept,
            environment: environment,
            scripted: scripted, exchanges: exchanges)
    }
}

extension Reader {
    private mutating func takeSettings(_ block: Block) throws(Finding) {
        for index in block.lines.indices {
            let (name, value) = try pair(block.lines[index], block.number(index))
            switch name {
            case "public-url": publicURL = value
            case "draining" where value == "yes": isDraining = true
            case "cache":
                guard let word = ExchangeFile.Kept(rawValue: value) else {
                    throw Finding(line: block.number(index), text: "all, upstream or off expected")
                }
                kept = word
            case "environment":
                let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw Finding(line: block.number(index), text: "NAME=value expected") }
                environment[String(parts[0])] = String(parts[1])
            default:
                throw Finding(
                    line: block.number(index),
                    text: "unknown setting; known: public-url: ADDRESS, draining: yes, cache: all, "
                        + "environment: NAME=value")
            }
        }
    }

    private func readScripted(_ block: Block) throws(Finding) -> ExchangeFile.Scripted {
        var rest = block.lines
        let (method, target) = try requestLine(rest.popFirst(), block.line + 1)
        var delay = Duration.zero
        if let line = rest.first, line.hasPrefix("after ") {
            delay = try duration(line.dropFirst("after ".count), block.number(rest.startIndex))
            rest = rest.dropFirst()
        }
        let line = block.number(rest.startIndex)
        guard let first = rest.popFirst() else { throw Finding(line: line, text: "a status is missing") }
        let outcome: Result<Response, GatewayError>
        if first.hasPrefix("fails ") {
            outcome = .failure(try failure(first, rest, block))
        } else {
            outcome = .success(try response(first, rest, line))
        }
        return ExchangeFile.Scripted(
            line: block.line, upstream: String(block.words[1]), request: method.rawValue + " " + target,
            answer: ScriptedUpstream.Answer(outcome, delay: delay))
    }

    /// `fails 504 upstream-timeout`: what the upstream client throws where there is no answer.
    private func failure(
        _ line: Substring, _ rest: ArraySlice<Substring>, _ block: Block
    ) throws(Finding) -> GatewayError {
        let words = line.split(separator: " ")
        guard words.count == 3, let status = Int(words[1]).flatMap({ Status(code: $0) }) else {
            throw Finding(line: block.number(rest.startIndex) - 1, text: "expected: fails STATUS CODE")
        }
        let name = String(block.words[1])
        var error = GatewayError(
            source: .upstream(name), code: String(words[2]), status: status,
            detail: "The upstream \(name) gives no answer.")
        for index in rest.indices {
            let (field, value) = try pair(rest[index], block.number(index))
            guard field == "Retry-After", let seconds = Int(value) else {
                throw Finding(line: block.number(index), text: "expected: Retry-After: SECONDS")
            }
            error.retryAfter = seconds
        }
        return error
    }

    private func response(
        _ statusLine: Substring, _ rest: ArraySlice<Substring>, _ line: Int
    ) throws(Finding) -> Response {
        guard let status = Int(statusLine).flatMap({ Status(code: $0) }) else {
            throw Finding(line: line, text: "a status of three digits, or \"fails STATUS CODE\", expected")
        }
        let (lines, body) = head(rest)
        var fields = Fields()
        for index in lines.indices {
            let (name, value) = try pair(lines[index], index + 1)
            guard let name = FieldName(name), fields.append(name, value) else {
                throw Finding(line: index + 1, text: "no field name and value")
            }
        }
        return Response(status: status, fields: fields, body: body.map { .bytes(Array($0.utf8)) } ?? .none)
    }

    private func readRequest(_ block: Block) throws(Finding) -> ExchangeFile.Exchange {
        var delay = Duration.zero
        if block.words.count == 3, block.words[1] == "after" {
            delay = try duration(block.words[2], block.line)
        } else if block.words.count != 1 {
            throw Finding(line: block.line, text: "expected: request [after DURATION]")
        }
        var rest = block.lines
        let (method, target) = try requestLine(rest.popFirst(), block.line + 1)
        var fields: [(name: FieldName, value: String)] = []
        let (lines, body) = head(rest)
        rest = lines
        for index in rest.indices {
            let (name, value) = try pair(rest[index], block.number(index))
            guard let name = FieldName(name) else { throw Finding(line: block.number(index), text: "no field name") }
            fields.append((name, value))
        }
        return ExchangeFile.Exchange(
            line: block.line, method: method, target: target, delay: delay, fields: fields, body: body)
    }

    private mutating func takeAnswer(_ block: Block) throws(Finding) {
        guard exchanges.last?.expected == nil, !exchanges.isEmpty else {
            throw Finding(line: block.line, text: "an answer without a request before it")
        }
        var words = block.words.dropFirst()
        let isAbridged = words.first == "abridged"
        if isAbridged { words = words.dropFirst() }
        var time: Duration?
        if words.count == 2, words.first == "at", let text = words.last {
            time = try duration(text, block.line)
            words = []
        }
        guard words.isEmpty else { throw Finding(line: block.line, text: "expected: answer [abridged] [at DURATION]") }
        var rest = block.lines
        guard let status = rest.popFirst().flatMap({ Int($0) }), (100...599).contains(status) else {
            throw Finding(line: block.line + 1, text: "a status of three digits expected")
        }
        let (lines, body) = head(rest)
        var checks: [ExchangeFile.FieldCheck] = []
        for index in lines.indices { checks.append(try check(lines[index], block.number(index))) }
        exchanges[exchanges.count - 1].expected = ExchangeFile.Expected(
            line: block.line, status: status, fields: checks, body: body, isAbridged: isAbridged, time: time)
    }

    /// A line for each request, below it indented lines for its fields and its content.
    private mutating func takeSeen(_ block: Block) throws(Finding) {
        guard !exchanges.isEmpty else { throw Finding(line: block.line, text: "nothing was asked yet") }
        let words = block.words
        let isOrdered = words.count == 5 && words[3] == "in" && words[4] == "order"
        guard words.count == 3 || isOrdered, words[1] == "by" else {
            throw Finding(line: block.line, text: "expected: seen by NAME [in order]")
        }
        var requests: [ExchangeFile.Seen.Request] = []
        for index in block.lines.indices {
            let line = block.lines[index]
            if line.hasPrefix("  = "), !requests.isEmpty {
                requests[requests.count - 1].body = (block.number(index), String(line.dropFirst(4)))
            } else if line.hasPrefix("  "), !requests.isEmpty {
                requests[requests.count - 1].fields.append(try check(line.dropFirst(2), block.number(index)))
            } else {
                let (method, target) = try requestLine(line, block.number(index))
                requests.append(ExchangeFile.Seen.Request(text: method.rawValue + " " + target))
            }
        }
        exchanges[exchanges.count - 1].seen.append(
            ExchangeFile.Seen(
                line: block.line, upstream: String(words[2]), isOrdered: isOrdered, requests: requests))
    }

    // MARK: Pieces

    /// What stands before the first empty line, and the text behind it; nil where there is no empty line.
    private func head(_ lines: ArraySlice<Substring>) -> (fields: ArraySlice<Substring>, body: String?) {
        guard let gap = lines.firstIndex(of: "") else { return (lines, nil) }
        return (lines[..<gap], lines[(gap + 1)...].joined(separator: "\n"))
    }

    private func requestLine(_ line: Substring?, _ number: Int) throws(Finding) -> (Method, String) {
        let words = (line ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let method = Method(rawValue: String(words[0])),
            words[1].hasPrefix("/") || words[1] == "*"
        else { throw Finding(line: number, text: "expected: METHOD /path") }
        return (method, String(words[1]))
    }

    /// `Name: value`, `Name: …` or `-Name`.
    private func check(_ line: Substring, _ number: Int) throws(Finding) -> ExchangeFile.FieldCheck {
        if line.hasPrefix("-"), let name = FieldName(String(line.dropFirst())) {
            return ExchangeFile.FieldCheck(line: number, name: name, rule: .absent)
        }
        let (text, value) = try pair(line, number)
        guard let name = FieldName(text) else { throw Finding(line: number, text: "no field name") }
        return ExchangeFile.FieldCheck(line: number, name: name, rule: value == "…" ? .anyValue : .value(value))
    }

    private func pair(_ line: Substring, _ number: Int) throws(Finding) -> (String, String) {
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
            throw Finding(line: number, text: "expected: name: value")
        }
        return (String(line[..<colon]), String(ASCII.trimmed(line[line.index(after: colon)...])))
    }

    private func duration(_ text: Substring, _ number: Int) throws(Finding) -> Duration {
        guard text.hasSuffix("ms"), let count = Int(text.dropLast(2)), (0...1_000_000).contains(count) else {
            throw Finding(line: number, text: "a duration such as 50ms expected")
        }
        return .milliseconds(count)
    }
}
