// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "hearth",
    products: [
        .executable(name: "hearth", targets: ["hearth"]),
        .executable(name: "hearth-bench", targets: ["Bench"]),
    ],
    targets: [
        // libwebsockets: sockets, HTTP, WebSocket and TLS for ten thousands of connections on one loop.
        .systemLibrary(
            name: "CLibwebsockets", pkgConfig: "libwebsockets",
            providers: [.apt(["libwebsockets-dev", "libwebsockets-evlib-uv", "libuv1-dev", "libssl-dev"])]),
        // SQLite: the most tested store there is; users open the state file with their own tools.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // jansson: JSON documents at the edges (configuration, catalogues); data never passes through it.
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        // zlib: checksums of log records; gzip for HTTP and for the files of export, import and backup.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // libcurl: HTTP of the sub-commands that talk to a hub, with TLS, proxies, redirections and chunked uploads.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // RE2: regular expressions of security rules, in time linear in the text whatever the pattern. It is C++, so a
        // file of ours stands between it and Swift.
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2"), .linkedLibrary("stdc++")]),

        .target(name: "DataTree"),
        .target(name: "WireProtocol", dependencies: ["DataTree"]),
        .target(name: "SecurityRules", dependencies: ["DataTree", "CRE2"]),
        .target(name: "Storage", dependencies: ["DataTree", "CSQLite", "CZlib"]),
        .target(name: "HubEngine", dependencies: ["DataTree", "WireProtocol", "SecurityRules", "Storage"]),
        .target(
            name: "Gateway",
            dependencies: ["HubEngine", "WireProtocol", "DataTree", "Storage", "CLibwebsockets", "CZlib"]),
        .executableTarget(
            name: "hearth",
            dependencies: [
                "Gateway", "HubEngine", "Storage", "SecurityRules", "DataTree", "CJansson", "CCurl", "CZlib",
            ]),
        // Measurements of single rooms, for `scripts/bench`.
        .systemLibrary(name: "CMalloc"),
        .executableTarget(
            name: "Bench",
            dependencies: ["CMalloc", "DataTree", "WireProtocol", "SecurityRules", "Storage", "HubEngine", "Gateway"]),
        // What must hold for any bytes, for the fuzzer and for the test that replays its corpus.
        .target(name: "Fuzzing", dependencies: ["DataTree", "WireProtocol", "SecurityRules"]),
        .target(
            name: "TestSupport", dependencies: ["DataTree", "WireProtocol", "Storage", "HubEngine", "CJansson"],
            path: "Sources/TestSupport"),

        .testTarget(name: "DataTreeTests", dependencies: ["DataTree", "TestSupport"]),
        .testTarget(name: "WireProtocolTests", dependencies: ["WireProtocol", "TestSupport", "CJansson", "Fuzzing"]),
        .testTarget(
            name: "SecurityRulesTests", dependencies: ["SecurityRules", "TestSupport"], exclude: ["Cases"]),
        .testTarget(name: "StorageTests", dependencies: ["Storage", "TestSupport"]),
        .testTarget(name: "HubEngineTests", dependencies: ["HubEngine", "TestSupport"]),
        .testTarget(name: "GatewayTests", dependencies: ["Gateway", "Storage", "TestSupport"]),
        .testTarget(name: "hearthTests", dependencies: ["hearth", "SecurityRules", "TestSupport"]),
        .testTarget(
            name: "LiveHubTests",
            dependencies: ["TestSupport", "hearth", "Gateway", "HubEngine", "Storage", "DataTree"]),
    ],
    swiftLanguageModes: [.v6]
)

// libFuzzer brings the main function, so this target links only with --sanitize fuzzer: scripts/fuzz asks for it.
if Context.environment["HEARTH_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["Fuzzing"], swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}
