internal import HTTP

/// An answer's content as it is written, as JSON or as XML of the same names. All values are text.
struct WeatherBytes {
    let isXML: Bool
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init(isXML: Bool) { self.isXML = isXML }

    /// The whole content: one outermost name, or in JSON none.
    static func document(isXML: Bool, _ name: StaticString?, _ body: (inout WeatherBytes) -> Void) -> [UInt8] {
        var output = WeatherBytes(isXML: isXML)
        if isXML {
            output.bytes.append(ascii: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
            output.element(name ?? "data", body)
        } else {
            output.bytes.append(UInt8(ascii: "{"))
            if let name { output.object(name, body) } else { body(&output) }
            output.bytes.append(UInt8(ascii: "}"))
        }
        return output.bytes
    }

    /// A value.
    mutating func text(_ name: StaticString, _ value: String) {
        if isXML { return element(name) { $0.bytes.append(escapingMarkup: value) } }
        key(name)
        quoted(value)
    }

    /// A number as text.
    mutating func text(_ name: StaticString, _ value: Int) {
        begin(name)
        number(value)
        end(name)
    }

    /// A number as text, with one decimal.
    mutating func tenths(_ name: StaticString, _ value: Double) {
        begin(name)
        decimals(value)
        end(name)
    }

    /// A value in a wrapper: `[{"value":"…"}]`.
    mutating func wrapped(_ name: StaticString, _ value: String) {
        if isXML { return text(name, value) }
        key(name)
        bytes.append(ascii: "[{\"value\":")
        quoted(value)
        bytes.append(ascii: "}]")
    }

    /// A number that in JSON is one.
    mutating func bare(_ name: StaticString, _ value: Int) {
        if isXML { return text(name, value) }
        key(name)
        number(value)
        needsComma = true
    }

    /// A list of one object.
    mutating func group(_ name: StaticString, _ body: (inout WeatherBytes) -> Void) {
        list(name) { output in output.item(name, body) }
    }

    /// A list; in XML its items have its name.
    mutating func list(_ name: StaticString, _ body: (inout WeatherBytes) -> Void) {
        if isXML { return body(&self) }
        key(name)
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// One object of a list.
    mutating func item(_ name: StaticString, _ body: (inout WeatherBytes) -> Void) {
        if isXML { return element(name, body) }
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// One object of a list, written before.
    mutating func splice(_ item: [UInt8]) {
        if !isXML, needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: item)
        needsComma = true
    }

    private mutating func object(_ name: StaticString, _ body: (inout WeatherBytes) -> Void) {
        key(name)
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    private mutating func element(_ name: StaticString, _ body: (inout WeatherBytes) -> Void) {
        tag(name, "<")
        body(&self)
        tag(name, "</")
    }

    private mutating func tag(_ name: StaticString, _ opening: StaticString) {
        bytes.append(ascii: opening)
        bytes.append(ascii: name)
        bytes.append(UInt8(ascii: ">"))
    }

    /// Up to where a plain value stands, and what follows it.
    private mutating func begin(_ name: StaticString) {
        if isXML { return tag(name, "<") }
        key(name)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func end(_ name: StaticString) {
        if isXML { return tag(name, "</") }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func key(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(ascii: name)
        bytes.append(ascii: "\":")
        needsComma = false
    }

    private mutating func quoted(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(escaping: value)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func number(_ value: Int) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: abs(value))
    }

    private mutating func decimals(_ value: Double) {
        let tenths = whole(value * 10)
        if tenths < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: abs(tenths) / 10)
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: abs(tenths) % 10)
    }
}

extension [UInt8] {
    mutating func append(escapingMarkup text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append(ascii: "&amp;")
            case UInt8(ascii: "<"): append(ascii: "&lt;")
            case UInt8(ascii: ">"): append(ascii: "&gt;")
            default: append(byte)
            }
        }
    }
}
