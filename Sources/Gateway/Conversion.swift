internal import HTTP
internal import JSON
internal import Plan

/// A scalar of an upstream's answer.
enum FoundScalar: Equatable {
    case text(String)
    /// As it is written.
    case number(String)
    case flag(Bool)
}

/// The type that a scalar is brought to. The conversion is total: what it has no rule for has no value, and nothing is guessed. The
/// table of `docs/shapes.md` says the same.
struct ScalarSchema: Sendable {
    /// `string`, `integer`, `number` and `boolean` in the contract's order.
    let types: [SchemaNode.ValueType]
    let format: String?
    let rules: ValueRules

    /// A text that is to be a number may not be longer.
    private static let longestNumber = 64

    init(types: [SchemaNode.ValueType], format: String? = nil, rules: ValueRules = ValueRules()) {
        self.types = types.filter { $0 != .object && $0 != .array && $0 != .null }
        self.format = format
        self.rules = rules
        let hasNoList = rules.allowed == nil && rules.refused.isEmpty
        let isPlain =
            self.types.contains(.string) && !(format.map(ScalarSchema.formats.contains) ?? false) && hasNoList
            && rules.patterns.isEmpty && rules.refusedPatterns.isEmpty && rules.maximumLength == nil
        takesAnyText = isPlain && rules.minimumLength ?? 0 == 0
        takesFilledText = isPlain && rules.minimumLength ?? 0 <= 1
        takesAnyNumber =
            self.types.contains(.number) && hasNoList && rules.minimum == nil && rules.maximum == nil
            && rules.exclusiveMinimum == nil && rules.exclusiveMaximum == nil
    }

    /// Whether a text stays as it is, whatever it says: every one, or every one that isn't empty.
    let takesAnyText: Bool
    let takesFilledText: Bool
    /// Whether a number stays as it is, whatever it says.
    let takesAnyNumber: Bool

    private static let formats: Set<String> = ["date", "date-time", "date-time-local", "time-local", "uri"]

    /// The value as JSON; nil where it can't be brought to any of the types.
    func converted(_ value: FoundScalar) -> [UInt8]? {
        // A type that the value has already comes before one that it has to be brought to.
        let own = types.filter { ScalarSchema.has(value, $0) }
        for type in own + types.filter({ !own.contains($0) }) {
            if let json = converted(value, to: type) { return json }
        }
        return nil
    }

    private static func has(_ value: FoundScalar, _ type: SchemaNode.ValueType) -> Bool {
        switch (value, type) {
        case (.text, .string), (.number, .number), (.number, .integer), (.flag, .boolean): true
        default: false
        }
    }

    private func converted(_ value: FoundScalar, to type: SchemaNode.ValueType) -> [UInt8]? {
        switch (type, value) {
        case (.string, .text(let text)), (.string, .number(let text)):
            return formatted(text).flatMap { accepts(text: $0) ? JSONText.quoted($0) : nil }
        case (.number, .text(let text)):
            return ScalarSchema.decimal(text).flatMap(accepted)
        case (.number, .number(let token)): return accepted(token)
        case (.integer, .text(let text)):
            return ScalarSchema.decimal(text).flatMap(ScalarSchema.whole).flatMap(accepted)
        case (.integer, .number(let token)): return ScalarSchema.whole(token).flatMap(accepted)
        case (.boolean, .flag(let flag)): return accepted(flag ? "true" : "false")
        case (.boolean, .text("true")): return accepted("true")
        case (.boolean, .text("false")): return accepted("false")
        default: return nil
        }
    }

    // MARK: Numbers

