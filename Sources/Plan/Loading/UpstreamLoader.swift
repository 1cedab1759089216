internal import HTTP
internal import JSON
internal import Parameters

/// Reads one entry of `x-sluice-upstreams`.
struct UpstreamLoader {
    private let interpolation: Interpolation
    private let mistakes: MistakeList
    private let place: Place
    private var upstream: UpstreamPlan

    /// - Returns: the upstream; with a stand-in for what is wrong, which is then reported.
    static func load(_ name: String, _ place: Place, _ interpolation: Interpolation) -> UpstreamPlan {
        var loader = UpstreamLoader(name, place, interpolation)
        loader.readAddresses()
        loader.readAuth()
        loader.readFields()
        loader.readPolicies()
        return loader.upstream
    }

    private init(_ name: String, _ place: Place, _ interpolation: Interpolation) {
        self.interpolation = interpolation
        self.place = place
        mistakes = interpolation.mistakes
        upstream = UpstreamPlan(name: name, base: BaseURL.unset)
    }

    // MARK: Values

    /// The filled text at `place`; nil where there is none, it is wrong, or a variable is missing (which is then noted).
    private mutating func text(_ place: Place?) -> String? {
        guard let place, let filled = interpolation.fill(place) else { return nil }
        for name in filled.missing where !upstream.missingVariables.contains(name) {
            upstream.missingVariables.append(name)
        }
        return filled.missing.isEmpty ? filled.text : nil
    }

    /// `text` read by `parse`, which gives nil for what is wrong.
    private mutating func value<Value>(_ place: Place?, _ expected: String, _ parse: (String) -> Value?) -> Value? {
        guard let place, let text = text(place) else { return nil }
        if let value = parse(text) { return value }
        // What a variable brings in may be a secret, and an address with a user in it holds a password.
        let isLiteral = interpolation.fill(place)?.variables.isEmpty ?? true
        let hasUser = text.contains("@") || place.scalarText?.contains("@") == true
        let found = hasUser ? "a value with \"@\"" : isLiteral ? place.found : "what \(place.found) stands for"
        mistakes.add(at: place, found: found, expected: expected)
        return nil
    }

