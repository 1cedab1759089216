// swift-tools-version: 6.2
import PackageDescription

// Every target: Swift 6 mode, the strict upcoming features, and no warning is let through.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: strict)
}

func debian(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "sluice",
    products: [.executable(name: "sluice", targets: ["sluice"])],
    targets: [
        // Debian's C libraries, one door each.
        debian("CLibevent", "libevent_core", "libevent-dev"),
        debian("CCurl", "libcurl", "libcurl4-openssl-dev"),
        debian("CYAML", "yaml-0.1", "libyaml-dev"),
        debian("CZlib", "zlib", "zlib1g-dev"),
        debian("CBrotli", "libbrotlienc", "libbrotli-dev"),
        debian("CCrypto", "libcrypto", "libssl-dev"),
        debian("CSQLite", "sqlite3", "libsqlite3-dev"),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        debian("CPango", "pangocairo", "libpango1.0-dev"),
        debian("CPixbuf", "gdk-pixbuf-2.0", "libgdk-pixbuf-2.0-dev"),
        // A declaration of glibc's that Swift doesn't see.
        .systemLibrary(name: "CSpawn"),
        .target(
            name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O2", "-fno-exceptions"])],
            linkerSettings: [.linkedLibrary("simdjson")]),

        // Values and bytes: no I/O.
        library("HTTP"),
        library("JSON", ["CSimdJSON"]),
        library("Parameters"),
        library("Compression", ["HTTP", "CZlib", "CBrotli"]),
        library("Hashing", ["CCrypto"]),
        library("Drawing", ["CPango", "CPixbuf"]),

        // What the others stand on.
        library("Threads"),
        library("Loop", ["CLibevent", "Threads"]),
        library("Plan", ["HTTP", "JSON", "Parameters", "CYAML"]),
        library("Cache", ["HTTP", "Threads"]),

        // The parts of the gateway; none sees another.
        library("Server", ["HTTP", "Loop"]),
        library("Upstream", ["HTTP", "Threads", "Loop", "Plan", "CCurl", "CZlib", "Hashing"]),
        library("Gateway", ["HTTP", "JSON", "Threads", "Parameters", "Plan", "Cache", "Compression", "Hashing"]),
        library("Images", ["HTTP", "JSON", "Hashing", "Threads", "CSQLite"]),
        library("Cards", ["CSpawn", "Drawing", "HTTP", "JSON", "Hashing", "Threads", "Loop"]),
        library("Sample", ["HTTP", "Compression", "Hashing", "Threads"]),
        library("Admin", ["HTTP", "JSON", "Hashing"]),
        library("Redis", ["Cache", "Images", "Threads", "Loop", "Hashing", "CHiredis", "CZlib"]),

        .executableTarget(
            name: "sluice",
            dependencies: [
                "HTTP", "Threads", "Loop", "Parameters", "Plan", "Cache", "Server", "Upstream", "Gateway", "Images",
                "Cards",
                "Sample", "Admin", "Redis",
            ],
            swiftSettings: strict),

        // The other way round of what Compression does, for its tests alone.
        .systemLibrary(
            name: "CBrotliDecoder", path: "Tests/CBrotliDecoder", pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"])]),

        // What tests share: scripted upstreams and the runner of exchange files.
        library(
            "GatewayTesting",
            ["HTTP", "JSON", "Threads", "Loop", "Plan", "Cache", "Gateway", "CZlib", "CBrotliDecoder"]),

        tests("HTTP"),
        tests("JSON"),
        tests("Parameters"),
        tests("Compression", ["CZlib", "CBrotliDecoder"]),
        tests("Drawing"),
        tests("Cards", ["Drawing", "GatewayTesting", "HTTP"]),
        tests("Threads"),
        tests("Loop", ["Threads"]),
        tests("Plan", ["HTTP", "JSON", "Parameters"]),
        tests("Cache", ["HTTP", "Threads"]),
        tests("Server", ["HTTP", "Threads", "Loop"]),
        tests("Upstream", ["HTTP", "Hashing", "Threads", "Loop", "Plan", "CZlib"]),
        tests("Gateway", ["Cache", "GatewayTesting", "HTTP", "JSON", "Loop", "Parameters", "Plan"]),
        tests("Images", ["HTTP", "JSON", "Threads", "Loop", "CSQLite"]),
        tests("Sample", ["HTTP", "Threads", "Hashing", "JSON", "CZlib"]),
        tests("Admin", ["HTTP"]),
        tests("Redis", ["Cache", "Loop"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
