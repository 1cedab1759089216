internal import HTTP

/// What an answer says, before it is JSON or XML.
indirect enum ImgurValue: Sendable {
    case null
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([ImgurValue])
    case members([Member])

    typealias Member = (StaticString, ImgurValue)

    /// A text, or null.
    static func optional(_ text: String?) -> ImgurValue { text.map { .text($0) } ?? .null }

    /// - Parameter escapesSlashes: whether `/` is `\/`, as PHP writes it.
    func json(escapesSlashes: Bool) -> [UInt8] {
        var output = JSONBytes()
        write(to: &output)
        // A slash stands in texts alone, where a backslash in front of it is right.
        guard escapesSlashes else { return output.bytes }
        return output.bytes.flatMap { $0 == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    private func write(to output: inout JSONBytes) {
        switch self {
        case .null: output.token("null")
        case .flag(let flag): output.token(flag ? "true" : "false")
        case .number(let number): output.token(String(number))
        case .text(let text): output.string(text)
        case .list(let items):
            output.array { output in
                for item in items { item.write(to: &output) }
            }
        case .members(let members):
            output.object { output in
                for (name, value) in members { output.member(name) { value.write(to: &$0) } }
            }
        }
    }

    /// Appends the content of an XML element: flags are `true` and `false`, null is nothing, items of a list are called `item`.
    func writeXML(to output: inout [UInt8]) {
        switch self {
        case .null: break
        case .flag(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let number): output.append(contentsOf: String(number).utf8)
        case .text(let text): output.append(escapingMarkup: text)
        case .list(let items):
            for item in items { Self.writeElement("item", item, to: &output) }
        case .members(let members):
            for (name, value) in members { Self.writeElement(name, value, to: &output) }
        }
    }

    private static func writeElement(_ name: StaticString, _ value: ImgurValue, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "<"))
        output.append(ascii: name)
        output.append(UInt8(ascii: ">"))
        value.writeXML(to: &output)
        output.append(ascii: "</")
        output.append(ascii: name)
        output.append(UInt8(ascii: ">"))
    }
}
