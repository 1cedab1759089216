/// A record as other machines get it.
public struct SharedRecord: Sendable, Equatable {
    public var id: String
    /// Tells images apart that had the same id one after the other: a digest of the delete hash.
    public var mark: String
    /// A digest; nil where it is everybody's.
    public var owner: String?
    /// Seconds since 1970.
    public var uploaded: Int
    /// The whole record. There is a delete hash in it: it belongs into the shared store and nowhere else.
    public var bytes: [UInt8]
}

/// Records that several machines share. From any thread. It may be slow, gone or full at any time, and then says so: what it doesn't know it
/// never makes up. A call returns within the budget that a request has for it.
public protocol RecordSharing: Sendable {
    /// Adds a record. Adding it again changes nothing.
    func put(_ record: SharedRecord) async -> SharedPut

    /// - Parameter mark: of the image that the asker knows by this id.
    func find(_ id: String, mark: String?) async -> SharedFinding

    /// The newest of these owners' records first.
    /// - Returns: nil where nobody can tell.
    func list(_ owners: [String?], limit: Int, offset: Int) async -> SharedPage?

    /// Removes a record and notes for all machines that it is gone.
    func remove(_ id: String, mark: String) async -> SharedRemoval

    /// Says that this machine has told all that it knows to the content `walked`, and which other machines have lately said so of the present one.
    /// - Parameter walked: ignored where it isn't the present one.
    /// - Returns: nil where the store can't be reached.
    func life(walked: String?) async -> SharedLife?

    /// Waits until nobody else deletes this image.
    /// - Returns: what ends the turn again; nil where that can't be told, or the deadline has passed.
    func turn(toDelete id: String, until deadline: ContinuousClock.Instant) async -> (@Sendable () -> Void)?
}

/// What came of ``RecordSharing/put(_:)``.
public enum SharedPut: Sendable, Equatable {
    case done
    /// It was there already, with this owner.
    case known(owner: String?)
    /// There is another image of this id.
    case taken
    /// It was deleted on another machine.
    case deleted
    /// Nobody knows whether it was added.
    case failed
}

/// What came of ``RecordSharing/find(_:mark:)``.
public enum SharedFinding: Sendable, Equatable {
    case found([UInt8])
    /// The image of that mark was deleted.
    case deleted
    /// There is nothing of this id in the content of this name.
    case nothing(life: String)
    /// There is something, but no record.
    case unreadable
    case failed
}

/// The content of a ``RecordSharing``.
public struct SharedLife: Sendable, Equatable {
    /// Another one after something may have been lost.
    public var name: String
    /// Seconds since it was made, or came back.
    public var age: Int
    /// The other machines that have told it all that they know, and are alive.
    public var members: Set<String>

    public init(name: String, age: Int, members: Set<String>) {
        self.name = name
        self.age = age
        self.members = members
    }
}

/// Some of the records, and how many there are.
public struct SharedPage: Sendable, Equatable {
    public var life: String
    public var count: Int
    public var records: [[UInt8]]

    public init(life: String, count: Int, records: [[UInt8]]) {
        self.life = life
        self.count = count
        self.records = records
    }
}

/// What came of ``RecordSharing/remove(_:mark:)``.
public enum SharedRemoval: Sendable, Equatable {
    case done
    case wasNotThere
    case failed
}
