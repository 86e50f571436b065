// The open files of a study of reads.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "genotypes/variant_io/alignments/alignment_file.h"

namespace haplospin {

// BAM files stay open from one piece of a contig to the next, as opening one costs more than reading the few reads of a
// scaffold. As many are kept as the process may have open and as their indices take some memory; the others, and CRAM
// and SAM, are opened each time. Files with the same contigs share the table of these.
class AlignmentPool {
 public:
  // A file that nobody else uses meanwhile.
  class Lease {
   public:
    Lease(AlignmentPool& pool, std::unique_ptr<AlignmentFile> file) : pool_(pool), file_(std::move(file)) {}
    Lease(Lease&&) = default;
    ~Lease() {
      if (file_) pool_.Keep(std::move(file_));
    }

    AlignmentFile& operator*() const { return *file_; }
    AlignmentFile* operator->() const { return file_.get(); }

   private:
    AlignmentPool& pool_;
    std::unique_ptr<AlignmentFile> file_;
  };

  // Has the index of a file elsewhere than beside it. To be called before it is opened.
  void UseIndex(const std::string& path, const std::string& index) { indices_[path] = index; }

  // Throws InputError as AlignmentFile does. Several threads may call it.
  Lease Open(const std::string& path, const std::string& fasta);

 private:
  void Keep(std::unique_ptr<AlignmentFile> file);

  std::mutex mutex_;
  std::map<std::string, std::string> indices_;                  // by the path of the file, where it was given
  std::map<std::string, std::unique_ptr<AlignmentFile>> kept_;  // by path
  size_t kept_bytes_ = 0;                                       // of their indices
  std::shared_ptr<const SamContigs> contigs_;                   // of the first file
};

}  // namespace haplospin
