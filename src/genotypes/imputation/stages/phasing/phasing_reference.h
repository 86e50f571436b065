// The haplotypes that the samples of a group copy while they are phased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/typed_panel.h"
#include "genotypes/imputation/models/phasing/imputed_alts.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/window/window_study.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Samples [begin, end) of the study.
struct SampleRange {
  size_t begin;
  size_t end;
};

// Returns the alleles of the samples of a range, the samples `index` among them in their present phase, with the most
// probable allele where one was imputed: [typed][haplotypes].
std::vector<std::vector<uint8_t>> PresentAlleles(const WindowStudy& study, SampleRange range,
                                                 std::span<const SampleGenotypes> present,
                                                 std::span<const size_t> index);

// Returns the first haplotype of each of the samples `index` among those of the range.
std::vector<uint32_t> RangeHaplotypes(const WindowStudy& study, SampleRange range, std::span<const size_t> index);

// The haplotypes that a sample may copy while it is phased: those of the panel, and after them those of study samples
// in their present phase, if these are used.
class PhasingReference {
 public:
  // The panel must outlive the reference.
  explicit PhasingReference(const TypedPanel& panel) : panel_(&panel), num_panel_haplotypes_(panel.num_haplotypes()) {}

  // `present` are the unphased samples among `samples` in their present phase, and `index` their indices in the study.
  // Those that `is_left_out` names, [present], are not copied by anyone; if it is empty, all are. Missing alleles are
  // taken as the major alleles.
  PhasingReference(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study, SampleRange samples,
                   std::span<const SampleGenotypes> present, std::span<const size_t> index,
                   const std::vector<bool>& is_left_out = {});

  const TypedPanel& panel() const { return *panel_; }
  HaplotypeRows rows() const { return panel_->rows(); }
  size_t num_haplotypes() const { return panel_->num_haplotypes(); }

  // Where alleles of the samples were imputed; of all haplotypes of the reference.
  const ImputedAlts& imputed() const { return imputed_; }

  // Returns the haplotypes of a study sample, which it must not copy itself; none if it is left out.
  ExcludedHaplotypes Own(const WindowStudy& study, size_t sample) const;

 private:
  std::unique_ptr<TypedPanel> joined_;
  const TypedPanel* panel_;
  ImputedAlts imputed_;
  size_t num_panel_haplotypes_;
  size_t first_sample_ = 0;
  std::vector<uint32_t> first_haplotype_;  // of the samples from first_sample_ on, or kNoHaplotype
};

}  // namespace haplospin
