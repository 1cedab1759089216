internal import Hashing
internal import JSON

extension ImageRecord {
    /// The version of the form below; what has another one isn't read.
    private static let form = 1

    /// See ``SharedRecord/mark``.
    var mark: String { String((Digest.sha256.hex(Array(deleteHash.utf8)) ?? "0").prefix(32)) }

    func shared(of owner: String?) -> SharedRecord {
        let bytes = JSONWriter.object { object in
            object.member("form", ImageRecord.form)
            object.member("id", id)
            object.member("deleteHash", deleteHash)
            if let owner { object.member("owner", owner) }
            object.member("link", link)
            object.member("type", type)
            if let width { object.member("width", width) }
            if let height { object.member("height", height) }
            object.member("size", size)
            if let title { object.member("title", title) }
            object.member("uploaded", uploaded)
        }
        return SharedRecord(id: id, mark: mark, owner: owner, uploaded: uploaded, bytes: bytes)
    }

    /// Reads what ``shared(of:)`` wrote; nil for anything else.
    static func read(_ bytes: [UInt8]) -> (record: ImageRecord, owner: String?)? {
        guard bytes.count <= 65_536, let document = try? JSONDocument(bytes),
            document.kind(of: document.root) == .object
        else { return nil }
        func node(_ name: String) -> JSONNode? { document.member(name, of: document.root) }
        func text(_ name: String) -> String? { node(name).flatMap { document.string(of: $0) } }
        func number(_ name: String) -> Int? { node(name).flatMap { document.integer(of: $0) } }
        guard number("form") == form, let id = text("id"), let hash = text("deleteHash"), !id.isEmpty, !hash.isEmpty,
            let link = text("link"), let type = text("type"), let size = number("size"),
            let uploaded = number("uploaded")
        else { return nil }
        let record = ImageRecord(
            id: id, deleteHash: hash, link: link, type: type, width: number("width"), height: number("height"),
            size: size, title: text("title"), uploaded: uploaded)
        return (record, text("owner"))
    }
}

extension RecordScope {
    /// Whose records belong to it; nil among them are those of nobody.
    var owners: [String?] {
        switch self {
        case .unowned: [nil]
        case .owner(let owner): [owner, nil]
        case .nobody: []
        }
    }
}
