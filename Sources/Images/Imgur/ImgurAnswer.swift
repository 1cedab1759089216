internal import HTTP
internal import JSON

/// What an answer of Imgur means, whatever shape it has.
enum ImgurAnswer: Sendable {
    case uploaded(ImgurImage)
    /// Done, and there is nothing to tell.
    case done
    /// There is no such image.
    case gone
    /// `isRefusal`: a status of 400 to 499, or Imgur's own form of error: nothing was done. Otherwise nobody knows.
    case failed(ImgurFailure, isRefusal: Bool)

    /// - Parameters:
    ///   - status: of the answer; it counts for more than the one in the content, but for a failure that calls itself 200.
    ///   - content: JSON, HTML or anything.
    init(_ status: Status, _ content: [UInt8]) {
        var limits = JSONLimits()
        limits.depth = 32
        limits.values = 20_000
        limits.bytes = 1 << 20
        guard let document = try? JSONDocument(content, limits: limits), document.kind(of: document.root) == .object
        else {
            self = ImgurAnswer.unreadable(status, content)
            return
        }
        let complaint = ImgurComplaint(document)
        let data = document.member("data", of: document.root)
        let success = document.member("success", of: document.root).map { document.kind(of: $0) }
        if status.isSuccess, success == .true, complaint.isEmpty {
            self = ImgurAnswer.good(document, data)
            return
        }
        var status = status
        if status.isSuccess {
            // Here the content alone can say what is wrong.
            status = complaint.status.flatMap { $0 >= 400 ? Status(code: $0) : nil } ?? .ok
            if status == .ok, success == .false, complaint.isEmpty {
                self = .gone
                return
            }
        }
        let isRefusal = status.isRefusal || status == .ok && success == .false
        self = status == .notFound ? .gone : .failed(ImgurFailure(status, complaint), isRefusal: isRefusal)
    }

    private static func good(_ document: JSONDocument, _ data: JSONNode?) -> ImgurAnswer {
        guard let data, document.kind(of: data) == .object else { return .done }
        return ImgurImage(document, data).map { .uploaded($0) } ?? .done
    }

    /// No JSON: a page of a server in front, of which the first words may say something.
    private static func unreadable(_ status: Status, _ content: [UInt8]) -> ImgurAnswer {
        if status == .notFound { return .gone }
        if status == .noContent { return .done }
        var complaint = ImgurComplaint()
        complaint.text = String(decoding: content.prefix(4096), as: UTF8.self).lowercased()
        return .failed(
            ImgurFailure(status.isSuccess ? .badGateway : status, complaint), isRefusal: status.isRefusal)
    }
}

/// What the content of a failure says: in `data.error` (a text, an object, or a text that holds an object) or in `errors`.
struct ImgurComplaint: Sendable, Equatable {
    /// In lower case; never shown to anybody.
    var text = ""
    /// Imgur's own number for what went wrong.
    var code: Int?
    /// What the content has as its status.
    var status: Int?

    var isEmpty: Bool { text.isEmpty && code == nil }

    init() {}

    init(_ document: JSONDocument) {
        let root = document.root
        status = document.member("status", of: root).flatMap { document.integer(of: $0) }
        if let data = document.member("data", of: root), let error = document.member("error", of: data) {
            read(error, document)
        }
        if let errors = document.member("errors", of: root), document.kind(of: errors) == .array {
            for error in document.elements(of: errors).prefix(1) { read(error, document) }
        }
    }

    private mutating func read(_ error: JSONNode, _ document: JSONDocument) {
        switch document.kind(of: error) {
        case .string:
            let text = document.string(of: error) ?? ""
            // A text may hold the object.
            if text.hasPrefix("{"), let inner = try? JSONDocument(Array(text.utf8)) {
                readObject(inner.root, inner)
            } else {
                self.text = text.lowercased()
            }
        case .object: readObject(error, document)
        default: break
        }
    }

    private mutating func readObject(_ object: JSONNode, _ document: JSONDocument) {
        if let node = document.member("code", of: object) {
            code = document.integer(of: node) ?? document.string(of: node).flatMap { Int($0) }
        }
        let node = document.member("message", of: object) ?? document.member("detail", of: object)
        text = node.flatMap { document.string(of: $0) }?.lowercased() ?? ""
    }
}
