#include "genotypes/imputation/contig/run_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/file_lock.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "genotypes/variant_io/byte_coding.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr char kDamaged[] = "an entry of the journal is damaged; remove the file";
constexpr size_t kLengthBytes = 8, kHashBytes = 64;

// The values of one process are read by the same program on the same kind of machine: the header has its inputs and
// version.
template <typename T>
void AppendValue(const T& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
void TakeValue(ByteReader& bytes, T& value) {
  const std::string_view taken = bytes.Take(sizeof(value));
  std::memcpy(&value, taken.data(), taken.size());
}

std::string Encode(const JournalEntry& entry) {
  std::string bytes;
  AppendValue(entry.last, bytes);
  AppendValue(entry.compressed_bytes, bytes);
  AppendValue(entry.totals, bytes);
  AppendValue(entry.output, bytes);
  AppendText(entry.orders, bytes);
  AppendText(entry.study_only, bytes);
  return bytes;
}

JournalEntry Decode(std::string_view text) {
  ByteReader bytes(text, kDamaged);
  JournalEntry entry;
  TakeValue(bytes, entry.last);
  TakeValue(bytes, entry.compressed_bytes);
  TakeValue(bytes, entry.totals);
  TakeValue(bytes, entry.output);
  entry.orders = bytes.Text();
  entry.study_only = bytes.Text();
  return entry;
}

std::string JournalPath(const OutputOptions& output) { return PartialPath(output.path) + ".journal"; }

uint64_t SizeOrZero(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

// Returns whether the output has all that the entry tells of.
bool IsThere(const JournalEntry& entry, const OutputOptions& output) {
  const std::string& sites = output.fields.sites_path;
  return SizeOrZero(PartialPath(output.path)) >= entry.output.bytes &&
         (sites.empty() || SizeOrZero(PartialPath(sites)) >= entry.output.site_bytes);
}

void RemovePartial(const OutputOptions& output) {
  for (const std::string& path : {output.path, output.fields.sites_path}) {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove(PartialPath(path), ignored);
  }
}

}  // namespace

RunJournal::RunJournal(const OutputOptions& output) : path_(JournalPath(output)) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail(errno);
  if (!LockFile(descriptor_, path_)) {
    close(descriptor_);
    throw InputError(output.path + ": another process goes on with it; wait until it ends");
  }
  const std::string header = fmt::format("haplospin journal {}\n{}\n", sizeof(ContigTotals), output.resumes);
  FindEntries(header, output);
  if (IsReplaying()) return;
  RemovePartial(output);
  ends_ = {header.size()};
  if (ftruncate(descriptor_, 0) != 0) Fail(errno);
  Write(header, 0);
}

RunJournal::~RunJournal() { close(descriptor_); }

// Finds the entries that are whole. Those whose output is not there are left out.
void RunJournal::FindEntries(const std::string& header, const OutputOptions& output) {
  ends_ = {header.size()};
  const uint64_t size = SizeOrZero(path_);
  if (size < header.size() || Read(0, header.size()) != header) return;
  while (ends_.back() + kLengthBytes + kHashBytes <= size) {
    const uint64_t begin = ends_.back() + kLengthBytes + kHashBytes;
    const std::string start = Read(ends_.back(), begin);
    const uint64_t length = ByteReader(start, kDamaged).Fixed64();
    if (length > size - begin) break;
    const std::string bytes = Read(begin, begin + length);
    if (Sha256OfText(bytes) != start.substr(kLengthBytes) || !IsThere(Decode(bytes), output)) break;
    ends_.push_back(begin + length);
  }
  if (ftruncate(descriptor_, static_cast<off_t>(ends_.back())) != 0) Fail(errno);
}

JournalEntry RunJournal::Take(int64_t last) {
  HS_ASSERT(IsReplaying());
  JournalEntry entry = Decode(Read(ends_[next_] + kLengthBytes + kHashBytes, ends_[next_ + 1]));
  ++next_;
  if (entry.last == last) return entry;
  throw InputError(fmt::format("{}: is of other windows than this run has; remove it to begin anew", path_));
}

void RunJournal::Append(const JournalEntry& entry) {
  HS_ASSERT(!IsReplaying());
  const std::string bytes = Encode(entry);
  std::string framed;
  AppendInteger(bytes.size(), kLengthBytes, framed);
  framed += Sha256OfText(bytes) + bytes;
  Write(framed, ends_.back());
  ends_.push_back(ends_.back() + framed.size());
  next_ = ends_.size() - 1;
}

std::string RunJournal::Read(uint64_t begin, uint64_t end) const {
  std::string bytes(end - begin, '\0');
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
    if (count > 0) done += static_cast<size_t>(count);
    if (count == 0 || (count < 0 && errno != EINTR)) throw InputError(path_ + ": cannot be read; remove it");
  }
  return bytes;
}

void RunJournal::Write(const std::string& bytes, uint64_t at) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (count < 0 && errno != EINTR) Fail(errno);
    if (count > 0) done += static_cast<size_t>(count);
  }
  if (fsync(descriptor_) != 0) Fail(errno);
}

void RunJournal::Fail(int error) const {
  throw InputError(fmt::format("cannot write {}: {}; remove it if it is there, or choose another folder", path_,
                               std::strerror(error)));
}

void RemoveUnfinished(const OutputOptions& output) {
  std::error_code ignored;
  std::filesystem::remove(JournalPath(output), ignored);
  RemovePartial(output);
}

}  // namespace haplospin
