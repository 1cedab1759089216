internal import Gateway
internal import Parameters

/// The line that shows, on a terminal, how far a request has come.
struct Progress {
    private let isShown = Terminal.isErrorTerminal

    /// Shows the number of upstream requests so far.
    func show(_ record: ExchangeRecord) {
        if isShown { Terminal.error("\r\(Quantity.text(record.calls, "upstream request"))…\u{1B}[K") }
    }

    /// Takes the line away.
    func clear() {
        if isShown { Terminal.error("\r\u{1B}[K") }
    }
}
