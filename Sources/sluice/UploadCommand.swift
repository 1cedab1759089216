internal import Glibc
internal import HTTP
internal import Images
internal import JSON
internal import Parameters
internal import Plan

/// `sluice upload`: sends a file to a running gateway and shows how far it is.
struct UploadCommand {
    let settings: Settings
    let file: String
    /// The client key; empty for none.
    private let key: String

    init(_ settings: Settings, _ file: String, key: String) {
        self.settings = settings
        self.file = file
        self.key = key
    }

    /// Why nothing came of it, for a person.
    struct Failure: Error { let text: String }

    func run() -> Int32 {
        let bar = UploadBar()
        do throws(Failure) {
            let json = try upload(bar)
            bar.clear()
            Terminal.out(json + [0x0A])
            return Tool.Exit.success
        } catch {
            bar.clear()
            Terminal.error("sluice upload: \(error.text)\n")
            return Tool.Exit.failure
        }
    }

    private func upload(_ bar: UploadBar) throws(Failure) -> [UInt8] {
        guard let base = BaseURL(settings.url), base.scheme == "http" else {
            throw Failure(
                text: "--url must be the http address of a gateway, such as http://127.0.0.1:8080; curl speaks https")
        }
        let source = open(file, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw Failure(text: "\(file) can't be read: \(String(cString: strerror(errno)))") }
        defer { close(source) }
        let (size, type) = try look(at: source)
        // Brackets are for URLs, not for the resolver.
        let host = base.host.filter { $0 != "[" && $0 != "]" }
        for address in TCPAddress.resolve(host, port: base.port) {
            let result = address.withSocket { descriptor, use -> Swift.Result<[UInt8], Failure>? in
                guard use({ connect($0, $1, $2) }) == 0 else { return nil }
                var exchange = UploadExchange(descriptor, source: source, size: size, patience: settings.patience)
                do throws(Failure) {
                    return .success(try exchange.run(head(base, size, type)) { bar.show($0, $1) })
                } catch {
                    return .failure(error)
                }
            }
            if let result = result.flatMap({ $0 }) { return try result.get() }
        }
        throw Failure(text: "nothing answers at \(base.text)")
    }

    /// The file's size in bytes and its kind.
    private func look(at source: CInt) throws(Failure) -> (size: Int, type: ImageType) {
        var facts = stat()
        guard fstat(source, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw Failure(text: "\(file) is no file")
        }
        var start = [UInt8](repeating: 0, count: ImageType.signatureLength)
        let count = pread(source, &start, start.count, 0)
        guard let type = ImageType(firstBytes: start.prefix(max(0, count))) else {
            throw Failure(text: "\(file) is no JPEG, PNG, GIF or WebP image")
        }
        return (Int(facts.st_size), type)
    }

    /// HTTP/1.0, so that the answer's events come without a coding and end with the connection.
    private func head(_ base: BaseURL, _ size: Int, _ type: ImageType) throws(Failure) -> [UInt8] {
        let texts = [("title", settings.title), ("description", settings.imageDescription)].filter { !$0.1.isEmpty }
        let query = Target.query(texts.map { (name: $0.0, value: $0.1) }).map { "?" + $0 } ?? ""
        var head = "POST \(base.path)/images\(query) HTTP/1.0\r\nHost: \(base.authority)\r\n"
        head += "Content-Type: \(type.mediaType)\r\nContent-Length: \(size)\r\nAccept: text/event-stream\r\n"
        if !key.isEmpty {
            guard key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw Failure(text: "SLUICE_KEY holds a character that no key has")
            }
            head += "Authorization: Bearer \(key)\r\n"
        }
        return Array((head + "\r\n").utf8)
    }
}
