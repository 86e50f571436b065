// The models of errors of the reads of all people of a study.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/alignments/damage_model.h"

namespace haplospin {

// Each person's model is estimated from the reads at the first sites of the sites' file that are on contigs with reads:
// as many as give everybody kBasesOfModel bases, and at most kSitesOfModel. So it depends neither on the region or the
// contig that is imputed, nor on other people's reads, nor on threads.
class PeopleErrors {
 public:
  static constexpr size_t kBasesOfModel = 50000, kSitesOfModel = 65536;

  // `sites` is the path of a panel, or of a list of sites.
  PeopleErrors(std::shared_ptr<const AlignmentStudy> study, std::string sites);

  // [people] Estimated by the first call, which reads the files. Throws InputError if one is damaged.
  std::span<const ErrorModel> Models();

  // Tells how many people have damage or more errors than the qualities of their bases tell, and the figures of each in
  // the log file. `path` stands for the files. Nothing is said before there are models.
  void Tell(const std::string& path) const;

 private:
  void Estimate();

  const std::shared_ptr<const AlignmentStudy> study_;
  const std::string sites_;
  std::once_flag is_estimated_;
  std::vector<ErrorModel> models_;
};

}  // namespace haplospin
