internal import Admin
internal import Gateway
internal import Server
internal import Upstream

/// What one worker counts. On its loop, or before that runs: counting takes no lock, and whoever wants to know asks the loop.
final class WorkerCounts: @unchecked Sendable {
    private(set) var figures = ExchangeFigures()

    func note(_ record: ExchangeRecord) {
        figures.answered(
            record.method, route: record.route, record.status, failure: record.failure,
            missingParts: record.missingParts, in: record.total)
    }

    func note(_ attempt: UpstreamAttempt) {
        figures.attempted(attempt.upstream, attempt.status, bytes: attempt.bytes, in: attempt.duration)
    }
}

/// What a worker, or all of them, have done.
struct WorkerFigures: Sendable {
    var exchanges = ExchangeFigures()
    var server = ServerCounts()

    mutating func add(_ other: WorkerFigures) {
        exchanges.add(other.exchanges)
        server = server + other.server
    }
}
