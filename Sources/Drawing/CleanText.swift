/// Makes one line, fit to be drawn, of a text that an upstream wrote.
public enum CleanText {
    /// `text` without control characters and without invisible ones that change how others are read (RFC 8264 speaks of "ignorable"; Unicode's
    /// bidirectional controls above all); runs of white space are one blank. Longer than `limit` scalars, it ends with an ellipsis.
    public static func line(_ text: String, limit: Int) -> String {
        var line = String.UnicodeScalarView()
        var count = 0
        var isBlankDue = false
        var marks = 0
        for scalar in text.unicodeScalars {
            let kind = Kind(scalar)
            if kind == .blank {
                isBlankDue = count > 0
                marks = 0
                continue
            }
            marks = kind == .mark ? marks + 1 : 0
            if kind == .dropped || marks > most { continue }
            guard count < limit else {
                line.append("…")
                break
            }
            if isBlankDue { line.append(" ") }
            count += isBlankDue ? 2 : 1
            isBlankDue = false
            line.append(scalar)
        }
        return String(line)
    }

    /// Marks that may stand on one letter. Living scripts need four; more are piled up to climb over the neighbours.
    private static let most = 6

    private enum Kind {
        case blank, mark, dropped, plain

        init(_ scalar: Unicode.Scalar) {
            if scalar.isASCII {
                let isBlank = scalar.value == 0x20 || (0x09...0x0D).contains(scalar.value)
                self = isBlank ? .blank : scalar.value < 0x20 || scalar.value == 0x7F ? .dropped : .plain
                return
            }
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator: self = .blank
            case .control: self = scalar.value == 0x85 ? .blank : .dropped
            // Joiners make ligatures in Arabic and families of emoji; the rest has no business in a line.
            case .format: self = scalar.value == 0x200C || scalar.value == 0x200D ? .plain : .dropped
            case .nonspacingMark, .enclosingMark: self = .mark
            case .surrogate, .privateUse: self = .dropped
            default: self = .plain
            }
        }
    }
}