    /// The number that a text spells: an optional minus, digits without a needless zero, perhaps a point and digits. No exponent, no
    /// white space, no separators, no plus.
    private static func decimal(_ text: String) -> String? {
        var rest = text.utf8[...]
        guard rest.count <= longestNumber else { return nil }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let whole = rest.prefix(while: ASCII.isDigit)
        guard !whole.isEmpty, whole.first != UInt8(ascii: "0") || whole.count == 1 else { return nil }
        rest = rest.dropFirst(whole.count)
        var isZero = whole.allSatisfy { $0 == UInt8(ascii: "0") }
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst()
            guard !fraction.isEmpty, fraction.allSatisfy(ASCII.isDigit) else { return nil }
            isZero = isZero && fraction.allSatisfy { $0 == UInt8(ascii: "0") }
            rest = rest.prefix(0)
        }
        guard rest.isEmpty else { return nil }
        return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
    }

    /// The digits of a JSON number that has no fraction (`5`, `5.0`, `5e2`); nil for any other, and for one with an exponent that is longer
    /// than 18 digits.
    static func whole(_ token: String) -> String? {
        let isNegative = token.hasPrefix("-")
        let bytes = Array(token.utf8.drop { $0 == UInt8(ascii: "-") })
        let parts = bytes.split(
            maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 | 0x20 == UInt8(ascii: "e") })
        guard let mantissa = parts.first else { return nil }
        let halves = mantissa.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = halves.first else { return nil }
        var digits = Array(head)
        var fraction = Array(halves.dropFirst().first ?? [])
        if parts.count == 2 {
            guard let exponent = Int(String(decoding: parts[1], as: UTF8.self)), (-18...18).contains(exponent),
                digits.count <= 18
            else {
                return isZero(digits + fraction) ? "0" : nil
            }
            if exponent >= 0 {
                let moved = fraction.prefix(exponent)
                digits += moved + [UInt8](repeating: UInt8(ascii: "0"), count: exponent - moved.count)
                fraction.removeFirst(moved.count)
            } else {
                let moved = digits.suffix(-exponent)
                fraction = [UInt8](repeating: UInt8(ascii: "0"), count: -exponent - moved.count) + moved + fraction
                digits.removeLast(moved.count)
            }
        }
        guard isZero(fraction) else { return nil }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        if significant.isEmpty { return "0" }
        return (isNegative ? "-" : "") + String(decoding: significant, as: UTF8.self)
    }

    private static func isZero(_ digits: [UInt8]) -> Bool { digits.allSatisfy { $0 == UInt8(ascii: "0") } }

    private func accepted(_ token: String) -> [UInt8]? {
        guard accepts(token: token) else { return nil }
        return Array(token.utf8)
    }

    private func accepts(token: String) -> Bool {
        if let allowed = rules.allowed, !ScalarSchema.contains(allowed, token) { return false }
        if ScalarSchema.contains(rules.refused, token) { return false }
        guard rules.minimum ?? rules.maximum ?? rules.exclusiveMinimum ?? rules.exclusiveMaximum != nil else {
            return true
        }
        guard let number = Double(token) else { return false }
        if let minimum = rules.minimum, number < minimum { return false }
        if let maximum = rules.maximum, number > maximum { return false }
        if let minimum = rules.exclusiveMinimum, number <= minimum { return false }
        if let maximum = rules.exclusiveMaximum, number >= maximum { return false }
        return true
    }

    /// Numbers are the same however they are written.
    private static func contains(_ values: Set<ValueRules.Scalar>, _ token: String) -> Bool {
        if values.isEmpty { return false }
        if values.contains(.token(token)) { return true }
        guard let number = Double(token) else { return false }
        return values.contains { if case .token(let other) = $0 { Double(other) == number } else { false } }
    }

    // MARK: Texts

    private func accepts(text: String) -> Bool {
        if let allowed = rules.allowed, !allowed.contains(.text(text)) { return false }
        if rules.refused.contains(.text(text)) { return false }
        if rules.minimumLength != nil || rules.maximumLength != nil {
            let length = text.unicodeScalars.count
            if let least = rules.minimumLength, length < least { return false }
            if let most = rules.maximumLength, length > most { return false }
        }
        return rules.patterns.allSatisfy { $0.matches(text) } && !rules.refusedPatterns.contains { $0.matches(text) }
    }

    private func formatted(_ text: String) -> String? {
        switch format {
        case "date": moment(text)?.date.text
        case "date-time": moment(text)?.dateTime
        case "date-time-local": moment(text)?.local
        case "time-local": CivilTime(text)?.text ?? CivilMoment(text)?.time?.text
        case "uri": ScalarSchema.address(text, isSecure: isSecure)
        default: text
        }
    }

    private func moment(_ text: String) -> CivilMoment? {
        guard let moment = CivilMoment(text) else { return nil }
        if let earliest = rules.earliest, moment.date < earliest { return nil }
        if let latest = rules.latest, moment.date > latest { return nil }
        return moment
    }

    // MARK: Addresses

    /// Whether the contract takes https addresses only, so that http ones are turned into them.
    private var isSecure: Bool { rules.patterns.contains { $0.isAtStart && $0.text == "https://" } }

    /// A URI (RFC 3986) with a scheme; for http and https also with a host. Bytes that are no ASCII are percent-encoded (RFC 3987, section
    /// 3.1); white space, control characters and what no URI may hold make it none.
    static func address(_ text: String, isSecure: Bool) -> String? {
        var text = text
        if isSecure {
            if text.hasPrefix("//") { text = "https:" + text }
            if text.utf8.count > 7,
                text.utf8.prefix(7).elementsEqual("http://".utf8, by: { ASCII.lowercased($0) == $1 })
            {
                text = "https://" + text.dropFirst(7)
            }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                return nil
            case 0x80...: bytes += Percent.encoded(byte)
            default: bytes.append(byte)
            }
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, ScalarSchema.isScheme(bytes[..<colon])
        else {
            return nil
        }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        let rest = bytes[(colon + 1)...]
        if scheme == "http" || scheme == "https" {
            guard rest.starts(with: "//".utf8), let first = rest.dropFirst(2).first,
                !"/?#:".utf8.contains(first)
            else { return nil }
        }
        return rest.isEmpty ? nil : scheme + ":" + String(decoding: rest, as: UTF8.self)
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return bytes.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) || ASCII.isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
    }
}
