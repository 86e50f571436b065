#include "core/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/signals.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kBufferBytes = 1 << 18;

std::filesystem::path ParentFolder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

const char* Remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "; free space or choose another folder";
    case ENOENT:
    case ENOTDIR:
      return "; create the folder first";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a folder you may write to";
    default:
      return "";
  }
}

// Makes the new name durable. Some file systems do not support this; the data is on disk by then, so errors are
// ignored.
void SyncFolder(const std::string& path) {
  const int folder = open(ParentFolder(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

// Returns the file that a symbolic link leads to, which need not exist yet, and any other path unchanged.
std::string FollowLinks(std::filesystem::path path, std::error_code& error) {
  constexpr int kMaxLinks = 40;  // the limit of Linux
  std::error_code unreadable;
  error.clear();
  for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(path, unreadable)); ++links) {
    if (links == kMaxLinks) error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (error) break;
    path = path.parent_path() / std::filesystem::read_symlink(path, error);  // a link may be absolute
  }
  return path.string();
}

std::string TemporaryName(const std::string& final_path) {
  static std::atomic<int> count = 0;
  return fmt::format("{}.tmp-{}-{}", final_path, getpid(), count++);
}

// Files are told apart by device and inode, because a file can have several names.
using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> Identify(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

class ProtectedFiles {
 public:
  void Add(FileIdentity file, const std::string& what) {
    const std::lock_guard lock(mutex_);
    files_.emplace(file, what);
  }

  std::optional<std::string> Find(FileIdentity file) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(file);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::mutex mutex_;
  std::map<FileIdentity, std::string> files_;  // name of each file for messages
};

ProtectedFiles& Protected() {
  static ProtectedFiles files;
  return files;
}

}  // namespace

void ProtectFile(const std::string& path, const std::string& what) {
  if (const auto file = Identify(path)) Protected().Add(*file, what);
}

void CheckIsNotProtected(const std::string& path) {
  const auto file = Identify(path);
  if (!file) return;
  if (const auto what = Protected().Find(*file)) {
    throw InputError(fmt::format("{}: given as {} and as output; give two different files", path, *what));
  }
}

std::string PartialPath(const std::string& path) {
  std::error_code ignored;
  return FollowLinks(path, ignored) + ".partial";
}

OutputFile::OutputFile(const std::string& path, Unfinished unfinished)
    : path_(path), final_path_(path), is_kept_(unfinished == Unfinished::kKeep) {
  if (path == "-") {
    temporary_path_ = path;
    descriptor_ = dup(STDOUT_FILENO);
    if (descriptor_ < 0) Fail(errno);
    return;
  }
  if (path.empty()) throw InputError("the output file has no name");
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw InputError(path + " is a folder; give the name of a file to write");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    temporary_path_ = path;
    OpenFile(O_WRONLY);
    return;
  }
  CheckIsNotProtected(path);
  final_path_ = FollowLinks(path, error);
  if (error) Fail(error.value());
  temporary_path_ = is_kept_ ? PartialPath(final_path_) : TemporaryName(final_path_);
  OpenFile(O_WRONLY | O_CREAT | (is_kept_ ? 0 : O_EXCL));
  if (!is_kept_) cleanup_slot_ = internal::RegisterTemporaryFile(temporary_path_);
}

void OutputFile::OpenFile(int flags) {
  descriptor_ = open(temporary_path_.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail(errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!IsDirect() && !is_kept_) unlink(temporary_path_.c_str());
  internal::ForgetTemporaryFile(cleanup_slot_);
}

void OutputFile::Fail(int error) const {
  const std::string& path = is_kept_ && !temporary_path_.empty() ? temporary_path_ : path_;
  throw InputError(fmt::format("cannot write {}: {}{}", path == "-" ? "standard output" : path, std::strerror(error),
                               Remedy(error)));
}

void OutputFile::Write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferBytes) Flush();
}

void OutputFile::Flush() {
  size_t written = 0;
  while (written < buffer_.size()) {
    const ssize_t count = write(descriptor_, buffer_.data() + written, buffer_.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      Fail(errno);
    }
  }
  buffer_.clear();
}

uint64_t OutputFile::Sync() {
  Flush();
  if (fsync(descriptor_) != 0) Fail(errno);
  const off_t size = lseek(descriptor_, 0, SEEK_CUR);
  if (size < 0) Fail(errno);
  return static_cast<uint64_t>(size);
}

void OutputFile::GoOnAt(uint64_t size) {
  Flush();
  if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) Fail(errno);
  if (lseek(descriptor_, 0, SEEK_END) < 0) Fail(errno);
}

void OutputFile::Complete() {
  HS_ASSERT(descriptor_ >= 0);
  Flush();
  // Devices and pipes have nothing to sync and say EINVAL.
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) Fail(errno);
}

void OutputFile::Commit() {
  Complete();
  if (!IsDirect()) {
    if (rename(temporary_path_.c_str(), final_path_.c_str()) != 0) Fail(errno);
    internal::ForgetTemporaryFile(cleanup_slot_);
    SyncFolder(final_path_);
  }
  close(descriptor_);
  descriptor_ = -1;
}

void PrintOutput(std::string_view text) {
  OutputFile output("-");
  output.Write(text);
  output.Commit();
}

}  // namespace haplospin
