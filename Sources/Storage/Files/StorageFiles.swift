/// The file operations that a log needs. The seam where tests put disks that are full, fail, or lose power.
///
/// What is written survives a crash of the process at once, and power loss after `syncData`; a name that was created,
/// renamed or removed survives power loss after `syncDirectory`. Errors carry the errno code.
package protocol StorageFiles: Sendable {
    /// Opens a file for reading and writing.
    /// - Parameter create: make it (mode 0600) if it does not exist, and empty it if it does.
    func open(_ path: String, create: Bool) throws(FileError) -> any StorageFile
    /// The names in a directory, in no particular order.
    func list(_ directory: String) throws(FileError) -> [String]
    /// Replaces what `target` named.
    func rename(_ source: String, to target: String) throws(FileError)
    func remove(_ path: String) throws(FileError)
    func syncDirectory(_ directory: String) throws(FileError)
}

/// An open file. Closing happens when the last reference goes.
package protocol StorageFile: AnyObject, Sendable {
    func size() throws(FileError) -> Int64
    /// Reads up to `buffer.count` bytes; fewer only at the end of the file.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int
    /// Writes all of `bytes`, extending the file if need be. After an error any part may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError)
    /// Reserves blocks for the first `size` bytes, so that a full disk shows before anything is written.
    func allocate(size: Int64) throws(FileError)
    func truncate(to size: Int64) throws(FileError)
    /// Content, and the size if it changed, survive power loss afterwards (`fdatasync`).
    func syncData() throws(FileError)
}
