/// Settings of namespaces.
extension Hub {
    /// Tells the text of a setting, or nil if it is not set. Called once; it must not wait.
    package func readSetting(
        of namespace: String, name: String, _ reply: @escaping @Sendable (String?) -> Void
    ) throws(NamespaceRefusal) {
        try ask(namespace, otherwise: nil, reply) { $0.settings[name] }
    }

    /// Changes a setting durably; a text of nil forgets it.
    /// - Parameter reply: told why it was not changed, or nil. Called once; it must not wait.
    package func changeSetting(
        of namespace: String, name: String, text: String?, author: String,
        _ reply: @escaping @Sendable (SettingFailure?) -> Void
    ) throws(NamespaceRefusal) {
        let database = try database(namespace)
        // It must outlive the attempt: the last one who lets go of it answers for those who have not.
        let reply = OneReply(otherwise: SettingFailure?.some(.gone), reply)
        do throws(SettingFailure) {
            let change = try SettingChange(name: name, text: text, author: author, reply: reply)
            database.post([.administer(.changeSetting(change))])
        } catch {
            reply.send(error)
        }
    }
}
