#include "genotypes/imputation/stages/phasing/cluster_haplotypes.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>

#include <array>

#include "core/random.h"
#include "genotypes/imputation/models/phasing/mosaic_phase.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Mosaics of a few founders. A third of the genotypes have one read, a third two, and a third none.
class ClusterHaplotypesTest : public testing::Test {
 protected:
  static constexpr size_t kSamples = 100;

  ClusterHaplotypesTest()
      : mosaic_(SimulateMosaic({.haplotypes = 2 * kSamples, .markers = 200, .founders = 8, .rare_share = 0})) {
    RandomStream random(7);
    for (size_t j = 0; j < mosaic_.markers.size(); ++j) centimorgans_.push_back(0.02 * static_cast<double>(j));
    for (size_t s = 0; s < kSamples; ++s) {
      names_.push_back(std::to_string(s));
      SampleGenotypes& sample = samples_.emplace_back();
      for (uint32_t j = 0; j < mosaic_.markers.size(); ++j) {
        std::array<int, 2> reads{};
        for (uint64_t depth = random.UniformInt(3); depth > 0; --depth) {
          ++reads[mosaic_.alleles[2 * s + (random.Bernoulli(0.5) ? 1 : 0)][j]];
        }
        for (std::vector<uint8_t>& alleles : sample.alleles) alleles.push_back(kMissingAllele);
        const bool has_both = reads[0] > 0 && reads[1] > 0;
        const auto n = static_cast<uint8_t>(3 * (reads[0] + reads[1]));
        sample.missing.push_back(j);
        sample.likelihoods.push_back(has_both       ? GenotypeLikelihoods{{17, 0, 17}}
                                     : n == 0       ? GenotypeLikelihoods()
                                     : reads[0] > 0 ? GenotypeLikelihoods{{0, n, 60}}
                                                    : GenotypeLikelihoods{{60, n, 0}});
      }
    }
  }

  size_t NumWrong(size_t s, const std::array<std::vector<float>, 2>& alt) const {
    size_t wrong = 0;
    for (size_t j = 0; j < centimorgans_.size(); ++j) {
      const int alts = mosaic_.alleles[2 * s][j] + mosaic_.alleles[2 * s + 1][j];
      wrong += (alt[0][j] > 0.5f ? 1 : 0) + (alt[1][j] > 0.5f ? 1 : 0) != alts ? 1 : 0;
    }
    return wrong;
  }

  const Mosaic mosaic_;
  std::vector<double> centimorgans_;
  std::vector<std::string> names_;
  std::vector<SampleGenotypes> samples_;
  std::vector<MissingAlleles> average_ = std::vector<MissingAlleles>(kSamples);
};

TEST_F(ClusterHaplotypesTest, FindsMostGenotypesFromFewReads) {
  GuessFromClusters(centimorgans_, names_, 1, samples_, average_);
  size_t wrong_draws = 0, wrong = 0;
  for (size_t s = 0; s < kSamples; ++s) {
    std::array<std::vector<float>, 2> drawn;
    for (size_t c = 0; c < 2; ++c) {
      for (const uint8_t alt : samples_[s].imputed[c]) drawn[c].push_back(static_cast<float>(alt) / kCertainAlt);
    }
    wrong_draws += NumWrong(s, drawn);
    wrong += NumWrong(s, average_[s].Probabilities(samples_[s]));
  }
  const size_t genotypes = kSamples * centimorgans_.size();
  EXPECT_LT(wrong_draws, genotypes / 5);
  EXPECT_LT(wrong, genotypes / 8);
}

TEST_F(ClusterHaplotypesTest, TheThreadsDoNotMatter) {
  std::vector<SampleGenotypes> by_one = samples_;
  std::vector<MissingAlleles> average_by_one(kSamples);
  tbb::task_arena(1).execute([&] { GuessFromClusters(centimorgans_, names_, 1, by_one, average_by_one); });
  GuessFromClusters(centimorgans_, names_, 1, samples_, average_);
  for (size_t s = 0; s < kSamples; ++s) {
    EXPECT_EQ(samples_[s].imputed, by_one[s].imputed);
    EXPECT_EQ(average_[s].Probabilities(samples_[s]), average_by_one[s].Probabilities(by_one[s]));
  }
}

// What is known is kept, and the phase of a heterozygote agrees with its neighbors'.
TEST_F(ClusterHaplotypesTest, KnownAllelesStay) {
  SampleGenotypes& sample = samples_[5];
  sample.alleles[0][0] = 1;
  sample.alleles[1][0] = 0;
  sample.hets = {0};
  sample.missing.erase(sample.missing.begin());
  sample.likelihoods.erase(sample.likelihoods.begin());
  GuessFromClusters(centimorgans_, names_, 1, samples_, average_);
  EXPECT_EQ(sample.alleles[0][0] + sample.alleles[1][0], 1);
  EXPECT_EQ(sample.imputed[0].size(), sample.missing.size());
}

}  // namespace
}  // namespace haplospin
