import HTTP
import JSON
import Testing
import Threads

@testable import Sample

/// A sample at a clock that stands still.
func imgurSample(_ limits: SampleImgur.Limits = SampleImgur.Limits(), now: Int = thursday) -> SampleImgur {
    SampleImgur(limits: limits, now: { now })
}

/// The answer to a request to the host `api.test`, with the sample's client where no other `Authorization` is given.
func askImgur(
    _ sample: SampleImgur, _ target: String, _ method: Method = .get, _ body: Body = .none,
    fields: [(FieldName, String)] = [], authorization: String? = "Client-ID sample-client-id"
) async throws -> Response {
    var all = Fields(fields)
    if let authorization { all.append(.authorization, authorization) }
    return try await sample.respond(
        to: Request(method: method, target: Target(target), fields: all, body: body, authority: "api.test"))
}

/// One part of a form.
struct FormPart {
    var name: String
    var content: [UInt8]
    var fileName: String?

    static func file(_ content: [UInt8]) -> FormPart {
        FormPart(name: "image", content: content, fileName: "picture")
    }

    static func text(_ name: String, _ text: String) -> FormPart { FormPart(name: name, content: Array(text.utf8)) }
}

let formType = "multipart/form-data; boundary=----edge7"

func multipart(_ parts: [FormPart]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
        bytes += "------edge7\r\nContent-Disposition: form-data; name=\"\(part.name)\"".utf8
        if let name = part.fileName { bytes += "; filename=\"\(name)\"\r\nContent-Type: image/png".utf8 }
        bytes += Array("\r\n\r\n".utf8) + part.content + Array("\r\n".utf8)
    }
    return bytes + Array("------edge7--\r\n".utf8)
}

/// Uploads with multipart/form-data.
func upload(
    _ parts: [FormPart], to sample: SampleImgur, _ target: String = "/3/image", fields: [(FieldName, String)] = []
) async throws -> Response {
    try await askImgur(
        sample, target, .post, .bytes(multipart(parts)), fields: [(.contentType, formType)] + fields)
}

/// Uploads with the form's other encoding.
func uploadEncoded(_ form: String, to sample: SampleImgur) async throws -> Response {
    try await askImgur(
        sample, "/3/image", .post, .bytes(Array(form.utf8)),
        fields: [(.contentType, "application/x-www-form-urlencoded; charset=UTF-8")])
}

/// Content that comes in pieces.
final class Pieces: BodyStream, @unchecked Sendable {
    let length: Int?
    private let pieces: Locked<[[UInt8]]>
    private let end: GatewayError?

    init(_ pieces: [[UInt8]], length: Int? = nil, end: GatewayError? = nil) {
        self.pieces = Locked(pieces)
        self.length = length
        self.end = end
    }

    var left: Int { pieces.withLock { $0.count } }

    func next() async throws(GatewayError) -> [UInt8]? {
        let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if piece == nil, let end { throw end }
        return piece
    }
}

/// A PNG's beginning, and as many bytes as are wanted.
func png(_ width: Int = 640, _ height: Int = 480, size: Int = 64) -> [UInt8] {
    func big(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    let all = head + big(width) + big(height)
    return all + [UInt8](repeating: 0x2A, count: max(0, size - all.count))
}

extension Response {
    func text(at pointer: String) throws -> String { try json().text(at: pointer) }

    func string(at pointer: String) throws -> String? { try json().string(at: pointer) }
}
