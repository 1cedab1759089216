internal import HTTP
internal import JSON

/// An image as Imgur tells of it once it has it.
struct ImgurImage: Sendable, Equatable {
    var id: String
    /// With it, and only with it, the image can be taken back. Never shown.
    var deleteHash: String
    /// On https.
    var link: String
    var type: String?
    var width: Int?
    var height: Int?
    var size: Int?

    /// From the `data` of a good answer; nil where the name or the delete hash is missing or odd: such an image can't be kept.
    init?(_ document: JSONDocument, _ data: JSONNode) {
        func text(_ name: String) -> String? {
            document.member(name, of: data).flatMap { document.string(of: $0) }
        }
        func number(_ name: String) -> Int? {
            let node = document.member(name, of: data)
            let number = node.flatMap { document.integer(of: $0) ?? document.string(of: $0).flatMap { Int($0) } }
            return number.flatMap { $0 < 0 ? nil : $0 }
        }
        guard let id = text("id"), ImgurImage.isName(id, limit: 32), let hash = text("deletehash"),
            ImgurImage.isName(hash, limit: 128)
        else { return nil }
        self.id = id
        deleteHash = hash
        link = text("link").flatMap(ImgurImage.secureLink) ?? ""
        type = text("type").flatMap { $0.utf8.count <= 100 && ParameterizedValue($0.utf8) != nil ? $0 : nil }
        width = number("width")
        height = number("height")
        size = number("size")
    }

    private static func isName(_ text: String, limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                ASCII.isDigit($0) || (0x61...0x7A).contains(ASCII.lowercased($0)) || $0 == 0x2D || $0 == 0x5F
            }
    }

    /// The address on https, but for one of this machine, where nothing speaks it; nil where it is no web address.
    static func secureLink(_ link: String) -> String? {
        guard let address = try? WebAddress.checked(link), address.utf8.count <= 2048 else { return nil }
        let rest = address.drop { $0 != ":" }
        let host = rest.dropFirst(3).prefix { !"/?#".contains($0) }
        if ["127.0.0.1", "localhost", "[::1]"].contains(where: { host == $0 || host.hasPrefix($0 + ":") }) {
            return address
        }
        return "https" + rest
    }
}
