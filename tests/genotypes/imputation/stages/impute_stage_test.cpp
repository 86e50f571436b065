#include "genotypes/imputation/stages/impute_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "core/threads.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/copying/naive_copying.h"
#include "genotypes/imputation/models/network/allele_features.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// The study are haplotypes of the mosaic that are not in the panel.
struct Window {
  Window(const MosaicOptions& options, SampleTable reference, SampleTable study_samples, size_t typed_step = 4)
      : mosaic(SimulateMosaic(options)),
        panel(MakePanel(mosaic, std::move(reference))),
        study(std::move(study_samples), CommonMarkers(panel, typed_step),
              std::span(mosaic.alleles).subspan(panel.num_haplotypes())) {}

  WindowDosages Impute(const ImputerWeights& weights) const { return Impute(weights, 0, panel.num_markers()); }
  WindowDosages Impute(const ImputerWeights& weights, size_t begin, size_t end) const {
    return ImputeStudy(panel, study.View(), {begin, end}, *MakeCpuBackend(weights));
  }
  WindowDosages Impute(const ImputerWeights& weights, const CopyingOptions& copying) const {
    return ImputeStudy(panel, study.View(), {0, panel.num_markers()}, *MakeCpuBackend(weights), copying);
  }

  // Whether the haplotype's dosage at the marker is an imputed one.
  bool IsImputed(size_t marker, size_t haplotype) const {
    const auto at = std::ranges::lower_bound(study.typed, static_cast<uint32_t>(marker));
    return at == study.typed.end() || *at != marker ||
           study.rows[at - study.typed.begin()].alleles[haplotype] == kMissingAllele;
  }

