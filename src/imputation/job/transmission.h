// Phase by transmission: what parents and children say of each other's phase.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/job/recent_phase_sets.h"
#include "variant_io/fam_file.h"

namespace haplospin {

// A child has its father's allele first. A parent has first the allele that its first child of the pedigree has from
// it, unless it is itself a child of somebody in the study. The order of what was phased in the study follows.
class TransmissionPhaser {
 public:
  TransmissionPhaser(const Pedigree& pedigree, size_t samples);

  // Whether the order of the sample's haplotypes is that of transmission.
  bool Orders(size_t sample) const { return is_ordered_[sample]; }

  // Marker `s` of the study, after those before it. Genotypes that break Mendel's laws become missing. `sets` are told
  // the order of those that the genotypes are in.
  void Phase(StudyGenotypes& study, size_t s, RecentPhaseSets& sets);

  size_t num_errors() const { return num_errors_; }
  const std::string& first_error() const { return first_error_; }  // "NAME at CONTIG:POSITION", of the child

 private:
  struct Family {
    size_t child;
    std::array<std::optional<size_t>, 2> parents;  // father, mother
    std::array<bool, 2> orders_parent;
  };

  void RemoveErrors(StudyGenotypes& study, size_t s);

  std::vector<Family> families_;
  std::vector<bool> is_ordered_;  // [samples]
  size_t num_errors_ = 0;
  std::string first_error_;
};

}  // namespace haplospin
