internal import HTTP
internal import JSON

/// Why a file can't be had.
public struct FileFailure: Error, Sendable {
    /// In the system's words, `No such file or directory`.
    public var reason: String
    public init(reason: String) { self.reason = reason }
}

/// Gives the bytes of a file.
public typealias FileSource = (_ path: String) -> Result<[UInt8], FileFailure>

/// The contracts as they were written: the given files, and those that `$ref` leads to.
final class Contract {
    let mistakes = MistakeList()
    /// Roots of the given files that could be read, in order.
    private(set) var roots: [Place] = []
    /// Whether a given file couldn't be read, which is reported.
    private(set) var isIncomplete = false
    /// Every file that was asked for, in order.
    private(set) var names: [String] = []
    private let source: FileSource
    private var files: [String: YAMLNode?] = [:]
    /// For each file the folder that `$ref` may not leave: the one of the given file that led to it first.
    private var folders: [String: String] = [:]

    init(names: [String], source: @escaping FileSource) {
        self.source = source
        for name in names.map(FilePath.normalized) where files[name] == nil {
            if let root = open(name, folder: FilePath.folder(of: name), askedBy: nil) {
                roots.append(root)
            } else {
                isIncomplete = true
            }
        }
    }

    /// The root of a file, which is read the first time; nil where it can't be.
    private func open(_ name: String, folder: String, askedBy place: Place?) -> Place? {
        if files[name] == nil {
            names.append(name)
            folders[name] = folder
            files[name] = .some(read(name, askedBy: place))
        }
        return (files[name] ?? nil).map { Place(file: name, pointer: JSONPointer(), node: $0, keyMark: nil) }
    }

    private func read(_ name: String, askedBy place: Place?) -> YAMLNode? {
        let bytes: [UInt8]
        switch source(name) {
        case .success(let text): bytes = text
        case .failure(let failure):
            if let place {
                mistakes.add(
                    at: place, found: "\(place.found) (\(name): \(failure.reason))", expected: "a file that can be read"
                )
            } else {
                add(
                    YAMLMistake(
                        mark: .start, found: "nothing that can be read (\(failure.reason))",
                        expected: "an OpenAPI document, or a folder of them"), file: name)
            }
            return nil
        }
        let (node, found) = YAMLReader.read(bytes)
        for mistake in found { add(mistake, file: name) }
        guard let node else { return nil }
        guard case .map = node.value else {
            add(YAMLMistake(mark: node.mark, found: "no map", expected: "an OpenAPI document"), file: name)
            return nil
        }
        return node
    }

    private func add(_ mistake: YAMLMistake, file: String) {
        mistakes.add(
            ContractMistake(
                file: file, line: mistake.mark.line, column: mistake.mark.column,
                pointer: JSONPointer(mistake.tokens).description, found: mistake.found, expected: mistake.expected))
    }

    // MARK: References

    /// `place`, or where its `$ref` leads in the end. Nil, and a mistake, where that is nowhere, outside the contract's
    /// folder, on another machine, or `place` again.
    func resolve(_ place: Place) -> Place? {
        var current = place
        var seen: Set<Place.ID> = [place.id]
        while let reference = current["$ref"] {
            guard let target = target(of: reference) else { return nil }
            guard seen.insert(target.id).inserted else {
                mistakes.add(
                    at: reference, found: reference.found,
                    expected: "a reference that ends: this one leads back to itself")
                return nil
            }
            current = target
        }
        return current
    }

    /// One step along the `$ref` whose value is `reference`.
    private func target(of reference: Place) -> Place? {
        guard let text = reference.text else {
            mistakes.add(at: reference, found: reference.found, expected: "text such as \"#/components/schemas/Film\"")
            return nil
        }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path = parts.first ?? ""
        guard !isURL(path) else {
            mistakes.add(
                at: reference, found: shown(text), expected: "a place in this file or in a file beside it, no address")
            return nil
        }
        guard let fragment = Percent.decoded((parts.count > 1 ? parts[1] : "").utf8),
            let pointer = JSONPointer(fragment)
        else {
            mistakes.add(at: reference, found: shown(text), expected: "a JSON Pointer behind \"#\"")
            return nil
        }
        guard let root = root(path, from: reference) else { return nil }
        guard let target = root.descend(pointer) else {
            mistakes.add(at: reference, found: shown(text), expected: "a place that exists in \(root.file)")
            return nil
        }
        return target
    }

    private func isURL(_ path: String) -> Bool {
        guard let colon = path.firstIndex(of: ":") else { return path.hasPrefix("//") }
        return !path[..<colon].contains("/")
    }

    private func root(_ path: String, from reference: Place) -> Place? {
        let folder = folders[reference.file] ?? ""
        if path.isEmpty { return open(reference.file, folder: folder, askedBy: reference) }
        guard let decoded = Percent.decoded(path.utf8),
            let name = FilePath.join(FilePath.folder(of: reference.file), decoded), FilePath.isInside(name, folder)
        else {
            mistakes.add(
                at: reference, found: reference.found,
                expected: "a file inside the contract's folder" + (folder.isEmpty ? "" : " " + folder))
            return nil
        }
        return open(name, folder: folder, askedBy: reference)
    }
}