  uint8_t Truth(size_t marker, size_t haplotype) const {
    return mosaic.alleles[panel.num_haplotypes() + haplotype][marker];
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  SimulatedStudy study;
};

Window SmallWindow(uint64_t seed) {
  return Window({.haplotypes = 80, .markers = 240, .seed = seed}, DiploidSamples("R", 35), DiploidSamples("S", 5));
}

// More haplotypes than candidates.
Window LargeWindow(uint64_t seed, double mutation_rate = 0.001) {
  return Window({.haplotypes = 312,
                 .markers = 500,
                 .founders = 20,
                 .spacing_bp = 12000,
                 .switches_per_cm = 0.3,
                 .mutation_rate = mutation_rate,
                 .seed = seed},
                DiploidSamples("R", 150), DiploidSamples("S", 6), 2);
}

float Dosage(const WindowDosages& dosages, size_t marker, size_t haplotype) { return dosages.Get(haplotype, marker); }

float LargestDifference(const Window& window, const WindowDosages& a, const WindowDosages& b,
                        const std::vector<size_t>& haplotypes) {
  float largest = 0;
  for (const size_t h : haplotypes) {
    for (size_t m = std::max(a.range.begin, b.range.begin); m < std::min(a.range.end, b.range.end); ++m) {
      if (window.IsImputed(m, h)) largest = std::max(largest, std::abs(Dosage(a, m, h) - Dosage(b, m, h)));
    }
  }
  return largest;
}

float LargestDifference(const Window& window, const WindowDosages& a, const WindowDosages& b) {
  std::vector<size_t> all(window.study.samples.num_haplotypes());
  std::iota(all.begin(), all.end(), 0);
  return LargestDifference(window, a, b, all);
}

// The interval of a panel marker; a typed one belongs to that on its left.
size_t IntervalOf(const std::vector<uint32_t>& typed, size_t marker) {
  return static_cast<size_t>(std::ranges::lower_bound(typed, static_cast<uint32_t>(marker)) - typed.begin());
}

// With a network that adds nothing and a panel of which every haplotype is a candidate, the dosages are the Li-Stephens
// probabilities.
TEST(ImputeStage, WithoutANetworkIsTheLiStephensModel) {
  const float share = 0.01f;
  Window window = SmallWindow(3);
  for (const size_t j : {0, 7, 8}) window.study.rows[j].alleles[1] = kMissingAllele;
  const WindowDosages dosages =
      window.Impute(LiStephensWeights(std::log(share / (1 - share))), CopyingOptions{.min_product = 0});
  const TypedPanel array(window.panel, window.study.typed, GeneticMap::Uniform());
  const CopyingModel model = EstimatePanelCopying(array, {}).model;
  const size_t n = window.panel.num_haplotypes();
  for (size_t h = 0; h < window.study.samples.num_haplotypes(); ++h) {
    std::vector<uint8_t> alleles;
    for (const GenotypeRow& row : window.study.rows) alleles.push_back(row.alleles[h]);
    const NaiveCopying naive = ComputeNaiveCopying(array, model, TargetHaplotype(alleles));
    for (size_t m = 0; m < window.panel.num_markers(); ++m) {
      if (!window.IsImputed(m, h)) continue;
      const size_t interval = IntervalOf(window.study.typed, m), anchor = array.anchor_of(interval);
      const double place = double{FindPlace(window.panel, m, array, interval, GeneticMap::Uniform()).in_interval};
      const std::vector<double> left = naive.LeftPosterior(anchor), right = naive.RightPosterior(anchor);
      double copied = 0;
      for (size_t r = 0; r < n; ++r) {
        copied += ((1 - place) * left[r] + place * right[r]) * window.panel.allele(m, r);
      }
      const double frequency = window.panel.alt_count(m) / static_cast<double>(n);
      ASSERT_NEAR(Dosage(dosages, m, h), (1 - share) * copied + share * frequency, 1e-4) << m << ", haplotype " << h;
    }
  }
}

// A study haplotype that is a copy of a panel haplotype, errors and all.
TEST(ImputeStage, ACopyOfAPanelHaplotypeGetsItsAlleles) {
  Window window = LargeWindow(4);
  std::vector<std::vector<uint8_t>> copies;
  for (const size_t r : {17, 250, 40, 41}) copies.push_back(window.mosaic.alleles[r]);
  window.study = SimulatedStudy(DiploidSamples("C", 2), window.study.typed, copies);
  const WindowDosages dosages = window.Impute(LiStephensWeights());
  double squares = 0;
  size_t count = 0;
  for (size_t h = 0; h < copies.size(); ++h) {
    for (size_t m = 0; m < window.panel.num_markers(); ++m) {
      if (!window.IsImputed(m, h)) continue;
      squares += std::pow(Dosage(dosages, m, h) - copies[h][m], 2);
      ++count;
    }
  }
  EXPECT_GT(count, 1000u);
  EXPECT_LT(squares / static_cast<double>(count), 0.005);
}

// Other haplotypes are imputed far better than from the frequencies of the panel.
TEST(ImputeStage, BeatsThePanelsFrequencies) {
  const Window window = LargeWindow(5);
  const WindowDosages dosages = window.Impute(LiStephensWeights());
  double imputed = 0, by_frequency = 0;
  for (size_t h = 0; h < window.study.samples.num_haplotypes(); ++h) {
    for (size_t m = 0; m < window.panel.num_markers(); ++m) {
      if (!window.IsImputed(m, h)) continue;
      const double frequency = window.panel.alt_count(m) / static_cast<double>(window.panel.num_haplotypes());
      imputed += std::pow(Dosage(dosages, m, h) - window.Truth(m, h), 2);
      by_frequency += std::pow(frequency - window.Truth(m, h), 2);
    }
  }
  EXPECT_LT(imputed, 0.3 * by_frequency);
}

// The allele that is missing in one haplotype is imputed there as if no array had it, and the other haplotypes, of that
// sample too, hardly notice.
TEST(ImputeStage, MissingTypedAllelesAreImputed) {
  Window window = LargeWindow(6);
  const ImputerWeights weights = RandomWeights(1);
  const WindowDosages before = window.Impute(weights);
  size_t right = 0, missing = 0;
  for (size_t j = 3; j < window.study.typed.size(); j += 10) window.study.rows[j].alleles[4] = kMissingAllele;
  const WindowDosages after = window.Impute(LiStephensWeights());
  for (size_t j = 3; j < window.study.typed.size(); j += 10) {
    const size_t m = window.study.typed[j];
    right += std::abs(Dosage(after, m, 4) - static_cast<float>(window.Truth(m, 4))) < 0.5f;
    ++missing;
  }
  EXPECT_GT(missing, 5u);
  EXPECT_GE(right, missing * 4 / 5);

  const WindowDosages with_network = window.Impute(weights);
  // Other samples: what is in common are the estimate of how often their phase is wrong, and the weight of ancestors.
  EXPECT_LT(LargestDifference(window, before, with_network, {0, 1, 2, 3, 6, 11}), 1e-2);
}

// Where all candidates have the same allele, it is as certain as the panel's haplotypes match each other. The study's
// genotyping errors are not at untyped markers.
TEST(ImputeStage, WrongTypedAllelesDoNotMakeUntypedOnesUncertain) {
  Window window = LargeWindow(10, 0);
  RandomStream random(10);
  for (GenotypeRow& row : window.study.rows) {
    for (uint8_t& allele : row.alleles) allele ^= random.Bernoulli(0.02) ? 1 : 0;
  }
  const GeneticMap map = GeneticMap::Uniform();
  const WindowStudy study = window.study.View();
  const PanelWindow panel(window.panel, map, study.typed(), {0, window.panel.num_markers()});
  WindowState state(panel, study, panel.wanted());
  state.estimates = EstimatePanel(panel);
  const auto backend = MakeCpuBackend(LiStephensWeights(0));
  ImputeStage(*backend, {}).Run(state);
  ASSERT_GT(state.report.fit.MismatchRatio(), 1.2);
  const WindowDosages& dosages = *state.dosages;
  double least = 1;
  for (size_t m = 0; m < window.panel.num_markers(); ++m) {
    const double frequency = window.panel.alt_count(m) / static_cast<double>(window.panel.num_haplotypes());
    if (frequency < 0.2 || !window.IsImputed(m, 0)) continue;
    for (size_t h = 0; h < window.study.samples.num_haplotypes(); ++h) {
      least = std::min(least, Dosage(dosages, m, h) / frequency);
    }
  }
  EXPECT_LT(least, 1e-3);
}

TEST(ImputeStage, AllAllelesMissingGiveProbabilities) {
  Window window = SmallWindow(7);
  for (GenotypeRow& row : window.study.rows) row.alleles[0] = row.alleles[1] = kMissingAllele;
  const WindowDosages dosages = window.Impute(LiStephensWeights());
  for (size_t m = 0; m < window.panel.num_markers(); ++m) {
    const double frequency = window.panel.alt_count(m) / static_cast<double>(window.panel.num_haplotypes());
    ASSERT_NEAR(Dosage(dosages, m, 0), frequency, 1e-3) << m;  // nothing is known but the panel
  }
}

// A haploid sample is imputed as a haplotype by itself; diploid ones beside it are what they are without it.
TEST(ImputeStage, HaploidSamples) {
  const MosaicOptions options{.haplotypes = 307, .markers = 300, .spacing_bp = 12000};
  const std::vector<int> ploidies{2, 1, 2, 1, 1};
  const Window mixed(options, DiploidSamples("R", 150), MakeSamples("S", ploidies));
  const Window haploid(options, DiploidSamples("R", 150), HaploidSamples("S", 7));
  const ImputerWeights weights = RandomWeights(2);
  const WindowDosages together = mixed.Impute(weights);
  const WindowDosages alone = haploid.Impute(weights);
  EXPECT_EQ(LargestDifference(mixed, together, alone, {2, 5, 6}), 0);
  // The two haplotypes of a diploid sample inform each other.
  EXPECT_GT(LargestDifference(mixed, together, alone, {0, 1, 3, 4}), 0);
}

TEST(ImputeStage, AHaploidPanelOfOddSize) {
  const Window window({.haplotypes = 40, .markers = 100}, HaploidSamples("R", 37), MakeSamples("S", {{2, 1}}));
  const WindowDosages dosages = window.Impute(RandomWeights(3));
  for (size_t h = 0; h < 3; ++h) {
    size_t right = 0, imputed = 0;
    for (size_t m = 0; m < window.panel.num_markers(); ++m) {
      if (!window.IsImputed(m, h)) continue;
      right += std::abs(Dosage(dosages, m, h) - static_cast<float>(window.Truth(m, h))) < 0.5f;
      ++imputed;
    }
    EXPECT_GT(right, imputed * 2 / 3);
  }
}

// With a panel of one haplotype there is no choice.
TEST(ImputeStage, APanelOfOneHaplotype) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 3, .markers = 30});
  const HaplotypePanel panel = MakePanel(mosaic, HaploidSamples("R", 1));
  const SimulatedStudy study(DiploidSamples("S", 1), {4, 9, 20}, std::span(mosaic.alleles).subspan(1));
  const WindowDosages dosages = ImputeStudy(panel, study.View(), {0, 30}, *MakeCpuBackend(RandomWeights(4)));
  for (size_t m = 0; m < 30; ++m) {
    if (std::ranges::find(study.typed, m) != study.typed.end()) continue;
    ASSERT_NEAR(Dosage(dosages, m, 0), mosaic.alleles[0][m], 1e-4) << m;
    ASSERT_NEAR(Dosage(dosages, m, 1), mosaic.alleles[0][m], 1e-4) << m;
  }
}

