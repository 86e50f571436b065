// The haplotypes of study samples, whose genotypes may be phased or not.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "imputation/phasing/sample_targets.h"
#include "imputation/phasing/window_phaser.h"

namespace haplospin {

// Phases the samples of a window that are not phased, or not everywhere: their most probable phase keeps the order of
// the alleles that are phased, and has the orientation that was found in an earlier window; their other versions are
// drawn from the posterior distribution. Samples copy the panel, and if they are many (PhasingOptions::min_study_share)
// the other samples of their group.
class StudyPhaser {
 public:
  // The context and the study must outlive the phaser.
  StudyPhaser(const PhasingContext& context, const WindowStudy& study);

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
    Group(const PhasingContext& context, const WindowStudy& study, SampleRange range, bool copy_each_other);

    SampleRange range;
    std::vector<size_t> unphased;  // samples of the range
    WindowPhaser phaser;
    std::vector<PhaseDraws> draws;
  };

  SampleRange GroupOf(size_t begin, size_t end) const;
  SampleTargets TargetsOf(const Group& group, size_t k) const;

  const PhasingContext& context_;
  const WindowStudy& study_;
  const size_t num_groups_;  // of samples that copy each other; 0: they copy the panel alone
  std::optional<Group> group_;
};

}  // namespace haplospin
