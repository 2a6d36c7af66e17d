import DataTree
import Testing
import WireProtocol

/// Arguments as tests write them: `orderBy="$key"&limitToFirst=2`, decoded already.
func restArguments(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
}

extension RestHead {
    init(_ method: String, _ path: String, _ text: String = "") {
        self.init(method: method, path: path, arguments: restArguments(text))
    }

    func with(_ change: (inout RestHead) -> Void) -> RestHead {
        var head = self
        change(&head)
        return head
    }

    /// The text of the refusal, with the status in front unless it is 400; nil when the request is taken.
    var refusal: String? {
        do throws(RestError) {
            _ = try RestRequest(self)
            return nil
        } catch {
            return error.status == 400 ? error.text : "\(error.status) \(error.text)"
        }
    }
}

// Leaves as the tests write them.
extension Node: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(leaf: .integer(value)) }
}