// Every combination of a tiny panel, one or more samples than the panel has, and one or all markers typed.
TEST(ImputeStage, TinyPanelsAndStudies) {
  for (const size_t panel_samples : {1, 5}) {
    for (const size_t study_samples : {1, 30}) {
      Window window({.haplotypes = 2 * (panel_samples + study_samples), .markers = 100, .founders = 3},
                    DiploidSamples("R", panel_samples), DiploidSamples("S", study_samples));
      for (const std::vector<uint32_t>& typed : {std::vector<uint32_t>{50}, window.study.typed}) {
        window.study = SimulatedStudy(window.study.samples, typed,
                                      std::span(window.mosaic.alleles).subspan(window.panel.num_haplotypes()));
        const WindowDosages dosages = window.Impute(RandomWeights(15));
        for (size_t m = 0; m < window.panel.num_markers(); ++m) {
          for (size_t h = 0; h < 2 * study_samples; ++h) {
            const float p = Dosage(dosages, m, h);
            ASSERT_TRUE(p >= 0 && p <= 1);
            if (!window.IsImputed(m, h)) {
              ASSERT_EQ(p, window.Truth(m, h));
            }
          }
        }
      }
    }
  }
}

TEST(ImputeStage, OneTypedMarker) {
  Window window = SmallWindow(8);
  window.study = SimulatedStudy(DiploidSamples("S", 5), {100}, std::span(window.mosaic.alleles).subspan(70));
  const WindowDosages dosages = window.Impute(LiStephensWeights());
  // Next to it, haplotypes with its allele are copied.
  for (size_t h = 0; h < 10; ++h) {
    std::vector<double> alt(2), count(2);
    for (size_t r = 0; r < 70; ++r) {
      const int allele = window.panel.allele(100, r);
      ++count[allele];
      alt[allele] += window.panel.allele(101, r);
    }
    const int allele = window.Truth(100, h);
    const double expected =
        (0.995 * alt[allele] + 0.005 * alt[1 - allele]) / (0.995 * count[allele] + 0.005 * count[1 - allele]);
    ASSERT_NEAR(Dosage(dosages, 101, h), expected, 2e-3) << h;
  }
}

