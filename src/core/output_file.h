// Output that appears under its name only when it is whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace haplospin {

// Writes to a temporary file beside the final one. Commit() makes it durable and gives it its name; destroyed without
// Commit(), or ended by a signal (core/signals.h), it leaves nothing behind and an earlier file of that name untouched.
// "-" (standard output), devices and pipes are written directly.
//
// Throws InputError, naming the file, where the folder is missing or may not be written, the disk is full, or the path
// is a folder.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // As given.
  const std::string& path() const { return path_; }

  // Where the bytes go until Commit(); a library that opens files by name (HTSlib) writes here. "-" stays "-".
  const std::string& temporary_path() const { return temporary_path_; }

  void Write(std::string_view bytes);

  // So that temporary_path() has all that was written.
  void Flush();

  // Flushes, fsyncs the file, renames it and fsyncs its folder. Call it once, after any other writer has closed.
  void Commit();

 private:
  bool IsDirect() const { return temporary_path_ == final_path_; }
  [[noreturn]] void Fail(int error) const;

  std::string path_;
  std::string final_path_;  // path_ with symbolic links followed
  std::string temporary_path_;
  std::string buffer_;
  int descriptor_ = -1;
  int cleanup_slot_ = -1;
};

}  // namespace haplospin
