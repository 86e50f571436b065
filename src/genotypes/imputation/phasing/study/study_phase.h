// The haplotypes of study samples, whose genotypes may be phased or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/imputation/phasing/sample/sample_targets.h"
#include "genotypes/imputation/phasing/study/cohort_phaser.h"
#include "genotypes/imputation/phasing/study/window_phaser.h"
#include "genotypes/imputation/window/panel_estimates.h"

namespace haplospin {

struct AlternativeOptions {
  size_t count = 3;  // largest number of alternatives to the most probable phase
  size_t reach = 5;  // heterozygotes on either side of an ambiguous stretch up to which alternatives have weight
};

struct PhaseAlternative {
  std::vector<bool> cis;      // [hets] the phase, as CisPhase()
  std::vector<float> weight;  // [hets + 1] its probability before each heterozygote, and after the last one
};

// Returns the few phases that stand for many draws: the most probable one, then alternatives, with weights that sum to
// 1 everywhere. Neighboring heterozygotes at which draws differ from the most probable phase form an ambiguous stretch;
// stretches are taken as independent. In each, the alternatives have the most frequent patterns of the draws, and share
// the probability of all other patterns.
std::vector<PhaseAlternative> FindAlternatives(const std::vector<bool>& most_probable,
                                               std::span<const std::vector<bool>> draws,
                                               const AlternativeOptions& options);

struct PhasingOptions {
  uint64_t seed = 1;
  size_t max_group = 8192;  // most samples that copy each other, which bounds memory and time per sample
};

// Returns whether the phase of all samples is complete, and no genotypes are given by likelihoods: then GivenTargets()
// are the haplotypes of the study.
bool AreHaplotypesGiven(const WindowStudy& study);

// Returns the haplotypes of samples [begin, end) as the study has them.
std::vector<SampleTargets> GivenTargets(const WindowStudy& study, size_t begin, size_t end);

// Phases the samples of a window that are not completely phased. Their most probable phase keeps the order of the
// alleles that are phased, and the orientation that was found in an earlier window; their other versions are drawn from
// the posterior distribution. Samples copy the panel and, if the study has at least as many haplotypes as the panel,
// the other samples of their group.
class StudyPhaser {
 public:
  // `estimates` are those of a panel with haplotypes; without them, samples copy each other alone. `work` is the share
  // of phasing in the progress of a sample. The window and the study must outlive the phaser.
  StudyPhaser(const PanelWindow& window, std::optional<PanelEstimates> estimates, const WindowStudy& study,
              const PhasingOptions& options, double work);

  // Returns the haplotypes of samples [begin, end), which must be within one batch of kSamplesAtATime samples. Batches
  // must be asked for in ascending order, because only one group is kept in memory. Runs on all threads; the result
  // does not depend on their number.
  std::vector<SampleTargets> FindTargets(size_t begin, size_t end);

  // The haplotypes that the samples of the last call copy, and the copying model. Valid until the next call. Without a
  // panel, they are of the markers at which samples may share an allele (cohort_phaser.h).
  const PhasingReference& reference() const { return group_->phased.reference; }
  const CopyingModel& model() const { return group_->phased.model; }

 private:
  // Samples that are phased together.
  struct Group {
    Group(const StudyPhaser& of, SampleRange range);

    SampleRange range;
    std::vector<size_t> found;  // samples of the range whose phase or missing alleles are found
    PhasedSamples phased;       // [found]
  };

  SampleRange GroupRange(size_t begin, size_t end) const;
  PhasedSamples Phase(const SampleRange& range, const std::vector<size_t>& index) const;
  SampleTargets FoundTargets(const Group& group, size_t k) const;

  const PanelWindow& window_;
  const std::optional<PanelEstimates> estimates_;
  const WindowStudy& study_;
  const PhasingOptions options_;
  const double work_;
  const size_t num_groups_;  // groups of samples that copy each other; 0 if samples copy the panel alone
  std::optional<Group> group_;
};

}  // namespace haplospin
