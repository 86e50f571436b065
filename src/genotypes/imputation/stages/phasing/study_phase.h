// The haplotypes of study samples, whose genotypes may be phased or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_sampler.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/stages/phasing/family_phase.h"
#include "genotypes/imputation/stages/phasing/group_phaser.h"
#include "genotypes/imputation/stages/phasing/phasing_plan.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

struct PhasingOptions {
  PhasingPlanMaker plan = PlanFromPanel;
  uint64_t seed = 1;
  size_t max_group = 8192;     // most samples that copy each other, which bounds memory and time per sample
  bool has_families = false;   // whether the haplotypes of the study's families are found together
  bool finds_animals = false;  // whether those of people without genotypes are found from their relatives
};

// Returns whether the phase of all samples is given: then GivenTargets() are their haplotypes.
bool IsPhased(const WindowStudy& study);

// Returns the haplotypes of samples [begin, end) as the study has them.
std::vector<SampleTargets> GivenTargets(const WindowStudy& study, size_t begin, size_t end);

// Phases the samples of a window that are not completely phased. Their most probable phase keeps the order of the
// alleles that are phased, and the orientation that was found in an earlier window; their other versions are drawn from
// the posterior distribution.
class StudyPhaser {
 public:
  // `estimates` are those of the panel, if the plan of the options copies one. `work` is the share of phasing in the
  // progress of a sample. The window and the study must outlive the phaser.
  StudyPhaser(const PanelWindow& window, std::optional<PanelEstimates> estimates, const WindowStudy& study,
              const PhasingOptions& options, double work);

  // Returns the haplotypes of samples [begin, end), which must be within one batch of kSamplesAtATime samples. Batches
  // must be asked for in ascending order, because only one group is kept in memory. Runs on all threads; the result
  // does not depend on their number.
  std::vector<SampleTargets> FindTargets(size_t begin, size_t end);

  // Returns the haplotypes of all samples, if there is no need to release those of a batch.
  std::vector<SampleTargets> FindAllTargets();

  const PhasingPlan& plan() const { return plan_; }

  // The haplotypes that the samples of the last call copy, and the copying model. Valid until the next call. Where the
  // plan has a scaffold, they are of the markers at which samples may share an allele (group_phaser.h).
  const PhasingReference& reference() const { return group_->phased.reference; }
  const CopyingModel& model() const { return group_->phased.model; }

  // The haplotypes of the people without genotypes, if they are to be found: [Pedigree::animals]. Valid after a call.
  const std::vector<FamilyHaplotypes>& animals() const { return group_->animals; }

 private:
  // Samples that are phased together.
  struct Group {
    Group(const StudyPhaser& phaser, SampleRange range);

    SampleGroup samples;
    PhasedSamples phased;
    std::vector<SampleTargets> targets;  // of all samples, if families change them
    std::vector<FamilyHaplotypes> animals;
  };

  SampleRange GroupRange(size_t begin, size_t end) const;
  std::vector<SampleTargets> Targets(const Group& group, size_t begin, size_t end) const;
  SampleTargets FoundTargets(const Group& group, size_t k) const;
  std::vector<SampleTargets> PhaseFounders(const FamilyRefinement& families) const;

  const PanelWindow& window_;
  const std::optional<PanelEstimates> estimates_;
  const WindowStudy& study_;
  const PhasingOptions options_;
  const double work_;
  const PhasingPlan plan_;
  std::optional<Group> group_;
};

}  // namespace haplospin
