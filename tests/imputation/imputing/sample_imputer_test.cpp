#include "imputation/imputing/sample_imputer.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "imputation/imputing/cpu_backend.h"
#include "imputation/imputing/impute_window.h"
#include "imputation/mosaic_panel.h"
#include "imputation/network/network_fixtures.h"

namespace haplospin {
namespace {

// What a device does, one sample after the other.
class GroupImputer : public TargetImputer {
 public:
  GroupImputer(std::unique_ptr<TargetImputer> kernels, size_t max_targets, std::vector<size_t>& group_sizes)
      : kernels_(std::move(kernels)), max_targets_(max_targets), group_sizes_(group_sizes) {}

  void Impute(TargetGroup& group) override {
    group_sizes_.push_back(group.tasks.size());
    kernels_->Impute(group);
  }
  size_t max_targets() const override { return max_targets_; }

 private:
  std::unique_ptr<TargetImputer> kernels_;
  size_t max_targets_;
  std::vector<size_t>& group_sizes_;
};

class GroupBackend : public ImputerBackend {
 public:
  GroupBackend(std::unique_ptr<Backend> kernels, size_t max_targets)
      : kernels_(std::move(kernels)), max_targets_(max_targets) {}

  std::unique_ptr<TargetImputer> NewTargetImputer(const WindowContext& context) override {
    return std::make_unique<GroupImputer>(kernels_->NewTargetImputer(context), max_targets_, group_sizes);
  }
  bool ImputesInGroups() const override { return true; }

  std::vector<size_t> group_sizes;  // in targets

 private:
  std::unique_ptr<Backend> kernels_;
  size_t max_targets_;
};

// The last haplotypes of a mosaic are the study; the others are the panel. Returns the sizes of the groups.
std::vector<size_t> ExpectTheSameInGroups(const std::vector<int>& ploidies, bool is_phased,
                                          const CopyingOptions& copying = {}, size_t max_targets = 128) {
  const SampleTable samples = MakeSamples("S", ploidies);
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 160 + samples.num_haplotypes(), .markers = 150, .seed = 4});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 80));
  const SimulatedStudy study(samples, CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(160));
  const std::vector<uint8_t> all_samples(ploidies.size(), 1);
  WindowStudy view = study.View();
  if (!is_phased) view.unphased.assign(view.typed.size(), &all_samples);
  const auto impute = [&](ImputerBackend& backend) {
    return ImputeStudy(panel, view, {0, panel.num_markers()}, backend, copying);
  };
  GroupBackend in_groups(MakeCpuBackend(RandomWeights(2)), max_targets);
  const WindowDosages one_by_one = impute(*MakeCpuBackend(RandomWeights(2))), together = impute(in_groups);
  for (size_t h = 0; h < one_by_one.num_haplotypes(); ++h) {
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      EXPECT_EQ(one_by_one.Get(h, m), together.Get(h, m)) << "haplotype " << h << ", marker " << m;
    }
    for (size_t k = 0; k < one_by_one.left_out_markers.size(); ++k) {
      EXPECT_EQ(one_by_one.left_out.Get(h, k), together.left_out.Get(h, k)) << "haplotype " << h << ", typed " << k;
    }
  }
  return in_groups.group_sizes;
}

TEST(SampleImputer, ImputesAsEachSampleByItself) {
  const std::vector<int> mixed{2, 1, 2, 2, 1, 1, 2, 2, 2};
  EXPECT_EQ(ExpectTheSameInGroups(mixed, true), std::vector<size_t>{15});
  ExpectTheSameInGroups(mixed, true, {.states = {.max_states = 100}});
}

TEST(SampleImputer, ImputesInSeveralGroups) {
  const std::vector<size_t> sizes = ExpectTheSameInGroups(std::vector<int>(70, 2), true);
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_LE(sizes[0], 128u);
  EXPECT_GE(sizes[0] + sizes[1], 140u);  // and two more for a sample with a doubtful phase
}

// A sample is imputed however few targets are wanted.
TEST(SampleImputer, ASampleIsNotDivided) {
  EXPECT_EQ(ExpectTheSameInGroups({2, 2, 2}, true, {}, 1), (std::vector<size_t>{2, 2, 2}));
}

// Of a sample that is not phased, several versions are imputed.
TEST(SampleImputer, ImputesVersionsOfThePhase) {
  const std::vector<size_t> sizes = ExpectTheSameInGroups(std::vector<int>(6, 2), false);
  ASSERT_EQ(sizes.size(), 1u);
  EXPECT_GT(sizes[0], 12u);
}

}  // namespace
}  // namespace haplospin