    private mutating func whole(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        value(place[key], "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            ASCII.decimal(text.utf8).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    private mutating func life(_ place: Place?) -> Duration? {
        value(place, Quantity.lifeForm) { Quantity.life($0) }
    }

    private mutating func address(_ place: Place) -> BaseURL? {
        value(place, "an http or https address without user, query and fragment") { BaseURL($0) }
    }

    // MARK: Parts

    private mutating func readAddresses() {
        if let url = place["url"], let base = address(url) { upstream.base = base }
        for alias in place["aliases"]?.items ?? [] {
            if let base = address(alias) { upstream.aliases.append(base) }
        }
        for network in place["networks"]?.items ?? [] {
            if let network = value(network, Network.form, { Network($0) }) { upstream.networks.append(network) }
        }
        if let authorities = place["authorities"], let path = text(authorities) {
            let path = FilePath.join(FilePath.folder(of: place.file), path) ?? path
            upstream.authorities = path
            checkAuthorities(path, authorities)
        }
    }

    /// A file that can't be read, or holds no certificate, would fail each request.
    private func checkAuthorities(_ path: String, _ place: Place) {
        switch interpolation.secrets(path) {
        case .success(let bytes):
            if String(decoding: bytes, as: UTF8.self).contains("-----BEGIN ") { return }
            mistakes.add(
                at: place, found: "\(place.found) (no certificate in it)", expected: "a file of certificates in PEM")
        case .failure(let failure):
            // A path that stands in the contract is no secret; what a variable holds may be.
            let isKnown = shown(path) == place.found || interpolation.fill(place)?.variables.isEmpty != true
            let reason = isKnown ? failure.reason : path + ": " + failure.reason
            mistakes.add(at: place, found: "\(place.found) (\(reason))", expected: "a file of certificates in PEM")
        }
    }

    private mutating func readFields() {
        for (name, entry) in place["headers"]?.entries ?? [] {
            guard let field = fieldName(name, entry, atKey: true) else { continue }
            if field.isCredential {
                if let secret = secret(entry) { upstream.headers.append((field, secret)) }
            } else if let text = fieldValue(entry) {
                upstream.headers.append((field, Secret(text)))
            }
        }
        for (name, entry) in place["query"]?.entries ?? [] {
            guard let text = text(entry) else { continue }
            upstream.query.append((name, text))
            if let filled = interpolation.fill(entry), !filled.hasDefault { noteCredentials(filled) }
        }
        for entry in place["pass"]?.items ?? [] {
            if let name = text(entry), let field = fieldName(name, entry) { upstream.pass.append(field) }
        }
    }

    private mutating func readPolicies() {
        let timeout = value(place["timeout"], Quantity.durationForm + ", from 1ms to 10m") { text in
            Quantity.duration(text).flatMap { ParameterTable.deadlines.contains($0) ? $0 : nil }
        }
        if let timeout { upstream.timeout = timeout }
        if let retries = whole("retries", 0...3) { upstream.retries = retries }
        if let concurrency = whole("concurrency", 1...10_000) { upstream.concurrency = concurrency }
        // An empty text is how a variable says that there is no quota.
        if let quota = place["quota"], let text = text(quota), !text.isEmpty {
            upstream.quota = value(quota, UpstreamPlan.Quota.form) { UpstreamPlan.Quota($0) }
        }
        upstream.errors = AnswerErrorLoader(mistakes: mistakes).load(place["errors"])
        guard let cache = place["cache"], cache.isMap else { return }
        upstream.cache = CachePolicy(
            ttl: life(cache["ttl"]), staleWhileRevalidate: life(cache["stale-while-revalidate"]),
            staleIfError: life(cache["stale-if-error"]),
            override: value(cache["override"], "true or false") { ["true": true, "false": false][$0] } ?? false)
    }

    private mutating func fieldName(_ text: String, _ place: Place, atKey: Bool = false) -> FieldName? {
        let name = FieldName(text)
        if let name, !name.isReserved { return name }
        mistakes.add(
            at: place, atKey: atKey, found: shown(text),
            expected: name == nil ? "a header's name" : "a header that isn't the gateway's own")
        return nil
    }

    /// A text that may stand in a field: no control characters.
    private mutating func fieldValue(_ place: Place) -> String? {
        guard let text = text(place) else { return nil }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "\u{7F}" }) else {
            mistakes.add(at: place, found: "a value with control characters", expected: "one line of text")
            return nil
        }
        return text
    }

    // MARK: Credentials

    /// A credential, which must come from the environment. The message never shows it. A missing one is no mistake.
    private mutating func secret(_ place: Place) -> Secret? {
        guard let filled = interpolation.fill(place) else { return nil }
        guard !filled.variables.isEmpty, !filled.hasDefault else {
            mistakes.add(
                at: place, found: filled.hasDefault ? "a secret as a default" : "a secret in the contract",
                expected: "${NAME}, a variable of the environment")
            return nil
        }
        noteCredentials(filled)
        return fieldValue(place).map(Secret.init)
    }

    private mutating func noteCredentials(_ filled: Interpolation.Filled) {
        let known = upstream.credentials.map { $0.reveal() }
        upstream.credentials += filled.values.filter { !known.contains($0) }.map(Secret.init)
    }

    private static let authKeys: [(type: String, keys: [String])] = [
        ("header", ["name", "value"]), ("query", ["name", "value"]),
        ("md5-query", ["timestamp", "key", "digest", "public", "private"]),
    ]

    private mutating func readAuth() {
        guard let auth = place["auth"], let type = auth["type"], let text = type.text else { return }
        guard let keys = UpstreamLoader.authKeys.first(where: { $0.type == text })?.keys else {
            mistakes.add(at: type, found: type.found, expected: "one of: header, query, md5-query")
            return
        }
        for key in keys where auth[key] == nil {
            mistakes.add(at: auth, found: "no \"\(key)\"", expected: "one: the type \(text) needs it")
        }
        let others = UpstreamLoader.authKeys.flatMap(\.keys).filter { !keys.contains($0) }
        for (key, entry) in auth.entries where others.contains(key) {
            mistakes.add(
                at: entry, atKey: true, found: "the key \(shown(key))",
                expected: "one of: type, " + keys.joined(separator: ", "))
        }
        let parts = keys.compactMap { auth[$0] }
        if parts.count == keys.count { readAuth(text, parts) }
    }

    /// - Parameter parts: the values of the type's keys, in their order.
    private mutating func readAuth(_ type: String, _ parts: [Place]) {
        switch type {
        case "header":
            let name = text(parts[0]).flatMap { fieldName($0, parts[0]) }
            if let secret = secret(parts[1]), let name { upstream.auth = .header(name: name, value: secret) }
        case "query":
            let name = text(parts[0])
            if let secret = secret(parts[1]), let name { upstream.auth = .query(name: name, value: secret) }
        default:
            let (timestamp, key, digest) = (text(parts[0]), text(parts[1]), text(parts[2]))
            let (publicKey, privateKey) = (secret(parts[3]), secret(parts[4]))
            guard let timestamp, let key, let digest, let publicKey, let privateKey else { return }
            upstream.auth = .md5Query(
                timestamp: timestamp, key: key, digest: digest, publicKey: publicKey, privateKey: privateKey)
        }
    }
}

extension BaseURL {
    /// Stands for an address that a variable has yet to give: such an upstream is never asked.
    public static let unset = BaseURL(scheme: "https", host: "unset.invalid", port: 443, path: "")
}
