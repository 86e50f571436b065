// The haplotypes of study samples, whose genotypes may be phased or not.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "imputation/phasing/window_phaser.h"
#include "imputation/sample_targets.h"

namespace haplospin {

// Phases the samples of a window that are not phased, or not everywhere: their most probable phase keeps the order of
// the alleles that are phased, and has the orientation that was found in an earlier window; their other versions are
// drawn from the posterior distribution. Samples copy the panel, and each other if they are many
// (PhasingOptions::min_study_share).
class StudyPhaser {
 public:
  // The context and the study must outlive the phaser.
  StudyPhaser(const PhasingContext& context, const WindowStudy& study);

  // The haplotypes of samples [begin, end). Runs on all threads; the result does not depend on their number.
  std::vector<SampleTargets> FindTargets(size_t begin, size_t end);

  // What the samples copy, and how.
  const PhasingReference& reference() const { return reference_ ? *reference_ : together_->phaser.reference(); }
  CopyingModel model() const { return reference_ ? model_ : together_->phaser.model(); }

 private:
  // Samples that are phased together.
  struct Group {
    Group(const PhasingContext& context, const WindowStudy& study, size_t begin, size_t end, bool copy_each_other);

    std::vector<size_t> samples;
    WindowPhaser phaser;
    std::vector<PhaseDraws> draws;
  };

  SampleTargets TargetsOf(const Group& group, size_t k) const;

  const PhasingContext& context_;
  const WindowStudy& study_;
  // One of them: the panel alone, or all samples, which copy each other.
  std::optional<PhasingReference> reference_;
  std::optional<Group> together_;
  CopyingModel model_;  // of the panel
};

}  // namespace haplospin
