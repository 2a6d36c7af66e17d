import Glibc

/// Questions to whoever sits at the terminal.
enum Question {
    /// The line that is typed in answer; nil without a terminal, or at its end.
    static func ask(_ text: String) -> String? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        StandardStreams.error(text)
        return readLine()
    }
}

extension CommandEnvironment {
    /// Goes on only if a person agrees, or `--yes` was given.
    func confirm(_ question: String, unless isAgreed: Bool) throws(CommandProblem) {
        if isAgreed { return }
        guard let answer = ask("\(question) [y/N] ") else {
            throw .usage("nobody is there to agree; add --yes if that is meant")
        }
        guard ["y", "yes"].contains(answer.lowercased()) else { throw .failure("nothing was done, as you wish") }
    }
}
