/// The scripts that answer polls (`protocol/long-polling.md`, "Answers").
///
/// Messages travel as text that the page's `JSON.parse` reads, not as part of the program: so a key `__proto__` is a key like
/// over a WebSocket, and data can never be code. Of what a client sends only numbers get into a script.
enum LongPollScript {
    static let contentType = "text/javascript; charset=utf-8"

    /// Defines the two functions that answers call, in the frame that the SDK loads them into: they hand over to the page's.
    static func definitions(callback: Int) -> String {
        """
        function pLPCommand(command, first, second) {
          var receive = parent.window["pLPCommand\(callback)"];
          if (receive) receive(command, first, second);
        }
        function pRTLPCB(number, messages) {
          var receive = parent.window["pRTLPCB\(callback)"];
          if (receive) receive(number, messages);
        }

        """
    }

    /// Tells the client how to name its session. Both texts are the hub's own and need no quoting.
    static func start(id: String, password: String) -> String { "pLPCommand(\"start\",\"\(id)\",\"\(password)\");\n" }

    /// What stands before and after the messages of an answer, between which commas go.
    static func messages(number: Int) -> (head: String, tail: String) { ("pRTLPCB(\(number),JSON.parse('[", "]'));\n") }

    /// The session is over; what the answers up to `number` hold still counts. Without a number it is over at once.
    static func close(after number: Int? = nil) -> String {
        number.map { "pLPCommand(\"close\",\($0));\n" } ?? "pLPCommand(\"close\");\n"
    }

    /// The page that the SDK keeps in a frame and takes away when it leaves.
    ///
    /// It finds the session in its own address, so that the hub need not write anything of a request into it.
    static let farewellPage = """
        <!doctype html>
        <meta charset="utf-8">
        <title>Hearth</title>
        <script>
        (function () {
          var left = false;
          function leave() {
            if (left) return;
            left = true;
            var address = location.pathname + location.search.replace("dframe=t", "disconn=t");
            if (navigator.sendBeacon && navigator.sendBeacon(address)) return;
            var request = new XMLHttpRequest();
            request.open("GET", address, false);
            request.send();
          }
          addEventListener("pagehide", leave);
          addEventListener("unload", leave);
        })();
        </script>

        """
}

/// Writes JSON text into a JavaScript text between single quotes. Pieces may be cut anywhere, the last one behind a character.
struct LongPollEscaper {
    /// Bytes of U+2028 or U+2029 that are held back: in programs before ECMAScript 2019 both end a line.
    private var heldBack = 0

    mutating func append(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in text {
            switch (heldBack, byte) {
            case (0, 0xE2):
                heldBack = 1
                continue
            case (1, 0x80):
                heldBack = 2
                continue
            case (2, 0xA8), (2, 0xA9):
                heldBack = 0
                bytes += byte == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
                continue
            case (0, _): break
            default:
                bytes += heldBack == 1 ? [0xE2] : [0xE2, 0x80]
                heldBack = 0
            }
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
    }
}
