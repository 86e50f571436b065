#include "genotypes/imputation/contig/window_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/temporary_folder.h"
#include "core/threads.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/panel_files.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr size_t kMebibyte = size_t{1} << 20;
constexpr size_t kStudyHaplotypes = 100'000;

// A panel file of 100 haplotypes and 400 markers, and a study of many.
class WindowMemoryTest : public testing::Test {
 protected:
  WindowMemoryTest() {
    const Mosaic mosaic = SimulateMosaic({.haplotypes = 100, .markers = 400});
    const std::string vcf = folder_ / "panel.vcf.gz";
    WriteVariants(vcf, MosaicVcf(mosaic, DiploidSamples("R", 50), 0, AllMarkers(mosaic)), FileForm::kBgzip);
    job_.panel.path = folder_ / "panel.hsp";
    BuildPanelFile(vcf, job_.panel.path, {});
    last_position_ = mosaic.markers.back().position;
    panel_ = OpenPanel(job_.panel.path);
    panel_->NextContig();
  }

  WindowMemory Estimate(int threads) {
    SetThreads(threads);
    return Estimate({plan_, kStudyHaplotypes / 2, kStudyHaplotypes});
  }

  WindowMemory Estimate(const ImputedStudy& study) {
    return EstimateMemory(*panel_, GeneticMap::Uniform(), {20, 2}, 1, last_position_, study, job_).value();
  }

  void TearDown() override { SetThreads(AvailableThreads()); }

  // The bytes, and the warning if there is one.
  using Left = std::pair<size_t, std::string>;
  Left Run(const WindowMemory& estimate) const {
    testing::internal::CaptureStderr();
    Left left;
    try {
      left.first = LeftForDosages(estimate, job_, "20");
    } catch (...) {
      testing::internal::GetCapturedStderr();
      throw;
    }
    left.second = testing::internal::GetCapturedStderr();
    return left;
  }

  const std::unique_ptr<Backend> backend_ = MakeCpuBackend(LiStephensWeights());
  const WindowPlan plan_ = MakeWindowPlan({}, {.imputer = {.backend = backend_.get()}});
  const TemporaryFolder folder_;
  ImputeJob job_;
  int64_t last_position_;
  std::unique_ptr<PanelReader> panel_;
};

// The dosages that fit decide on the windows, and these on the results.
TEST_F(WindowMemoryTest, WhatIsLeftForDosagesDoesNotDependOnThreads) {
  job_.memory.max_bytes = Estimate(1).bytes + 30 * kMebibyte;
  std::optional<size_t> left;
  for (const int threads : {1, 2, 8, 16, 64}) {
    const WindowMemory estimate = Estimate(threads);
    EXPECT_LT(Estimate(threads).bytes, Estimate(threads + 1).bytes);
    const size_t now = Run(estimate).first;
    EXPECT_EQ(now, left.value_or(now)) << threads;
    EXPECT_LT(now, estimate.dosage_bytes) << threads;
    EXPECT_LT(now, 30 * kMebibyte);
    left = now;
  }
}

// Each thread has at least the mismatches and the last state of every haplotype.
TEST_F(WindowMemoryTest, AThreadTakesItsTablesOfThePanel) {
  const size_t of_thread = Estimate(2).bytes - Estimate(1).bytes;
  const size_t blocks = 3 * panel_->Content(1, last_position_)->largest_block;
  EXPECT_GE(of_thread - blocks, 100 * (MatchFeatures::BytesOfHaplotype() + CopyingStates::BytesOfHaplotype()));
}

// Only those who are related to people of the panel take memory for their families.
TEST_F(WindowMemoryTest, FamiliesOfThePanelTakeMemory) {
  const WindowMemory alone = Estimate({plan_, 100, 200});
  Pedigree families{.num_people = 102};
  for (size_t child = 0; child < 10; ++child) families.descent.push_back({child, 100, 101});
  families.descent.push_back({20, 21, 22});
  families.others = {{100, 0}, {101, 1}};
  const TransmissionPhaser phaser(families, 100);
  const WindowPlan plan =
      MakeWindowPlan({.kin = Kin::kPanel}, {.imputer = {.backend = backend_.get()}, .families = &phaser});
  const WindowMemory related = Estimate({plan, 100, 200});
  EXPECT_EQ(related.dosage_bytes, alone.dosage_bytes + alone.markers * 200 * sizeof(float));
  EXPECT_GE(related.bytes, alone.bytes + alone.markers * 12 * 40);
  EXPECT_LE(related.bytes, alone.bytes + alone.markers * 12 * 100);
  EXPECT_EQ(related.bytes - alone.bytes, related.planned_bytes - alone.planned_bytes);
}

TEST_F(WindowMemoryTest, WhatIsDrawnTogetherIsLimited) {
  const auto limits = [&] {
    PlanSettings settings;
    LimitJointStages(job_, settings);
    return settings;
  };
  EXPECT_EQ(limits().max_joint_alleles, PlanSettings().max_joint_alleles);
  EXPECT_EQ(limits().max_cluster_bytes, PlanSettings().max_cluster_bytes);
  job_.memory.max_bytes = 100 * kMebibyte;
  EXPECT_LE(limits().max_cluster_bytes, 50 * kMebibyte);
  EXPECT_GE(limits().max_cluster_bytes, 20 * kMebibyte);
  EXPECT_LT(limits().max_joint_alleles, PlanSettings().max_joint_alleles);
  job_.memory.max_bytes = kMebibyte;
  EXPECT_EQ(limits().max_joint_alleles, 0u);
  EXPECT_EQ(limits().max_cluster_bytes, 0u);
}

TEST_F(WindowMemoryTest, TheThreadsOfTheJobMustFit) {
  job_.memory.max_bytes = 120 * kMebibyte;
  SetThreads(16);
  WindowMemory estimate{.bytes = 40 * kMebibyte, .planned_bytes = 50 * kMebibyte, .dosage_bytes = 200 * kMebibyte};
  EXPECT_EQ(Run(estimate), (Left{70 * kMebibyte, ""}));
  estimate.bytes = 60 * kMebibyte;
  const auto [left, warning] = Run(estimate);
  EXPECT_EQ(left, 70 * kMebibyte);
  EXPECT_THAT(warning, HasSubstr("takes about 130 MiB with 16 threads, more than the 120 MiB of --memory"));
  estimate.bytes = 110 * kMebibyte;
  EXPECT_THROW(Run(estimate), InputError);
}

}  // namespace
}  // namespace haplospin
