// The reads of all people of a study, piece by piece of a contig.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/alignments/damage_model.h"
#include "genotypes/variant_io/alignments/pileup_site.h"
#include "genotypes/variant_io/alignments/sample_pileup.h"

namespace haplospin {

// A file of several people is read once for all of them. Where the next piece follows, a BAM file is read on from there
// without its index.
class PeopleReads {
 public:
  explicit PeopleReads(std::shared_ptr<const AlignmentStudy> study);

  // Calls take(person, pileup) for each person, from several threads, with all reads at the sites of a contig, which is
  // named as in the study. `sites` are ascending by position. Throws InputError if a file is damaged.
  //
  // `errors` [people] are the models of their reads' errors; without them, qualities tell all.
  void Read(const std::string& contig, std::span<const PileupSite> sites, std::span<const ErrorModel> errors,
            const std::function<void(size_t person, const SamplePileup& pileup)>& take);

  // Returns how many of the reads so far, of files of several people, have no read group of one of them.
  size_t CountOfNobody() const;

 private:
  // A file, and whose reads it has.
  struct File {
    struct Part {
      size_t member;       // of the group
      std::string sample;  // as in PersonFile
    };

    std::string path;
    std::vector<Part> parts = {};
    ReadPlace place = {};
    size_t nobodys_reads = 0;
  };

  // People who share files.
  struct Group {
    std::vector<size_t> people = {};
    std::vector<File> files = {};
  };

  void AddPerson(size_t person, Group& group) const;
  void ReadFile(const std::string& contig, std::span<const PileupSite> sites, File& file,
                std::span<SamplePileup> pileups) const;

  const std::shared_ptr<const AlignmentStudy> study_;
  std::vector<Group> groups_;
  tbb::task_arena arena_;
};

}  // namespace haplospin
