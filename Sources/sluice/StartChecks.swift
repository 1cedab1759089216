internal import Glibc
internal import Parameters
internal import Plan
internal import Redis

/// A setting that can't be used, found when the program starts.
struct StartMistake: Error, CustomStringConvertible {
    let description: String

    /// The address that links begin with, without a slash at its end; nil where none is set.
    static func publicURL(_ settings: Settings) throws(StartMistake) -> String? {
        if settings.publicURL.isEmpty { return nil }
        guard let url = BaseURL(settings.publicURL) else {
            throw StartMistake(
                description: "--public-url: found \"\(settings.publicURL.prefix(100))\", expected an address such as "
                    + "https://films.example, without a query")
        }
        return url.text
    }

    /// A mirror is all that its gateway serves.
    static func checkMirror(_ settings: Settings) throws(StartMistake) {
        if settings.mirror.isEmpty { return }
        guard BaseURL(settings.mirror) != nil else {
            throw StartMistake(
                description: "--mirror: found \"\(settings.mirror.prefix(100))\", expected an address such as "
                    + "http://127.0.0.1:8000, without a query")
        }
        guard !settings.isSample, settings.contracts == Settings().contracts else {
            throw StartMistake(
                description: "--mirror: serves no contracts and no samples, so none can be given with it")
        }
    }

    /// The Redis that several gateways share; nil where none is set. No message shows the address, for it may hold a password.
    static func redis(_ settings: Settings, _ environment: [String: String]) throws(StartMistake) -> RedisAddress? {
        let text = settings.redis.isEmpty ? try secret("SLUICE_REDIS", environment) ?? "" : settings.redis
        if text.isEmpty { return nil }
        do throws(RedisAddress.Mistake) {
            return try RedisAddress(text)
        } catch {
            throw StartMistake(description: "--redis: \(error)")
        }
    }

    /// With the samples no upstream is asked that isn't one of them.
    static func checkSamples(_ samples: SampleUpstreams, _ plan: Plan) throws(StartMistake) {
        for upstream in plan.upstreams where !samples.includes(upstream.base) {
            let names = samples.addressVariables.joined(separator: ", ")
            throw StartMistake(
                description:
                    "--sample: there is no sample of the upstream \"\(upstream.name)\", and its real address isn't "
                    + "asked with samples; there are samples for upstreams whose url is in \(names)")
        }
    }
}
