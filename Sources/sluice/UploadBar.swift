internal import Parameters

/// Shows how far an upload is: a bar on a terminal, lines elsewhere.
struct UploadBar {
    private let isTerminal = Terminal.isErrorTerminal
    private static let width = 30

    func show(_ sent: Int, _ total: Int?) {
        guard isTerminal else {
            let rest = total.map { " of \($0)" } ?? ""
            return Terminal.error("\(sent)\(rest) bytes\n")
        }
        Terminal.error("\r" + UploadBar.line(sent, total) + "\u{1B}[K")
    }

    /// Takes the bar away.
    func clear() {
        if isTerminal { Terminal.error("\r\u{1B}[K") }
    }

    private static func line(_ sent: Int, _ total: Int?) -> String {
        guard let total, total > 0 else { return megabytes(sent) }
        let share = min(1, Double(sent) / Double(total))
        let filled = Int(share * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "[\(bar)] \(Int(share * 100)) %, \(megabytes(sent)) of \(megabytes(total))"
    }

    private static func megabytes(_ bytes: Int) -> String {
        let tenths = bytes / 100_000
        return "\(tenths / 10).\(tenths % 10) MB"
    }
}
