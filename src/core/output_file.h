// Output files that appear under their names only when they are complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace haplospin {

// Declares a file that this command reads, or its log: OutputFile refuses to replace it, under whatever name, and says
// that it is given as `what`. Does nothing where there is no such regular file.
void ProtectFile(const std::string& path, const std::string& what = "input");

// Throws InputError if `path` is a protected file.
void CheckIsNotProtected(const std::string& path);

// Writes to a temporary file in the folder of the final one, which is the target of a symbolic link even if it does not
// exist yet. Commit() makes it durable and renames it. If it is destroyed without Commit(), or a signal ends the
// process (core/signals.h), the temporary file is removed and an existing file of the final name is unchanged. "-"
// (standard output), devices and pipes are written directly. Throws InputError, naming the file, if the folder does not
// exist or is not writable, the disk is full, or the path is a folder or a protected file.
class OutputFile {
 public:
  // What a process leaves that ends before Commit(): nothing, or a file that another process goes on with.
  enum class Unfinished { kRemove, kKeep };

  // kKeep is for a path that is no device; the file is PartialPath(path) then, and keeps what is in it.
  explicit OutputFile(const std::string& path, Unfinished unfinished = Unfinished::kRemove);
  ~OutputFile();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // The path as given.
  const std::string& path() const { return path_; }

  // The path to write to before Commit(), for libraries that open files by name (HTSlib). "-" stays "-".
  const std::string& temporary_path() const { return temporary_path_; }

  void Write(std::string_view bytes);

  // Flushes, so that temporary_path() has everything that was written.
  void Flush();

  // Flushes and fsyncs the file, and returns the number of bytes that were written.
  uint64_t Sync();

  // Goes on after the first `size` bytes, and removes those after them.
  void GoOnAt(uint64_t size);

  // Flushes and fsyncs the file, after any other writer has closed it, so that Commit() has only to rename it: where
  // several files belong together, a disk that is full is noticed before any has its name.
  void Complete();

  // Completes the file, renames it and fsyncs its folder. Call it once, after any other writer has closed the file.
  void Commit();

 private:
  void OpenFile(int flags);
  bool IsDirect() const { return temporary_path_ == final_path_; }
  [[noreturn]] void Fail(int error) const;

  std::string path_;
  std::string final_path_;  // path_ with symbolic links followed
  std::string temporary_path_;
  std::string buffer_;
  const bool is_kept_;
  int descriptor_ = -1;
  int cleanup_slot_ = -1;
};

// The file that OutputFile::Unfinished::kKeep writes, of an output that is or will be a regular file.
std::string PartialPath(const std::string& path);

// Writes all of a command's text to standard output. Throws InputError as OutputFile.
void PrintOutput(std::string_view text);

}  // namespace haplospin
