internal import HTTP

/// The picture of an upload, and the addresses of pictures.
enum ImgurPicture {
    /// The id in a path such as `/aB3dE5f.png`, of whatever kind the picture is; nil for other paths.
    static func id(path: String) -> String? {
        let parts = path.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard path.utf8.first == UInt8(ascii: "/"), parts.count == 2, let id = parts.first, let ending = parts.last,
            id.count == 7, id.allSatisfy(isWord), endings.contains(String(Substring(ending)))
        else { return nil }
        return String(Substring(id))
    }

    private static let endings = Set(PictureFacts.Kind.allCases.map(\.ending) + ["jpeg"])

    private static func isWord(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (0x61...0x7A).contains(ASCII.lowercased(byte))
    }

    /// The bytes that a form brings, as a file, as base64 or by an address. What the form says in `type` counts; where it says nothing, the
    /// field is looked at.
    /// - Parameter kept: the picture of this id, where it is there.
    static func content(_ form: UploadForm, kept: (String) -> [UInt8]?) throws(SampleImgur.Fault) -> [UInt8] {
        guard let image = form.image, !image.content.isEmpty else { throw .noImage }
        let type = form["type"]?.lowercased()
        if image.isFile || type == "file" { return Array(image.content) }
        if type == nil, PictureFacts(image.content) != nil { return Array(image.content) }
        let start = String(decoding: image.content.prefix(4096), as: UTF8.self)
        if type == "url" || type == nil && isAddress(start) {
            guard isAddress(start), image.content.count <= 4096 else { throw .badAddress }
            let path = start.split(separator: "/", maxSplits: 3).last ?? ""
            return id(path: "/" + path).flatMap(kept) ?? landscape
        }
        // The original takes what it can't decode for an address.
        guard let bytes = Base64.decoded(image.content), !bytes.isEmpty else { throw .badAddress }
        return bytes
    }

    private static func isAddress(_ text: String) -> Bool {
        ["http://", "https://"].contains { scheme in
            text.lowercased().hasPrefix(scheme) && text.utf8.count > scheme.utf8.count
                && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
    }

    /// Two hills under the sun, 160 by 120.
    static let landscape = Base64.decoded(Array(landscapeText.utf8)[...]) ?? []

    private static let landscapeText =
        "iVBORw0KGgoAAAANSUhEUgAAAKAAAAB4BAMAAACHjORcAAAAD1BMVEXJ4vL61nh4oIxGbl////9Hn80HAAABjklEQVR42u3a7W3DIBSF"
        + "4QQvUDaIrheoelbo/jM1dmIbKB8HuFLSmjvAI14sAT98+VaeyynBi+IMcIADHOAJwasuaJf50AOtjYutoLUJsRG87qDVAQ8vXGIb"
        + "6CwwXOKbgK4XNL8H6BUHzQN8Eeh7/mcee/hfwPc/HP7AAdt8p8hN99YzIqr38t0rilUvh8VLRje8bUTyYu3ryzxBUXof7l6lmAQP"
        + "LxNdAYo0ignQeKB0g4FXI8bB0KuIjoIi7WIMNBFQOsCoR4sRMO6F0RNYUIQRJwAcaJKgF3338MmAGc8VgZQYgjnviJ4eIMqgCCNu"
        + "Xkz0QVMAxQ2OR3tg0XuIQEb0wLK3RAM50QWFmdvkg0iDhgJnICseIOfJLy+IPsBWLxB3UBqDw+gNNB2eJz7BPs8Vn2D7Bobb+AB7"
        + "PUdcwd5gN3oFFbxd5MGCt0XTIMCJLAiQIgnODAge5LxV5EDSw5cIBQK8yIAzD4IBazygDNZ5BAhlEMrgrAxWeyUQbSAUZ4ADHOAA"
        + "B3hucPyz1Dk/TdzaZPT4/B8AAAAASUVORK5CYII="
}
