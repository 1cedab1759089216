internal import HTTP
internal import JSON
internal import Parameters

/// Reads `errors`: answers that mean something else than their status says.
struct AnswerErrorLoader {
    let mistakes: MistakeList
    /// Whether the answer is a list, which can be empty; nil where that isn't known.
    var isList: Bool?

    init(mistakes: MistakeList, isList: Bool? = nil) {
        self.mistakes = mistakes
        self.isList = isList
    }

    func load(_ list: Place?) -> [AnswerError] {
        (list?.items ?? []).compactMap { $0.isMap ? read($0) : nil }
    }

    private func read(_ place: Place) -> AnswerError? {
        let at = JSONPointer.read(place["at"], mistakes)
        if place["at"] != nil, at == nil { return nil }
        guard at != nil || place["contains"] != nil else {
            mistakes.add(at: place, found: "no sign of the error", expected: "\"at\", \"contains\" or both")
            return nil
        }
        if let contains = place["contains"], contains.text == "" {
            mistakes.add(at: contains, found: "an empty text", expected: "words of the error")
            return nil
        }
        guard let meaning = readMeaning(place) else { return nil }
        return AnswerError(
            place: at, text: place["contains"]?.text.map { $0.lowercased() }, meaning: meaning,
            pause: readPause(place, meaning))
    }

    private func readMeaning(_ place: Place) -> AnswerError.Meaning? {
        let (status, empty) = (place["status"], place["empty"])
        guard (status != nil) != (empty != nil) else {
            mistakes.add(
                at: place, found: status == nil ? "no meaning" : "\"status\" beside \"empty\"",
                expected: "either \"status\", or \"empty: true\" for a list without items")
            return nil
        }
        if let empty {
            if empty.flag == true, isList != false { return .emptyList }
            mistakes.add(
                at: empty, found: empty.flag == true ? "it without \"collection\"" : empty.found,
                expected: "true, for an operation that answers a list")
            return nil
        }
        guard let status, let code = status.whole else { return nil }
        if (400...599).contains(code), let known = Status(code: code) { return .status(known) }
        mistakes.add(
            at: status, found: status.found,
            expected: "the status that the answer should have had, from 400 to 599 (404, 403, 429, 503, …)")
        return nil
    }

    private func readPause(_ place: Place, _ meaning: AnswerError.Meaning) -> AnswerError.Pause? {
        guard let entry = place["retry-after"], let text = entry.scalarText else { return nil }
        guard meaning == .status(.tooManyRequests) || meaning == .status(.serviceUnavailable) else {
            mistakes.add(
                at: entry, atKey: true, found: "it without the status 429 or 503", expected: "it with one of them")
            return nil
        }
        if text == "utc-midnight" { return .untilMidnight }
        if let duration = Quantity.duration(text), duration >= .seconds(1), duration <= .seconds(7 * 86_400) {
            return .seconds(Int(duration.components.seconds))
        }
        mistakes.add(
            at: entry, found: entry.found, expected: "utc-midnight, or " + Quantity.durationForm + ", from 1s to 7d")
        return nil
    }
}
