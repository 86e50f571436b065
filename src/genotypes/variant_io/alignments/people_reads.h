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

// A file is open only while a piece is read from it, one in each thread: hundreds of them are more than a process may
// have open, and their indices more than it should keep in memory. Where the next piece follows, a BAM file is read on
// from there without its index, which takes about as long to load as the reads of a piece at 1x.
class PeopleReads {
 public:
  explicit PeopleReads(std::shared_ptr<const AlignmentStudy> study);

  // Calls take(person, pileup) for each person, from several threads, with all reads at the sites of a contig, which is
  // named as in the study. `sites` are ascending by position. Throws InputError if a file is damaged.
  //
  // `errors` [people] are the models of their reads' errors; without them, qualities tell all.
  void Read(const std::string& contig, std::span<const PileupSite> sites, std::span<const ErrorModel> errors,
            const std::function<void(size_t person, const SamplePileup& pileup)>& take);

 private:
  const std::shared_ptr<const AlignmentStudy> study_;
  std::vector<std::vector<ReadPlace>> places_;  // [people, files]
  tbb::task_arena arena_;
};

}  // namespace haplospin
