internal import HTTP
internal import JSON

/// An image as Imgur tells of it once it has it.
struct ImgurImage: Sendable, Equatable {
    /// Empty where Imgur gave none that can be used.
    var id: String
    /// With it, and only with it, the image can be taken back. Never shown.
    var deleteHash: String
    /// On https; empty where Imgur gave none that can be used.
    var link: String
    var type: String?
    var width: Int?
    var height: Int?
    var size: Int?

    /// From the `data` of a good answer; nil where the delete hash is missing or odd: such an image can be neither kept nor
    /// taken back.
    init?(_ document: JSONDocument, _ data: JSONNode) {
        func text(_ name: String) -> String? {
            document.member(name, of: data).flatMap { document.string(of: $0) }
        }
        func number(_ name: String) -> Int? {
            let node = document.member(name, of: data)
            let number = node.flatMap { document.integer(of: $0) ?? document.string(of: $0).flatMap { Int($0) } }
            return number.flatMap { (0...ImgurImage.most).contains($0) ? $0 : nil }
        }
        guard let hash = text("deletehash"), ImgurImage.isName(hash, limit: 128) else { return nil }
        id = text("id").flatMap { ImgurImage.isName($0, limit: 32) ? $0 : nil } ?? ""
        deleteHash = hash
        link = text("link").flatMap(ImgurImage.secureLink) ?? ""
        type = text("type").flatMap { $0.utf8.count <= 100 && ParameterizedValue($0.utf8) != nil ? $0 : nil }
        width = number("width")
        height = number("height")
        size = number("size")
    }

    /// No image has as many bytes or pixels: they can be summed up without harm.
    private static let most = 1 << 40

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
