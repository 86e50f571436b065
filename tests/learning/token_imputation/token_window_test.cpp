#include "learning/token_imputation/token_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// The alleles of a haplotype read as numbers of k bits; a last token that is short has zeros.
std::vector<uint32_t> KmerTokens(const std::vector<uint8_t>& alleles, size_t k) {
  std::vector<uint32_t> tokens(NumKmerTokens(alleles.size(), k));
  for (size_t m = 0; m < alleles.size(); ++m) tokens[m / k] |= uint32_t{alleles[m]} << m % k;
  return tokens;
}

class TokenWindowTest : public testing::Test {
 protected:
  TokenWindowTest() : mosaic_(SimulateMosaic({.haplotypes = 80, .markers = 300})), panel_(HaploidPanelOf(mosaic_)) {
    for (uint32_t m = 0; m < 300; m += 3) typed_.push_back(m);
    untyped_ = UntypedMarkers(typed_, {0, 300});
  }

  // Alleles of a haplotype at a window's markers, as the shape counts them.
  std::vector<uint8_t> Bits(size_t haplotype, const std::vector<uint32_t>& markers, const TokenShape& shape) const {
    std::vector<uint8_t> bits;
    for (uint32_t m : markers) {
      const int alt = panel_.allele(m, haplotype);
      bits.push_back(static_cast<uint8_t>(shape.minor_alleles && !panel_.minor_is_alt(m) ? 1 - alt : alt));
    }
    return bits;
  }

  const Mosaic mosaic_;
  const HaplotypePanel panel_;
  std::vector<uint32_t> typed_, untyped_;
};

TEST_F(TokenWindowTest, UntypedAreTheRest) {
  EXPECT_EQ(untyped_.size(), 200u);
  EXPECT_THAT(UntypedMarkers(typed_, {3, 8}), testing::ElementsAre(4, 5, 7));
}

TEST_F(TokenWindowTest, InputsAreTheNearestTyped) {
  const TokenShape shape{.kmer = 5, .inputs = 11, .targets = 6};
  for (size_t first : {0, 97, 194}) {
    const auto targets = std::span(untyped_).subspan(first, 6);
    const TokenWindow window = WindowAround(panel_, typed_, {targets.begin(), targets.end()}, shape);
    const int64_t middle = (panel_.marker(targets[0]).position + panel_.marker(targets[5]).position) / 2;
    const auto distance = [&](uint32_t m) { return std::abs(panel_.marker(m).position - middle); };
    ASSERT_EQ(window.inputs.size(), 11u);
    EXPECT_TRUE(std::ranges::is_sorted(window.inputs));
    int64_t farthest = 0;
    for (uint32_t m : window.inputs) farthest = std::max(farthest, distance(m));
    for (uint32_t m : typed_) {
      if (!std::ranges::binary_search(window.inputs, m)) {
        EXPECT_GE(distance(m), farthest);
      }
    }
  }
}

