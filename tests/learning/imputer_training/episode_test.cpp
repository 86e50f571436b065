#include "learning/imputer_training/episode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/temporary_folder.h"
#include "core/threads.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/site_list_file.h"
#include "learning/imputer_training/tiny_training.h"

namespace haplospin {
namespace {

bool SameBatch(const EpisodeBatch& a, const EpisodeBatch& b) {
  return a.features == b.features && a.count == b.count && a.interval == b.interval && a.carriers == b.carriers &&
         a.marker_features == b.marker_features && a.truth == b.truth && a.plain_truth == b.plain_truth &&
         a.plain_frequency == b.plain_frequency && a.plain_candidate == b.plain_candidate;
}

TEST(Episodes, AreWhole) {
  const EpisodeBatch batch = DrawTinyBatch(TinyPanels(), 1);
  const size_t intervals = batch.count.size(), markers = batch.interval.size();
  ASSERT_GT(markers, 100u);
  ASSERT_EQ(batch.features.size(), intervals * kNumCopyFeatures * kMaxCandidates);
  ASSERT_EQ(batch.carriers.size(), markers * kMaxCandidates);
  ASSERT_EQ(batch.marker_features.size(), markers * kNumMarkerFeatures);
  ASSERT_EQ(batch.truth.size(), markers);
  ASSERT_EQ(batch.plain_frequency.size(), batch.plain_truth.size());
  ASSERT_EQ(batch.plain_candidate.size(), batch.plain_truth.size());
  EXPECT_TRUE(std::ranges::all_of(batch.features, [](float f) { return std::isfinite(f) && std::abs(f) < 100; }));
  EXPECT_TRUE(std::ranges::is_sorted(batch.interval));
  for (size_t v = 0; v < markers; ++v) {
    ASSERT_LT(batch.interval[v], static_cast<int64_t>(intervals));
    const uint8_t* carriers = &batch.carriers[v * kMaxCandidates];
    const int64_t used = batch.count[batch.interval[v]];
    const auto carrying = std::count(carriers, carriers + used, 1);
    ASSERT_TRUE(carrying > 0 && carrying < used);
    ASSERT_EQ(std::count(carriers + used, carriers + kMaxCandidates, 0), static_cast<ptrdiff_t>(kMaxCandidates) - used);
    ASSERT_TRUE(batch.truth[v] == 0 || batch.truth[v] == 1);
  }
}

// Most of the truth agrees with what the best candidate carries: targets, candidates and truth belong together.
TEST(Episodes, TheTruthIsTheTargets) {
  const EpisodeBatch batch = DrawTinyBatch(TinyPanels(), 2);
  const EpisodeTensors tensors(batch, torch::kCPU);
  const torch::Tensor p = CopyingProbabilities(tensors);
  const double error = torch::mse_loss(p, tensors.truth).item<double>();
  const torch::Tensor frequency = tensors.marker_features.select(1, 0);
  EXPECT_LT(error, 0.4 * torch::mse_loss(frequency, tensors.truth).item<double>());
}

// The panel's counts of a marker must not depend on the target: markers that only the target's sample carries are
// omitted, because a panel without it would not have them.
TEST(Episodes, TheTargetsOwnAllelesAreNotCounted) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 80, .markers = 600, .spacing_bp = 3000});
  for (size_t m = 0; m < 600; m += 2) {  // private to one sample: heterozygous or homozygous
    for (auto& row : mosaic.alleles) row[m] = 0;
    const size_t sample = m / 2 % 40;
    mosaic.alleles[2 * sample][m] = 1;
    mosaic.alleles[2 * sample + 1][m] = m % 4 == 0;
  }
  for (size_t m = 1; m < 600; m += 2) {  // the others have many carriers
    for (size_t h = 0; h < 80; h += 3) mosaic.alleles[h][m] = 1;
    for (size_t h = 1; h < 80; h += 3) mosaic.alleles[h][m] = 0;
  }
  std::vector<TrainingPanel> panels;
  panels.push_back({"private", MakePanel(mosaic, DiploidSamples("R", 40)), GeneticMap::Uniform(), {}});
  size_t rare = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const EpisodeBatch batch = DrawTinyBatch(panels, seed);
    for (size_t v = 0; v < batch.truth.size(); ++v) {
      const float frequency = batch.marker_features[v * kNumMarkerFeatures];
      ASSERT_GT(frequency, 0);
      if (frequency > 2.5f / 78) continue;
      ASSERT_EQ(batch.truth[v], 0) << "a private allele of the target";
      ++rare;
    }
    for (size_t w = 0; w < batch.plain_truth.size(); ++w) ASSERT_GT(batch.plain_frequency[w], 0);
  }
  EXPECT_GT(rare, 100u);
}

TEST(Episodes, FollowFromTheirSeed) {
  const std::vector<TrainingPanel> panels = TinyPanels();
  const EpisodeBatch first = DrawTinyBatch(panels, 3);
  EXPECT_TRUE(SameBatch(first, DrawTinyBatch(panels, 3)));
  EXPECT_FALSE(SameBatch(first, DrawTinyBatch(panels, 4)));
  SetThreads(1);
  EXPECT_TRUE(SameBatch(first, DrawTinyBatch(panels, 3)));
  SetThreads(AvailableThreads());
}

// A given site list is used where half of the tasks are to use it, or all.
TEST(Episodes, RealArrays) {
  std::vector<TrainingPanel> panels = TinyPanels();
  EpisodeOptions options = TinyEpisodes();
  options.real_array_share = 1;
  options.clean_share = 1;
  const auto draw = [&](double real_array_share) {
    options.real_array_share = real_array_share;
    EpisodeBatch batch;
    TrainingTask(panels, options, RandomStream(5)).AddEpisodes(1, RandomStream(6), batch);
    return batch;
  };
  const EpisodeBatch drawn = draw(1);  // the panel has no real array yet
  panels[0].arrays.push_back([] {
    const TemporaryFolder folder;
    std::ofstream sites(folder / "sites");
    for (int m = 0; m < 600; m += 2) sites << "20 " << (m + 1) * 3000 << "\n";
    sites.close();
    return LoadSiteList(folder / "sites");
  }());
  EXPECT_FALSE(SameBatch(draw(1), drawn));
  EXPECT_TRUE(SameBatch(draw(1), draw(1)));
}

TEST(EpisodeTest, MarkersKeepTheWeightOfTheirTask) {
  EpisodeBatch first, second;
  first.truth = {0, 1};
  first.plain_truth = {1};
  second.truth = {1};
  first.SetWeight(2);
  second.SetWeight(3);
  first.Append(second);
  EXPECT_EQ(first.weight, (std::vector<float>{2, 2, 3}));
  EXPECT_EQ(first.plain_weight, (std::vector<float>{2}));
}

}  // namespace
}  // namespace haplospin
