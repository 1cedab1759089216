import Glibc

// Compares policies of admission and eviction on made-up traces: how many requests, and how many bytes, are answered from a cache that
// holds a part of everything. Prints one line for each trace and size of the cache.

struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var hash = state
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}

/// Sizes of JSON answers with their heads: half are below 2 kB, one in a hundred is above 30 kB, none above 1 MB.
func size(of key: Int) -> Int {
    var random = Random(state: UInt64(bitPattern: Int64(key)) &* 0xD129_0D3A_9C5B_4E11)
    var normal = -6.0
    for _ in 0..<12 { normal += Double.random(in: 0..<1, using: &random) }
    return min(1 << 20, max(300, Int(2048 * exp(normal * 1.2))))
}

struct Trace {
    enum Shape: String {
        case still = "still"
        case scans = "scans"
        case moving = "moving"
    }
    let shape: Shape
    let requests: [Int]

    /// - Parameters:
    ///   - skew: the exponent of Zipf's law.
    ///   - scans: one request in five is for something that nobody asks for twice.
    ///   - moving: after each tenth of the trace, a tenth of all keys change places.
    init(_ shape: Shape, keys: Int, count: Int, skew: Double) {
        self.shape = shape
        var random = Random(state: 42)
        var sums: [Double] = []
        var sum = 0.0
        for rank in 1...keys {
            sum += pow(Double(rank), -skew)
            sums.append(sum)
        }
        var names = Array(0..<keys).shuffled(using: &random)
        var fresh = keys
        var requests: [Int] = []
        requests.reserveCapacity(count)
        for turn in 0..<count {
            if shape == .moving, turn % (count / 10) == count / 10 - 1 {
                for _ in 0..<keys / 20 {
                    names.swapAt(Int.random(in: 0..<keys, using: &random), Int.random(in: 0..<keys, using: &random))
                }
            }
            if shape == .scans, Int.random(in: 0..<5, using: &random) == 0 {
                requests.append(fresh)
                fresh += 1
                continue
            }
            let wanted = Double.random(in: 0..<sum, using: &random)
            var (low, high) = (0, keys - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] <= wanted { low = middle + 1 } else { high = middle }
            }
            requests.append(names[low])
        }
        self.requests = requests
    }
}

func run<P: Policy>(_ policy: P.Type, _ trace: Trace, _ sizes: [Int], capacity: Int) -> (
    requests: Double, bytes: Double, cost: Double
) {
    var cache = P(capacity: capacity)
    let warm = trace.requests.count / 5
    var (hits, hitBytes, bytes) = (0, 0, 0)
    let clock = ContinuousClock()
    let elapsed = clock.measure {
        for (turn, key) in trace.requests.enumerated() {
            let isHit = cache.access(key, sizes[key])
            guard turn >= warm else { continue }
            bytes += sizes[key]
            if isHit {
                hits += 1
                hitBytes += sizes[key]
            }
        }
    }
    let nanoseconds = Double(elapsed.components.seconds) * 1e9 + Double(elapsed.components.attoseconds) / 1e9
    return (
        Double(hits) / Double(trace.requests.count - warm) * 100, Double(hitBytes) / Double(bytes) * 100,
        nanoseconds / Double(trace.requests.count)
    )
}

func padded(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
func tenth(_ value: Double) -> String { String((value * 10).rounded() / 10) }

let keys = 100_000
let count = 1_000_000
let sizes = (0..<keys + count).map(size)
let total = sizes[..<keys].reduce(0, +)
print(
    "\(keys) keys of \(total >> 20) MB in all, \(count) requests; of the last four fifths: requests answered / bytes answered (percent)"
)
print(
    padded("trace", 8), padded("skew", 5), padded("cache", 6), padded("LRU", 14), padded("SIEVE", 14),
    padded("S3-FIFO", 14), padded("W-TinyLFU", 14))
var sums = [Double](repeating: 0, count: 8)
var rows = 0.0
for shape in [Trace.Shape.still, .scans, .moving] {
    for skew in [0.7, 0.9, 1.1] {
        let trace = Trace(shape, keys: keys, count: count, skew: skew)
        for share in [1, 5, 20] {
            let capacity = total / 100 * share
            let results = [
                run(LRU.self, trace, sizes, capacity: capacity), run(SIEVE.self, trace, sizes, capacity: capacity),
                run(S3FIFO.self, trace, sizes, capacity: capacity),
                run(WTinyLFU.self, trace, sizes, capacity: capacity),
            ]
            for (index, result) in results.enumerated() {
                sums[index] += result.requests
                sums[index + 4] += result.cost
            }
            rows += 1
            print(
                padded(shape.rawValue, 8), padded(String(skew), 5), padded("\(share) %", 6),
                results.map { padded(tenth($0.requests) + " / " + tenth($0.bytes), 14) }.joined(separator: " "))
        }
    }
}
print(
    padded("mean of the requests answered", 21),
    (0..<4).map { padded(tenth(sums[$0] / rows), 14) }.joined(separator: " "))
print(padded("ns a request", 21), (4..<8).map { padded(tenth(sums[$0] / rows), 14) }.joined(separator: " "))