TEST_F(TokenWindowTest, TilesHoldEveryMarkerToImpute) {
  const TokenShape shape{.inputs = 20, .targets = 30};
  const std::vector<TokenWindow> windows = TileWindows(panel_, typed_, untyped_, shape);
  ASSERT_EQ(windows.size(), 7u);
  std::vector<uint32_t> all;
  for (const TokenWindow& window : windows) {
    EXPECT_EQ(window.targets.size(), 30u);
    all.insert(all.end(), window.targets.begin(), window.targets.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(all, untyped_);
  EXPECT_EQ(windows.back().targets.back(), untyped_.back());
}

TEST_F(TokenWindowTest, SpreadFromFirstToLastOrInTheMiddle) {
  const TokenShape shape{.inputs = 20, .targets = 50};
  const auto three = SpreadWindows(panel_, typed_, untyped_, shape, 3);
  EXPECT_EQ(three[0].targets.front(), untyped_.front());
  EXPECT_EQ(three[2].targets.back(), untyped_.back());
  EXPECT_EQ(SpreadWindows(panel_, typed_, untyped_, shape, 1)[0].targets.front(), untyped_[75]);
}

TEST_F(TokenWindowTest, LackedMarkersAreMarked) {
  const TokenShape shape{.kmer = 5, .inputs = 120, .targets = 15};
  const auto seven = std::span(untyped_).first(7);
  const TokenWindow window = WindowAround(panel_, typed_, {seven.begin(), seven.end()}, shape);
  EXPECT_EQ(std::ranges::count(window.inputs, kNoMarker), 20);
  EXPECT_EQ(std::ranges::count(window.targets, kNoMarker), 8);
  const TokenTable table = PanelTokens(panel_, window, shape);
  // 20 tokens of 5 inputs are whole, 4 have no marker; a token of targets is absent only if it has none.
  EXPECT_EQ(table.absent.narrow(1, 0, 20).sum().item<int64_t>(), 0);
  EXPECT_TRUE(table.absent.narrow(1, 20, 4).all().item<bool>());
  EXPECT_EQ(table.absent[0].narrow(0, 24, 3).sum().item<int64_t>(), 1);
  EXPECT_TRUE(table.absent[0][26].item<bool>());
}

TEST_F(TokenWindowTest, TokensAreTheKmersOfEachHaplotype) {
  for (const bool minor : {false, true}) {
    for (const size_t kmer : {1, 3, 5, 8}) {
      const TokenShape shape{.kmer = kmer, .inputs = 32, .targets = 25, .minor_alleles = minor};
      const TokenWindow window = SpreadWindows(panel_, typed_, untyped_, shape, 1)[0];
      const TokenTable table = PanelTokens(panel_, window, shape);
      EXPECT_FALSE(table.absent.any().item<bool>());
      ASSERT_EQ(table.tokens.size(1), static_cast<int64_t>(shape.tokens()));
      for (size_t h = 0; h < panel_.num_haplotypes(); ++h) {
        std::vector<uint32_t> expected = KmerTokens(Bits(h, window.inputs, shape), kmer);
        const std::vector<uint32_t> targets = KmerTokens(Bits(h, window.targets, shape), kmer);
        expected.insert(expected.end(), targets.begin(), targets.end());
        for (size_t t = 0; t < expected.size(); ++t) {
          ASSERT_EQ(table.tokens[static_cast<int64_t>(h)][static_cast<int64_t>(t)].item<int64_t>(), expected[t]);
        }
      }
    }
  }
}

TEST_F(TokenWindowTest, AStudyHaplotypeHasTheTokensOfThePanelsSameHaplotype) {
  const TokenShape shape{.kmer = 4, .inputs = 20, .targets = 12, .minor_alleles = true};
  const TokenWindow window = SpreadWindows(panel_, typed_, untyped_, shape, 1)[0];
  SimulatedStudy study(HaploidSamples("S", 80), typed_, mosaic_.alleles);
  const auto at = std::ranges::find(study.typed, window.inputs[6]) - study.typed.begin();
  study.rows[static_cast<size_t>(at)].alleles[3] = kMissingAllele;
  const TokenTable panel_table = PanelTokens(panel_, window, shape);
  const TokenTable table = StudyTokens(panel_, study.View(), window, shape);
  for (int64_t h = 0; h < 80; ++h) {
    for (int64_t t = 0; t < 8; ++t) {
      const bool is_missing = t < 5 && h == 3 && t == 1;
      ASSERT_EQ(table.absent[h][t].item<bool>(), is_missing || t >= 5);
      if (t < 5 && !is_missing) {
        ASSERT_TRUE(table.tokens[h][t].equal(panel_table.tokens[h][t]));
      }
    }
  }
}

TEST_F(TokenWindowTest, ProbabilitiesAreMarginalsOfTheKmers) {
  const TokenShape shape{.kmer = 3, .inputs = 3, .targets = 3};
  torch::manual_seed(2);
  const torch::Tensor logits = torch::randn({4, 2, 8});
  const torch::Tensor p = AlleleProbabilities(logits, shape);
  const torch::Tensor q = logits.softmax(-1);
  for (int64_t bit = 0; bit < 3; ++bit) {
    torch::Tensor expected = torch::zeros({4, 2});
    for (int64_t c = 0; c < 8; ++c) {
      if ((c >> bit & 1) != 0) expected += q.select(-1, c);
    }
    EXPECT_TRUE(p.select(-1, bit).allclose(expected, 1e-5, 1e-6));
  }
}

}  // namespace
}  // namespace haplospin
