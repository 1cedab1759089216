/// A picture and what is known of it.
struct ImgurImage: Sendable {
    /// 7 letters and digits.
    let id: String
    /// 15 letters and digits; whoever has it may delete the picture.
    let hash: String
    let facts: PictureFacts
    let content: [UInt8]
    let title: String?
    let description: String?
    let name: String
    /// Seconds since 1970.
    let uploaded: Int
    /// What is done to each question about it.
    let fault: SampleImgur.Fault?
    var views = 0

    /// Bytes that it holds.
    var size: Int {
        content.count + (title?.utf8.count ?? 0) + (description?.utf8.count ?? 0) + name.utf8.count
    }

    /// What an answer says about it.
    /// - Parameters:
    ///   - link: where the picture is.
    ///   - showsHash: whether the one who asks has just uploaded it.
    func data(link: String, showsHash: Bool) -> ImgurValue {
        let (bandwidth, overflow) = views.multipliedReportingOverflow(by: content.count)
        var members: [ImgurValue.Member] = [
            ("id", .text(id)), ("title", .optional(title)), ("description", .optional(description)),
            ("datetime", .number(uploaded)), ("type", .text(facts.kind.mediaType)),
            ("animated", .flag(facts.isAnimated)), ("width", .number(facts.width)), ("height", .number(facts.height)),
            ("size", .number(content.count)), ("views", .number(views)),
            ("bandwidth", .number(overflow ? Int.max : bandwidth)), ("vote", .null), ("favorite", .flag(false)),
            ("nsfw", .null), ("section", .null), ("account_url", .null), ("account_id", .number(0)),
            ("is_ad", .flag(false)), ("in_most_viral", .flag(false)), ("has_sound", .flag(false)), ("tags", .list([])),
            ("ad_type", .number(0)), ("ad_url", .text("")), ("edited", .text("0")), ("in_gallery", .flag(false)),
        ]
        if showsHash { members.append(("deletehash", .text(hash))) }
        members.append(("name", .text(name)))
        members.append(("link", .text(link)))
        guard facts.isAnimated, facts.kind == .gif else { return .members(members) }
        let stem = link.dropLast(facts.kind.ending.utf8.count)
        members += [
            ("gifv", .text(stem + "gifv")), ("mp4", .text(stem + "mp4")), ("webm", .text(stem + "webm")),
            // A text in one recording.
            ("mp4_size", .text(String(content.count / 4))), ("looping", .flag(true)),
        ]
        return .members(members)
    }
}

/// The pictures that are there: the newest ones that fit.
struct ImgurShelf: Sendable {
    private let most: Int
    private let memory: Int
    private var images: [String: ImgurImage] = [:]
    private var ids: [String: String] = [:]
    /// Oldest first.
    private var order: [String] = []
    private(set) var size = 0

    /// - Parameters:
    ///   - most: pictures.
    ///   - memory: bytes.
    init(most: Int, memory: Int) {
        self.most = most
        self.memory = memory
    }

    var count: Int { order.count }

    subscript(id: String) -> ImgurImage? { images[id] }

    /// Puts a picture there and drops the oldest ones where there is no room.
    mutating func insert(_ image: ImgurImage) {
        remove(id: image.id)
        images[image.id] = image
        ids[image.hash] = image.id
        order.append(image.id)
        size += image.size
        while order.count > max(1, most) || size > memory, order.count > 1, let oldest = order.first {
            remove(id: oldest)
        }
    }

    /// The picture with this delete hash.
    func image(hash: String) -> ImgurImage? { ids[hash].flatMap { images[$0] } }

    mutating func remove(id: String) {
        guard let image = images.removeValue(forKey: id) else { return }
        ids[image.hash] = nil
        order.removeAll { $0 == id }
        size -= image.size
    }

    /// The picture, looked at once more.
    mutating func view(id: String) -> ImgurImage? {
        images[id]?.views += 1
        return images[id]
    }

    /// Letters and digits by chance, so that nobody guesses a hash.
    static func word(_ count: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return String(decoding: (0..<count).compactMap { _ in letters.randomElement() }, as: UTF8.self)
    }
}
