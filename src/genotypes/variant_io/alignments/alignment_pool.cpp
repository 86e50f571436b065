#include "genotypes/variant_io/alignments/alignment_pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace haplospin {
namespace {

constexpr size_t kMaxIndexBytes = size_t{32} << 20;
constexpr size_t kOtherFiles = 32;   // panel, outputs, libraries and what they open
constexpr size_t kMostFiles = 1024;  // that are kept

// Half of the files that the process may have open, so that the reads do not take all.
size_t MaxKeptFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kOtherFiles) return 0;
  return std::min<size_t>((limit.rlim_cur - kOtherFiles) / 2, kMostFiles);
}

}  // namespace

AlignmentPool::Lease AlignmentPool::Open(const std::string& path, const std::string& fasta) {
  std::shared_ptr<const SamContigs> known;
  {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(path);
    if (found != kept_.end()) {
      std::unique_ptr<AlignmentFile> file = std::move(found->second);
      kept_.erase(found);
      kept_bytes_ -= file->IndexBytes();
      return {*this, std::move(file)};
    }
    known = contigs_;
  }
  const auto index = indices_.find(path);
  auto file = std::make_unique<AlignmentFile>(path, fasta, index == indices_.end() ? "" : index->second);
  if (known) {
    file->ShareContigs(known);
  } else {
    const std::lock_guard lock(mutex_);
    if (!contigs_) contigs_ = file->shared_contigs();
  }
  return {*this, std::move(file)};
}

void AlignmentPool::Keep(std::unique_ptr<AlignmentFile> file) {
  if (!file->CanBeKept()) return;
  const std::lock_guard lock(mutex_);
  if (kept_bytes_ + file->IndexBytes() > kMaxIndexBytes) file->DropIndex();
  if (kept_.size() >= MaxKeptFiles() || kept_.contains(file->path())) return;
  kept_bytes_ += file->IndexBytes();
  const std::string path = file->path();
  kept_.emplace(path, std::move(file));
}

}  // namespace haplospin
