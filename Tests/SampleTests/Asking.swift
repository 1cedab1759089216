import HTTP
import JSON
import Testing

@testable import Sample

let swapi = SampleSWAPI()

/// The answer of `responder` to one request to the host `api.test`.
func ask(
    _ target: String, _ method: Method = .get, _ fields: [(FieldName, String)] = [], of responder: SampleSWAPI = swapi
) -> Response {
    var all = Fields()
    for (name, value) in fields { all.append(name, value) }
    return responder.answer(to: Request(method: method, target: Target(target), fields: all, authority: "api.test"))
}

extension Response {
    var bytes: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The content, where it is JSON.
    func json() throws -> JSONDocument { try JSONDocument(bytes) }
}

extension JSONDocument {
    /// What an RFC 6901 pointer names, as it stands in the text.
    func text(at pointer: String) throws -> String {
        let place = try #require(JSONPointer(pointer))
        return String(decoding: bytes(of: try #require(node(at: place))), as: UTF8.self)
    }
}
