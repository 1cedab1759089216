import CSQLite
import Glibc

@testable import Images

/// A folder that goes with the test.
final class RecordFolder {
    let path: String
    init() {
        var template = Array("/tmp/sluice-records-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
    }
    var file: String { path + "/images.db" }
    func write(_ bytes: [UInt8], at offset: Int = 0) {
        let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
        _ = pwrite(descriptor, bytes, bytes.count, offset)
        close(descriptor)
    }
    func run(_ sql: String) {
        var handle: OpaquePointer?
        sqlite3_open(file, &handle)
        sqlite3_exec(handle, sql, nil, nil, nil)
        sqlite3_close(handle)
    }
    /// The files of uploads under way.
    var uploads: [String] { files.map { String($0.split(separator: ".").last ?? "") } }
    private var files: [String] { Directory.names(path + "/uploads") }

    deinit {
        for file in files { unlink(path + "/uploads/" + file) }
        rmdir(path + "/uploads")
        for name in ["images.db", "images.db-wal", "images.db-shm", "images.lock"] { unlink(path + "/" + name) }
        rmdir(path)
    }
}

func record(_ id: String) -> ImageRecord {
    ImageRecord(
        id: id, deleteHash: "hash-" + id, link: "https://i.imgur.com/\(id).png", type: "image/png", width: 1,
        height: nil,
        size: 10, title: "T", uploaded: 1_800_000_000)
}