// The dosages of a window from its panel with the samples in another order.
std::pair<WindowDosages, WindowDosages> ImputeInTwoOrders(const Window& window, const ImputerWeights& weights) {
  const size_t samples = window.panel.samples().num_samples();
  std::vector<size_t> order(samples);
  std::iota(order.begin(), order.end(), 0);
  RandomStream(5).Shuffle(std::span(order));
  Mosaic shuffled = window.mosaic;
  for (size_t s = 0; s < samples; ++s) {
    shuffled.alleles[2 * s] = window.mosaic.alleles[2 * order[s]];
    shuffled.alleles[2 * s + 1] = window.mosaic.alleles[2 * order[s] + 1];
  }
  const HaplotypePanel panel = MakePanel(shuffled, DiploidSamples("R", samples));
  // The copying model is estimated from some of a large panel's haplotypes; here from all.
  const CopyingOptions copying{.max_haplotypes = panel.num_haplotypes()};
  const auto impute = [&](const HaplotypePanel& any) {
    return ImputeStudy(any, window.study.View(), {0, any.num_markers()}, *MakeCpuBackend(weights), copying);
  };
  return {impute(window.panel), impute(panel)};
}

TEST(ImputeStage, ThePanelsOrderDoesNotMatter) {
  const Window window = SmallWindow(9);
  const auto [first, second] = ImputeInTwoOrders(window, LiStephensWeights());
  EXPECT_LT(LargestDifference(window, first, second), 1e-4f);
}

// The fit of the panel's populations starts from some of its samples, so that the network sees slightly others.
TEST(ImputeStage, ThePanelsOrderHardlyMattersToANetwork) {
  const Window window = SmallWindow(9);
  const auto [first, second] = ImputeInTwoOrders(window, RandomWeights(6));
  EXPECT_LT(LargestDifference(window, first, second), 0.02f);
}

