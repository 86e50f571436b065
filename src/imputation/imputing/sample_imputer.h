// Imputes samples of a window, one or several at a time: their haplotypes are passed to a backend, and what it finds
// for the versions of a sample's phase is averaged.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "imputation/copying/state_selection.h"
#include "imputation/imputing/backend.h"
#include "imputation/phasing/sample_targets.h"
#include "imputation/window/window_dosages.h"

namespace haplospin {

// A sample to impute, and how it copies the panel: its haplotypes are `first_haplotype` and the next of the dosages;
// those of its most probable phase are `first_selected` and the next of a selection of states.
struct WindowSample {
  const SampleTargets* targets;
  const CopyingModel* model;
  size_t first_selected;
  size_t first_haplotype;

  size_t ploidy() const { return targets->most_probable().size(); }

  // Its targets are the haplotypes of the versions of its phase, one version after the other.
  size_t num_targets() const { return targets->versions.size() * ploidy(); }
  const PhaseVersion& version(size_t target) const { return targets->versions[target / ploidy()]; }
  const TargetHaplotype& haplotype(size_t target) const { return version(target).haplotypes[target % ploidy()]; }
};

// Workspace of one thread, or of all together if the backend imputes in groups.
class SampleImputer {
 public:
  SampleImputer(const WindowContext& context, ImputerBackend& backend)
      : context_(context), imputer_(backend.NewTargetImputer(context)) {}

  // Calls `finished` with the index of a sample, by any thread. The left-out markers of `dosages` must be typed.
  void Impute(std::span<const WindowSample> samples, const StateSelection& selection,
              const std::function<void(size_t)>& finished, WindowDosages& dosages);

 private:
  // What is found for a target.
  struct Found {
    std::vector<float> minor_probability;  // [markers to impute]
    std::vector<float> left_out;           // [typed] ALT probability given all other alleles
  };

  // Samples that are imputed together.
  struct Group {
    std::span<const WindowSample> samples;  // none: there is no such group
    std::vector<Found> found;               // [targets]
    std::vector<TargetTask> tasks;          // [targets]
    std::unique_ptr<TargetGroup> prepared;
  };

  // The first of the samples that are left, if any.
  void Prepare(std::span<const WindowSample> left, const StateSelection& selection, Group& group);
  size_t CountNext(std::span<const WindowSample> samples) const;
  void MakeTasks(Group& group) const;
  void WriteAll(const Group& group, WindowDosages& dosages) const;
  void Write(const WindowSample& sample, std::span<const Found> found, WindowDosages& dosages) const;

  const WindowContext& context_;
  std::unique_ptr<TargetImputer> imputer_;
  std::array<Group, 3> groups_;  // one is prepared while another is imputed and the third is written
};

}  // namespace haplospin
