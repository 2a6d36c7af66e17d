import CJansson
import Glibc

/// A configuration file: one JSON object whose names are the options of `hearth serve`.
///
/// ```json
/// {"host": "0.0.0.0", "dead-peer-seconds": 30, "namespace": ["demo", "shop"], "metrics-open": true}
/// ```
enum ConfigurationFile {
    /// Reads the file at `path`.
    static func contents(of path: String) throws(ConfigurationProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadableFile(path: path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .unreadableFile(path: path, reason: String(cString: strerror(errno)))
            }
            bytes += piece[..<count]
            guard bytes.count <= longest else { throw .badFile(path: path, reason: "longer than \(longest) bytes") }
        }
    }

    private static let longest = 1 << 20

    /// Turns the text of a file into settings.
    ///
    /// - Parameter path: the file's name, for messages.
    static func settings(from text: [UInt8], path: String) throws(ConfigurationProblem) -> Settings {
        var error = json_error_t()
        let root = text.withUnsafeBytes { bytes in
            json_loadb(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, Int(JSON_REJECT_DUPLICATES), &error
            )
        }
        guard let root else {
            let reason = withUnsafeBytes(of: &error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw .badFile(
                path: path, reason: "line \(error.line), column \(error.column): \(reason); correct the JSON")
        }
        defer { json_decref(root) }
        guard root.pointee.type == JSON_OBJECT else {
            throw .badFile(path: path, reason: "not a JSON object; write {\"option\": value, …}")
        }
        var settings = Settings()
        var iterator = json_object_iter(root)
        while let entry = iterator {
            iterator = json_object_iter_next(root, entry)
            guard let name = json_object_iter_key(entry), let value = json_object_iter_value(entry) else { continue }
            let key = String(cString: name)
            guard let option = ServeOption.named(key), option.name != "config" else {
                throw .unknownOption(key, in: .file(path))
            }
            if option.isPlanned { throw .notBuiltYet(option: key, in: .file(path)) }
            guard let values = values(of: value, for: option) else {
                throw .badFile(path: path, reason: "\"\(key)\" has the wrong type; give \(wanted(by: option))")
            }
            if !values.isEmpty { settings.add(values, for: option, file: path) }
        }
        return settings
    }

    /// What the JSON value gives for the option, or nil if it is of the wrong kind.
    private static func values(of value: UnsafeMutablePointer<json_t>, for option: ServeOption) -> [String]? {
        switch value.pointee.type {
        case JSON_TRUE where option.isFlag: return ["true"]
        case JSON_FALSE where option.isFlag: return ["false"]
        case JSON_STRING where !option.isFlag:
            guard let text = json_string_value(value) else { return nil }
            return [String(cString: text)]
        case JSON_INTEGER where option.argument == "N":
            return [String(json_integer_value(value))]
        case JSON_ARRAY where option.isRepeatable:
            var values: [String] = []
            for index in 0..<json_array_size(value) {
                guard let element = json_array_get(value, index), element.pointee.type == JSON_STRING,
                    let text = json_string_value(element)
                else { return nil }
                values.append(String(cString: text))
            }
            return values
        default: return nil
        }
    }

    private static func wanted(by option: ServeOption) -> String {
        if option.isFlag { return "true or false" }
        if option.argument == "N" { return "a whole number" }
        return option.isRepeatable ? "a string or an array of strings" : "a string"
    }
}