// Where there are more haplotypes than matches and candidates, others that fit as well may be chosen.
TEST(ImputeStage, ThePanelsOrderHardlyMattersInALargePanel) {
  const Window window = LargeWindow(9, 0.03);
  const auto [first, second] = ImputeInTwoOrders(window, LiStephensWeights());
  size_t differing = 0, values = 0;
  for (size_t h = 0; h < window.study.samples.num_haplotypes(); ++h) {
    for (size_t m = 0; m < window.panel.num_markers(); ++m) {
      if (!window.IsImputed(m, h)) continue;
      differing += std::abs(Dosage(first, m, h) - Dosage(second, m, h)) > 1e-2f;
      ++values;
    }
  }
  EXPECT_LT(differing, values / 10);
  EXPECT_LT(LargestDifference(window, first, second), 0.1f);
}

TEST(ImputeStage, TheNumberOfThreadsDoesNotMatter) {
  const Window window = LargeWindow(10);
  const ImputerWeights weights = RandomWeights(7);
  SetThreads(1);
  const WindowDosages one = window.Impute(weights);
  SetThreads(4);
  const WindowDosages four = window.Impute(weights);
  SetThreads(AvailableThreads());
  for (size_t h = 0; h < window.study.samples.num_haplotypes(); ++h) {
    for (size_t m = 0; m < window.panel.num_markers(); ++m) ASSERT_EQ(one.Get(h, m), four.Get(h, m)) << h;
    for (size_t j = 0; j < one.typed->markers.size(); ++j) {
      ASSERT_EQ(one.typed->left_out.Get(h, j), four.typed->left_out.Get(h, j)) << h;
    }
  }
}

// A large panel in miniature: composites of a tenth of its haplotypes.
const CopyingOptions kComposites{.states = {.max_states = 128}};

Window CompositeWindow() {
  return Window({.haplotypes = 1224, .markers = 300, .founders = 40, .spacing_bp = 12000, .switches_per_cm = 0.5},
                DiploidSamples("R", 600), DiploidSamples("S", 12), 2);
}

double SquaredError(const Window& window, const WindowDosages& dosages) {
  double squares = 0;
  for (size_t h = 0; h < window.study.samples.num_haplotypes(); ++h) {
    for (size_t m = 0; m < window.panel.num_markers(); ++m) {
      squares += std::pow(Dosage(dosages, m, h) - window.Truth(m, h), 2);
    }
  }
  return squares;
}

TEST(ImputeStage, CompositesAreAboutAsGoodAsTheWholePanel) {
  const Window window = CompositeWindow();
  const WindowDosages whole = window.Impute(LiStephensWeights(), {.states = {.max_states = 2000}});
  const WindowDosages composites = window.Impute(LiStephensWeights(), kComposites);
  EXPECT_GT(LargestDifference(window, whole, composites), 0);
  EXPECT_LT(SquaredError(window, composites), 1.1 * SquaredError(window, whole));
}

TEST(ImputeStage, CompositesDoNotDependOnOtherSamplesOrThreads) {
  const Window window = CompositeWindow();
  const ImputerWeights weights = RandomWeights(14);
  SetThreads(1);
  const WindowDosages all = window.Impute(weights, kComposites);
  SetThreads(4);
  EXPECT_EQ(LargestDifference(window, all, window.Impute(weights, kComposites)), 0);
  SetThreads(AvailableThreads());
  Window one = CompositeWindow();
  one.study = SimulatedStudy(DiploidSamples("S", 1), window.study.typed,
                             std::span(window.mosaic.alleles).subspan(window.panel.num_haplotypes(), 2));
  EXPECT_EQ(LargestDifference(one, all, one.Impute(weights, kComposites), {0, 1}), 0);
}

