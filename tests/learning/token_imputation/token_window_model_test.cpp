#include "learning/token_imputation/token_window_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/token_imputation/token_fixtures.h"
#include "learning/token_imputation/token_window.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr int64_t kPlenty = int64_t{1} << 30;

class TableWindowModelTest : public testing::Test {
 protected:
  std::unique_ptr<WindowModel> Model(TokenTraining training, int64_t max_bytes = kPlenty) const {
    testing::internal::CaptureStderr();
    TrainTokenNetwork(training, files_.panel, files_.array);
    testing::internal::GetCapturedStderr();
    return MakeTokenWindowModel(ReadSafetensors(training.out), "cpu", max_bytes);
  }

  static MarkerRange RangeOf(const WindowModel& model, const HaplotypePanel& panel) {
    const std::optional<Region> covered = model.coverage();
    MarkerRange range{0, panel.num_markers()};
    if (!covered) return range;
    while (panel.marker(range.begin).position < covered->begin) ++range.begin;
    while (panel.marker(range.end - 1).position > covered->end) --range.end;
    return range;
  }

  WindowDosages Impute(const WindowModel& model, const HaplotypePanel& panel, const WindowStudy& study) const {
    const MarkerRange range = RangeOf(model, panel);
    return Impute(model, panel, study, range, range);
  }
  static WindowDosages Impute(const WindowModel& model, const HaplotypePanel& panel, const WindowStudy& study,
                              MarkerRange core, MarkerRange wanted) {
    const GeneticMap map = GeneticMap::Uniform();
    const PanelWindow window(panel, map, study.typed(), wanted);
    return model.Impute({window, study, core});
  }
  WindowDosages Impute(const WindowModel& model) const { return Impute(model, files_.panel, files_.study.View()); }

  // In steps of ProbabilityTable.
  static int LargestDifference(const WindowDosages& a, const WindowDosages& b) {
    int largest = 0;
    for (size_t h = 0; h < a.num_haplotypes(); ++h) {
      for (size_t m = std::max(a.range.begin, b.range.begin); m < std::min(a.range.end, b.range.end); ++m) {
        largest = std::max(largest, static_cast<int>(std::lround(65535 * std::abs(a.Get(h, m) - b.Get(h, m)))));
      }
    }
    return largest;
  }

  // Mean squared errors of the dosages and of the panel's frequencies at the markers that are not typed.
  std::pair<double, double> Errors(const WindowDosages& dosages) const {
    double model_error = 0, frequency_error = 0;
    for (uint32_t m : UntypedMarkers(files_.study.typed, dosages.range)) {
      const double frequency =
          static_cast<double>(files_.panel.alt_count(m)) / static_cast<double>(files_.panel.num_haplotypes());
      for (size_t h = 0; h < dosages.num_haplotypes(); ++h) {
        const double truth = files_.mosaic.alleles[files_.panel.num_haplotypes() + h][m];
        model_error += std::pow(dosages.Get(h, m) - truth, 2);
        frequency_error += std::pow(frequency - truth, 2);
      }
    }
    return {model_error, frequency_error};
  }

  const TableFiles files_;
};

TEST_F(TableWindowModelTest, BetterThanFrequencies) {
  for (const std::string architecture : {"spin", "npt", "set-transformer"}) {
    TokenTraining training = files_.Training(architecture + ".safetensors", architecture);
    training.steps = 100;
    training.rows = 0;
    const auto [model_error, frequency_error] = Errors(Impute(*Model(training)));
    EXPECT_LT(model_error, 0.5 * frequency_error) << architecture;
  }
}

TEST_F(TableWindowModelTest, TheOrderOfThePanelsHaplotypesDoesNotMatter) {
  std::vector<size_t> order(files_.panel.num_haplotypes());
  std::iota(order.begin(), order.end(), size_t{0});
  RandomStream random(5);
  random.Shuffle(std::span(order));
  Mosaic shuffled{files_.mosaic.markers, {}};
  for (size_t h : order) shuffled.alleles.push_back(files_.mosaic.alleles[h]);
  const HaplotypePanel panel = MakePanel(shuffled, DiploidSamples("R", order.size() / 2));
  for (const std::string architecture : {"spin", "npt", "set-transformer"}) {
    for (const int64_t windows : {1, 3}) {
      TokenTraining training = files_.Training("m.safetensors", architecture);
      training.windows = windows;
      const auto model = Model(training);
      EXPECT_LE(LargestDifference(Impute(*model), Impute(*model, panel, files_.study.View())), 13);
    }
  }
}

TEST_F(TableWindowModelTest, SpinLooksAtThePanelUnlessItIsEncoded) {
  Mosaic other = SimulateMosaic({.haplotypes = 40, .markers = 200, .founders = 6, .seed = 9});
  other.markers = files_.mosaic.markers;
  const HaplotypePanel panel = MakePanel(other, DiploidSamples("Q", 20));
  TokenTraining training = files_.Training("m.safetensors");
  const auto model = Model(training);
  training.encode = true;
  const auto encoded = Model(training);
  EXPECT_LE(LargestDifference(Impute(*model), Impute(*encoded)), 1);
  EXPECT_EQ(LargestDifference(Impute(*encoded), Impute(*encoded, panel, files_.study.View())), 0);
  EXPECT_GT(LargestDifference(Impute(*model), Impute(*model, panel, files_.study.View())), 0);
}

