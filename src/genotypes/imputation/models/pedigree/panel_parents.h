// Parents in the panel, compared with their children in the study.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/pedigree.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// The markers of a child and its parents.
struct MendelianCounts {
  size_t compared = 0;  // where their alleles are known and not all the same
  size_t errors = 0;

  // Returns whether there are so many errors that they are not related.
  bool AreNotRelated() const;
};

class PanelParents {
 public:
  // Pedigree::others are samples of the panel.
  PanelParents(const Pedigree& pedigree, size_t samples);

  // Compares the study's genotypes of a marker with those of panel marker `m`.
  void Compare(const SampleTable& samples, const std::string& contig, const GenotypeRow& row,
               const HaplotypePanel& panel, uint32_t m);

  // Throws InputError, which begins with `path`, for a child and parents who are not related. `samples` and `panel` are
  // names.
  void CheckFamilies(const std::string& path, std::span<const std::string> samples,
                     std::span<const std::string> panel) const;

 private:
  // A sample of the study, one of the panel, or unknown.
  struct Parent {
    std::optional<size_t> sample, panel_sample;
  };
  struct Family {
    size_t child;
    std::array<Parent, 2> parents;  // father, mother
    MendelianCounts counts = {};
  };

  std::vector<Family> families_;
};

// Throws InputError for a child who is not related to those who are called its parents.
[[noreturn]] void FailNotRelated(const std::string& path, const std::string& child,
                                 std::span<const std::string> parents, const MendelianCounts& counts);

}  // namespace haplospin
