internal import JSON

/// One thing that is wrong in a contract, with all that is needed to put it right.
public struct ContractMistake: Sendable, Hashable, CustomStringConvertible {
    /// The file's path as it was given, or as `$ref` leads to it.
    public var file: String
    /// Line and column (in characters) count from 1.
    public var line: Int
    public var column: Int
    /// The place as a JSON Pointer (RFC 6901); empty for the whole file.
    public var pointer: String
    public var found: String
    public var expected: String

    public init(file: String, line: Int, column: Int, pointer: String, found: String, expected: String) {
        self.file = file
        self.line = line
        self.column = column
        self.pointer = pointer
        self.found = found
        self.expected = expected
    }

    /// `openapi/swapi.yaml:12:7: /paths/~1films/get/x-sluice/upstream: found "swapo", expected one of: swapi`
    public var description: String {
        let place = pointer.isEmpty ? "" : pointer + ": "
        return "\(file):\(line):\(column): \(place)found \(found), expected \(expected)"
    }
}

/// Every mistake of the contracts, in the order of their files and lines.
public struct ContractMistakes: Error, Sendable, CustomStringConvertible {
    public var all: [ContractMistake]
    public init(_ all: [ContractMistake]) { self.all = all }
    public var description: String { all.map(\.description).joined(separator: "\n") }
}

/// Collects mistakes while contracts are read; the same one is kept once.
final class MistakeList {
    private var all: [ContractMistake] = []
    private var known: Set<ContractMistake> = []

    var isEmpty: Bool { all.isEmpty }

    func add(_ mistake: ContractMistake) {
        if known.insert(mistake).inserted { all.append(mistake) }
    }

    /// - Parameter atKey: points at the key that leads to the place, not at its value.
    func add(at place: Place, atKey: Bool = false, found: String, expected: String) {
        let mark = atKey ? place.keyMark ?? place.node.mark : place.node.mark
        add(
            ContractMistake(
                file: place.file, line: mark.line, column: mark.column, pointer: place.pointer.description,
                found: found, expected: expected))
    }

    /// In the order of `files`, then of lines.
    func sorted(files: [String]) -> [ContractMistake] {
        let rank = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
        return all.enumerated().sorted { left, right in
            func key(_ item: (offset: Int, element: ContractMistake)) -> (Int, Int, Int, Int) {
                (rank[item.element.file] ?? .max, item.element.line, item.element.column, item.offset)
            }
            return key(left) < key(right)
        }.map(\.element)
    }
}