TEST_F(TableWindowModelTest, BlocksOfThePanelGiveTheSame) {
  const TokenTraining training = files_.Training("m.safetensors");
  const auto whole = Model(training);
  const auto blocks = Model(training, 1 << 17);
  EXPECT_LE(LargestDifference(Impute(*whole), Impute(*blocks)), 1);
}

TEST_F(TableWindowModelTest, NptTakesAsManyHaplotypesAsFit) {
  const auto model = Model(files_.Training("m.safetensors", "npt"), 1 << 17);
  testing::internal::CaptureStderr();
  Impute(*model);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("drawn at random, are used in a window"));
}

TEST_F(TableWindowModelTest, APartIsImputedAsInTheWhole) {
  TokenTraining training = files_.Training("m.safetensors");
  training.windows = 3;
  const auto model = Model(training);
  const MarkerRange core{0, files_.panel.num_markers()};
  const WindowDosages whole = Impute(*model);
  for (const MarkerRange part : {MarkerRange{0, 40}, {33, 34}, {90, 171}, {150, 200}}) {
    const WindowDosages dosages = Impute(*model, files_.panel, files_.study.View(), core, part);
    EXPECT_EQ(LargestDifference(whole, dosages), 0);
  }
}

TEST_F(TableWindowModelTest, MissingAllelesArePredicted) {
  TokenTraining training = files_.Training("m.safetensors");
  training.steps = 100;
  training.attribute_mask = 0.3;
  const auto model = Model(training);
  const MarkerRange range = RangeOf(*model, files_.panel);
  SimulatedStudy study = files_.study;
  size_t right = 0, missing = 0;
  for (size_t j = 0; j < study.typed.size(); ++j) {
    if (study.typed[j] < range.begin || study.typed[j] >= range.end || missing > 0) continue;
    const std::vector<uint8_t> truth = study.rows[j].alleles;
    std::ranges::fill(study.rows[j].alleles, kMissingAllele);
    const WindowDosages dosages = Impute(*model, files_.panel, study.View());
    for (size_t h = 0; h < truth.size(); ++h) {
      right += (dosages.Get(h, study.typed[j]) > 0.5f) == (truth[h] == 1);
      ++missing;
    }
  }
  ASSERT_GT(missing, 0u);
  EXPECT_GT(right, missing * 2 / 3);
}

// Training leaves them out; the panel that is imputed from has them.
TEST_F(TableWindowModelTest, MonomorphicMarkersHaveTheAlleleOfThePanel) {
  const auto model = Model(files_.Training("m.safetensors"));
  const MarkerRange range = RangeOf(*model, files_.panel);
  Mosaic mosaic = files_.mosaic;
  const auto added = static_cast<std::ptrdiff_t>(range.begin) + 2;
  for (const uint8_t allele : {1, 0}) {
    Marker marker = mosaic.markers[range.begin + 1];
    marker.alt = std::string(2u + allele, 'T');
    mosaic.markers.insert(mosaic.markers.begin() + added, marker);
    for (std::vector<uint8_t>& haplotype : mosaic.alleles) haplotype.insert(haplotype.begin() + added, allele);
  }
  std::vector<uint32_t> typed = files_.study.typed;
  for (uint32_t& m : typed) m += m >= range.begin + 2 ? 2 : 0;
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 60));
  const SimulatedStudy study(files_.study.samples, typed, std::span(mosaic.alleles).subspan(120));
  const WindowDosages dosages = Impute(*model, panel, study.View());
  for (size_t h = 0; h < dosages.num_haplotypes(); ++h) {
    EXPECT_EQ(dosages.Get(h, range.begin + 2), 0) << h;
    EXPECT_EQ(dosages.Get(h, range.begin + 3), 1) << h;
  }
}

TEST_F(TableWindowModelTest, RefusesOtherSites) {
  const auto model = Model(files_.Training("m.safetensors"));
  const auto error = [&](const HaplotypePanel& panel, const WindowStudy& study) -> std::string {
    try {
      Impute(*model, panel, study);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  // Another array: the markers that were to be imputed.
  const std::vector<uint32_t> others = UntypedMarkers(files_.study.typed, {0, files_.panel.num_markers()});
  const SimulatedStudy study(files_.study.samples, others,
                             std::span(files_.mosaic.alleles).subspan(files_.panel.num_haplotypes()));
  const std::string message = error(files_.panel, study.View());
  EXPECT_THAT(message, HasSubstr("m.safetensors: trained for the array sites 20:"));
  EXPECT_THAT(message, HasSubstr("of which the study has 0; the study is typed at 20:"));
  // Other markers to impute.
  Mosaic moved = files_.mosaic;
  for (uint32_t m : others) moved.markers[m].alt = "TT";
  EXPECT_THAT(error(MakePanel(moved, DiploidSamples("R", 60)), files_.study.View()),
              HasSubstr("but the panel has 20:"));
}

}  // namespace
}  // namespace haplospin
