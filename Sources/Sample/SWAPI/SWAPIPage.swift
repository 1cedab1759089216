/// What a browser gets in place of JSON.
enum SWAPIPage {
    /// A page that shows `json`, indented.
    static func bytes(json: [UInt8]) -> [UInt8] {
        Array("<!doctype html>\n<meta charset=\"utf-8\">\n<title>SWAPI</title>\n<pre>".utf8)
            + escaped(indented(json)) + Array("</pre>\n".utf8)
    }

    /// A page that says why there is nothing to show.
    static func bytes(title: String) -> [UInt8] {
        Array("<!doctype html>\n<title>\(title)</title>\n<h1>\(title)</h1>\n".utf8)
    }

    /// Compact JSON with a line for each member and element.
    private static func indented(_ json: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var depth = 0
        var isInString = false
        var previous = UInt8(ascii: " ")
        func breakLine() { output.append(contentsOf: [0x0A] + [UInt8](repeating: 0x20, count: 4 * depth)) }
        for byte in json {
            if isInString {
                output.append(byte)
                let isEscaped = previous == UInt8(ascii: "\\")
                if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
                previous = isEscaped ? UInt8(ascii: " ") : byte
                continue
            }
            let opens = previous == UInt8(ascii: "{") || previous == UInt8(ascii: "[")
            switch byte {
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                if !opens { breakLine() }
            default:
                if opens || previous == UInt8(ascii: ",") { breakLine() }
            }
            output.append(byte)
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: ":") { output.append(0x20) }
            if byte == UInt8(ascii: "\"") { isInString = true }
            previous = byte
        }
        return output
    }

    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            default: [byte]
            }
        }
    }
}
