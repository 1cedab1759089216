internal import Glibc

/// What the kernel knows of this process; see proc(5). A figure that can't be had is left out.
public struct ProcessFigures: Sendable {
    /// Bytes.
    public private(set) var residentMemory: Int?
    public private(set) var virtualMemory: Int?
    /// Seconds of processor time.
    public private(set) var processorTime = 0.0
    public private(set) var openDescriptors: Int?
    public private(set) var maximumDescriptors: Int?
    public private(set) var threads: Int?
    /// Seconds since 1970.
    public private(set) var startTime: Double?

    /// Reads them: some tens of microseconds.
    public init() {
        var used = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 {
            processorTime = Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
        }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let pages = ProcessFigures.words("/proc/self/statm").compactMap { Int($0) }
        if pages.count > 1 {
            virtualMemory = pages[0].multipliedReportingOverflow(by: page).partialValue
            residentMemory = pages[1].multipliedReportingOverflow(by: page).partialValue
        }
        openDescriptors = ProcessFigures.entries("/proc/self/fd")
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            maximumDescriptors = Int(clamping: limit.rlim_cur)
        }
        readStatus()
    }

    /// Threads and start: fields 20 and 22 of `stat`, counted from the state (field 3) behind the name, which may hold blanks.
    private mutating func readStatus() {
        let text = ProcessFigures.text("/proc/self/stat")
        guard let end = text.lastIndex(of: ")") else { return }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19 else { return }
        threads = Int(fields[17])
        let boot = ProcessFigures.text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard let ticks = Double(fields[19]), let booted = boot.flatMap({ Double($0.dropFirst(6)) }) else { return }
        startTime = booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func words(_ path: String) -> [Substring] { text(path).split(separator: " ") }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < 1 << 20 {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How many entries a folder has, without the one that reading it opens.
    private static func entries(_ path: String) -> Int? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        return max(0, count - 1)
    }
}
