internal import CSimdJSON

/// The parts of a document to keep: a tree of names in which arrays don't show.
///
/// `title,starships.name` keeps the title of an object (or of each object of an array) and the names of its starships.
public struct JSONSelection: Sendable {
    private struct Child: Sendable {
        var name: [UInt8]
        var index: Int
    }

    private struct Branch: Sendable {
        var keepsAll = false
        /// Ordered by the bytes of their names.
        var children: [Child] = []
    }

    private var branches = [Branch()]
    private var base = 0

    /// Keeps everything.
    public static let everything = JSONSelection(paths: [[]])

    /// Keeps what the paths lead to, whole; what is on the way is kept without the rest of its members. Without any path
    /// nothing is kept; an empty path keeps everything, and a path keeps more than the paths it is the start of.
    public init(paths: [[String]]) {
        for path in paths { insert(path) }
    }

    /// Keeps also what the path leads to.
    public mutating func insert(_ path: [String]) {
        var index = base
        for name in path { index = makeChild(Array(name.utf8)[...], of: index) }
        branches[index].keepsAll = true
    }

    /// Whether all that is here is kept, so that there is nothing to prune.
    public var keepsEverything: Bool { branches[base].keepsAll }

    /// The names that are kept here; none if everything is.
    public var names: [String] {
        keepsEverything ? [] : branches[base].children.map { String(decoding: $0.name, as: UTF8.self) }
    }

    /// What to keep of the member with this name; nil if nothing.
    public func child(_ name: String) -> JSONSelection? {
        if keepsEverything { return self }
        guard let index = child(Array(name.utf8)[...], of: base) else { return nil }
        var selection = self
        selection.base = index
        return selection
    }

    fileprivate var start: Int { base }

    fileprivate func keepsAll(_ index: Int) -> Bool {
        branches[index].keepsAll
    }

    fileprivate func child(_ name: ArraySlice<UInt8>, of index: Int) -> Int? {
        let children = branches[index].children
        let place = Self.place(of: name, in: children)
        return place < children.count && children[place].name.elementsEqual(name) ? children[place].index : nil
    }

    private mutating func makeChild(_ name: ArraySlice<UInt8>, of index: Int) -> Int {
        if let child = child(name, of: index) { return child }
        let place = Self.place(of: name, in: branches[index].children)
        branches[index].children.insert(Child(name: Array(name), index: branches.count), at: place)
        branches.append(Branch())
        return branches.count - 1
    }

    private static func place(of name: ArraySlice<UInt8>, in children: [Child]) -> Int {
        var low = 0
        var high = children.count
        while low < high {
            let middle = low + (high - low) / 2
            if children[middle].name.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension JSONDocument {
    /// The removals that leave only the selection of a node (the root unless another is given).
    ///
    /// Each member that isn't selected goes; arrays keep their length, and a value on the way that is neither object nor
    /// array stays (a link that wasn't followed). One pass over the tape, without recursion.
    public func edits(keeping selection: JSONSelection, at node: JSONNode? = nil) -> JSONEdits {
        var edits = JSONEdits()
        var containers: [(end: UInt32, isObject: Bool, branch: Int)] = []
        var index = (node ?? root).index

        func enter(_ branch: Int) {
            let entry = entry(index)
            let isContainer = entry.is(.object) || entry.is(.array)
            if isContainer, !selection.keepsAll(branch) {
                containers.append((entry.next, entry.is(.object), branch))
                index += 1
            } else {
                index = end(of: index)
            }
        }

        enter(selection.start)
        while let container = containers.last {
            guard index < container.end else {
                containers.removeLast()
                continue
            }
            guard container.isObject else {
                enter(container.branch)
                continue
            }
            let key = index
            index += 1
            if let branch = selection.child(decoded(entry(key)), of: container.branch) {
                enter(branch)
            } else {
                edits.remove(member: JSONNode(key))
                index = end(of: index)
            }
        }
        return edits
    }
}
