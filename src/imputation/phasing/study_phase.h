// The haplotypes of study samples, whose genotypes may be phased or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "imputation/phasing/sample_targets.h"
#include "imputation/phasing/window_phaser.h"

namespace haplospin {

struct PhasingOptions {
  uint64_t seed = 1;
  size_t max_group = 8192;  // samples that copy each other, so that memory and time per sample are bounded
};

// Phases the samples of a window that are not phased, or not everywhere: their most probable phase keeps the order of
// the alleles that are phased, and has the orientation that was found in an earlier window; their other versions are
// drawn from the posterior distribution. Samples copy the panel and, if the study has at least as many haplotypes as
// the panel, the other samples of their group.
class StudyPhaser {
 public:
  // `work`: the share of a sample's work that is phasing, as progress is reported. The window and the study must
  // outlive the phaser.
  StudyPhaser(const PanelWindow& window, const WindowStudy& study, const PhasingOptions& options, double work);

  // The haplotypes of samples [begin, end), which must be within one batch of kSamplesAtATime samples. Call it for the
  // batches in ascending order: a group is kept only until samples of the next one are asked for. Runs on all threads;
  // the result does not depend on their number.
  std::vector<SampleTargets> FindTargets(size_t begin, size_t end);

  // What the samples of the last call copy, and how.
  const PhasingReference& reference() const { return group_->phaser.reference(); }
  CopyingModel model() const { return group_->phaser.model(); }

 private:
  // Samples that are phased together.
  struct Group {
    Group(const StudyPhaser& of, SampleRange range);

    SampleRange range;
    std::vector<size_t> unphased;  // samples of the range
    WindowPhaser phaser;
    std::vector<PhaseDraws> draws;
  };

  SampleRange GroupOf(size_t begin, size_t end) const;
  SampleTargets TargetsOf(const Group& group, size_t k) const;

  const PanelWindow& window_;
  const WindowStudy& study_;
  const PhasingOptions options_;
  const double work_;
  const size_t num_groups_;  // of samples that copy each other; 0: they copy the panel alone
  std::optional<Group> group_;
};

}  // namespace haplospin