// One typed marker, alleles that are all missing, and a typed marker at which the target's allele is not in the panel.
TEST(ImputeStage, CompositesOfUninformativeStudies) {
  Window window = CompositeWindow();
  const std::vector<uint32_t> some{window.study.typed[3], window.study.typed[9]};
  const auto haplotypes = std::span(window.mosaic.alleles).subspan(window.panel.num_haplotypes(), 4);
  for (const std::vector<uint32_t>& typed : {std::vector<uint32_t>{some[0]}, some, window.study.typed}) {
    window.study = SimulatedStudy(DiploidSamples("S", 2), typed, haplotypes);
    for (GenotypeRow& row : window.study.rows) row.alleles[0] = kMissingAllele;
    window.study.rows[0].alleles[1] ^= 1;
    const WindowDosages dosages = window.Impute(LiStephensWeights(), kComposites);
    double absolute = 0;
    for (size_t m = 0; m < window.panel.num_markers(); ++m) {
      const double frequency = window.panel.alt_count(m) / static_cast<double>(window.panel.num_haplotypes());
      absolute += std::abs(Dosage(dosages, m, 0) - frequency);
    }
    // Of the haplotype that is missing as a whole only the panel is known: a sample of its haplotypes.
    EXPECT_LT(absolute / static_cast<double>(window.panel.num_markers()), 0.05) << typed.size();
  }
}

// Markers are imputed one by one: any part of a window is as in the whole.
TEST(ImputeStage, PartsOfAWindowAreThoseOfTheWhole) {
  Window window = LargeWindow(11);
  for (size_t j = 0; j < window.study.typed.size(); j += 3) window.study.rows[j].alleles[2] = kMissingAllele;
  const ImputerWeights weights = RandomWeights(8);
  const WindowDosages whole = window.Impute(weights);
  const size_t typed = window.study.typed[9];  // with a missing allele, so that it is imputed itself
  const size_t all = window.panel.num_markers();
  using Part = std::pair<size_t, size_t>;
  for (const auto& [begin, end] :
       {Part{0, 1}, {0, typed}, {typed, typed + 1}, {typed + 1, all}, {100, 357}, {0, all}}) {
    const WindowDosages part = window.Impute(weights, begin, end);
    EXPECT_EQ(part.range.begin, begin);
    EXPECT_EQ(part.range.end, end);
    EXPECT_LT(LargestDifference(window, whole, part), 1e-5f) << begin << "-" << end;
  }
}

// Given alleles are kept; what they would be imputed as is beside them, and is the copying model's.
TEST(ImputeStage, GivenAllelesAreKeptAndImputedBesides) {
  Window window = SmallWindow(13);
  for (const size_t j : {0, 7, 8}) window.study.rows[j].alleles[1] = kMissingAllele;
  const size_t begin = window.study.typed[2], end = window.panel.num_markers();
  const WindowDosages dosages = window.Impute(RandomWeights(10), begin, end);
  ASSERT_EQ(dosages.typed->markers, std::vector<uint32_t>(window.study.typed.begin() + 2, window.study.typed.end()));
  const TypedPanel array(window.panel, window.study.typed, GeneticMap::Uniform());
  const CopyingModel model = EstimatePanelCopying(array, {}).model;
  for (size_t h = 0; h < window.study.samples.num_haplotypes(); ++h) {
    std::vector<uint8_t> alleles;
    for (const GenotypeRow& row : window.study.rows) alleles.push_back(row.alleles[h]);
    std::vector<float> left_out(alleles.size());
    CopyCandidates candidates;
    CandidateFinder().Find(array, model, TargetHaplotype(alleles), AllStates(array), candidates, left_out);
    for (size_t j = 2; j < alleles.size(); ++j) {
      const size_t m = window.study.typed[j];
      if (alleles[j] != kMissingAllele) {
        ASSERT_EQ(Dosage(dosages, m, h), alleles[j]);
      }
      ASSERT_NEAR(dosages.typed->left_out.Get(h, j - 2), left_out[j], 1e-5) << m << ", haplotype " << h;
    }
  }
}

TEST(ImputeStage, ColumnsAreTheRowsTransposed) {
  const Window window = SmallWindow(12);
  const WindowDosages dosages = window.Impute(RandomWeights(9), 20, 90);
  std::vector<float> columns;
  dosages.alt.CopyColumns(13, 57, columns);
  ASSERT_EQ(columns.size(), 44 * dosages.num_haplotypes());
  for (size_t m = 33; m < 77; ++m) {
    for (size_t h = 0; h < dosages.num_haplotypes(); ++h) {
      ASSERT_FLOAT_EQ(columns[(m - 33) * dosages.num_haplotypes() + h], Dosage(dosages, m, h));
    }
  }
}

}  // namespace
}  // namespace haplospin
