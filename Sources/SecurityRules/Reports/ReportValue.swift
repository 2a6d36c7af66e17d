import DataTree

/// A JSON value of a report that programs read; members keep their order.
package indirect enum ReportValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([ReportValue])
    case object([Member])

    package struct Member: Equatable, Sendable {
        package var name: String
        package var value: ReportValue

        package init(_ name: String, _ value: ReportValue) {
            self.name = name
            self.value = value
        }
    }

    package static func count(_ count: Int) -> ReportValue { .number(Double(count)) }

    /// JSON text in one line.
    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.double(value)
        case .text(let value): writer.string(value)
        case .list(let values):
            writer.raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { writer.raw(",") }
                value.write(to: &writer)
            }
            writer.raw("]")
        case .object(let members):
            writer.raw("{")
            for (index, member) in members.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.string(member.name)
                writer.raw(":")
                member.value.write(to: &writer)
            }
            writer.raw("}")
        }
    }
}

extension ReportValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, ReportValue)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}
