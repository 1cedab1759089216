internal import Threads

/// Contents with rewritten links, by the kept contents that they were made of: a hit is then neither parsed nor written anew. One for each
/// mirror of a worker.
///
/// Contents are told apart by where they lie in memory. That is sound, since each is held here and so neither freed nor changed in place.
final class RewrittenContents: Sendable {
    private struct Key: Hashable {
        var address: UInt
        var count: Int
        var linkBase: String
    }

    private struct State {
        var entries: [Key: (original: [UInt8], rewritten: [UInt8])] = [:]
        var bytes = 0
    }

    /// Bytes of both, and what a key takes; beyond them all is let go of and what is asked for then begins anew.
    private static let capacity = 4 << 20
    private let state = Locked(State())

    /// - Parameter linkBase: what addresses of this gateway begin with.
    func rewritten(_ original: [UInt8], linkBase: String) -> [UInt8]? {
        state.withLock { $0.entries[key(original, linkBase)]?.rewritten }
    }

    func keep(_ rewritten: [UInt8], of original: [UInt8], linkBase: String) {
        let size = original.count + rewritten.count + linkBase.utf8.count + 200
        guard size <= Self.capacity / 8 else { return }
        state.withLock { state in
            if state.bytes + size > Self.capacity { state = State() }
            let old = state.entries.updateValue((original, rewritten), forKey: key(original, linkBase))
            if old == nil { state.bytes += size }
        }
    }

    private func key(_ original: [UInt8], _ linkBase: String) -> Key {
        let address = original.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        return Key(address: address, count: original.count, linkBase: linkBase)
    }
}
