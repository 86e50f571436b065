#include "genotypes/imputation/stages/joint_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/threads.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/plan/window_plan.h"

namespace haplospin {
namespace {

// Three switches per Morgan, as in a herd.
MosaicOptions HerdOptions(uint64_t seed) {
  return {.haplotypes = 160,
          .markers = 300,
          .founders = 12,
          .spacing_bp = 100'000,
          .switches_per_cm = 0.03,
          .rare_share = 0.2,
          .mutation_rate = 0.001,
          .seed = seed};
}

// Exchanges the haplotypes of each sample from two random places on.
void AddSwitchErrors(Mosaic& mosaic, size_t samples, uint64_t seed) {
  RandomStream random(seed, {7});
  for (size_t s = 0; s < samples; ++s) {
    for (int k = 0; k < 2; ++k) {
      for (size_t m = random.UniformInt(mosaic.markers.size()); m < mosaic.markers.size(); ++m) {
        std::swap(mosaic.alleles[2 * s][m], mosaic.alleles[2 * s + 1][m]);
      }
    }
  }
}

// A panel of 60 animals, unless another number is told, whose phase has errors, and a study of 20 others, typed at
// every fifth common marker.
class Herd {
 public:
  explicit Herd(uint64_t seed, const SampleTable& study_samples = DiploidSamples("S", 20), bool is_phased = false,
                size_t panel_animals = 60)
      : first_(2 * panel_animals),
        mosaic_(WithErrors(seed, panel_animals)),
        panel_(MakePanel(mosaic_, DiploidSamples("R", panel_animals))),
        study_(study_samples, CommonMarkers(panel_, 5),
               std::span(mosaic_.alleles).subspan(first_, study_samples.num_haplotypes())) {
    if (!is_phased) RemovePhase();
  }

  SimulatedStudy& study() { return study_; }
  const HaplotypePanel& panel() const { return panel_; }
  MarkerRange all() const { return {0, panel_.num_markers()}; }

  WindowDosages Impute(const PlanSettings& options, std::optional<MarkerRange> wanted = {}) const {
    const WindowStudy study = study_.View();
    const PanelWindow window(panel_, map_, study.typed(), wanted.value_or(all()),
                             CopyingOptions().ForPanel(panel_.num_haplotypes()));
    const auto backend = MakeCpuBackend(LiStephensWeights());
    PlanSettings settings = options;
    settings.imputer.backend = backend.get();
    WindowState state(window, study, all());
    MakeWindowPlan({}, settings).Run(state);
    return *std::move(state.dosages);
  }

  // The mean squared error of the samples' dosages.
  double SquaredError(const WindowDosages& dosages) const {
    double sum = 0;
    for (size_t m = 0; m < panel_.num_markers(); ++m) {
      for (size_t s = 0; s < study_.samples.num_samples(); ++s) {
        double difference = 0;
        for (uint32_t h = study_.samples.first_haplotype[s]; h < study_.samples.first_haplotype[s + 1]; ++h) {
          difference += dosages.Get(h, m) - mosaic_.alleles[first_ + h][m];
        }
        sum += difference * difference;
      }
    }
    return sum / static_cast<double>(panel_.num_markers() * study_.samples.num_samples());
  }

 private:
  static Mosaic WithErrors(uint64_t seed, size_t panel_animals) {
    Mosaic mosaic = SimulateMosaic(HerdOptions(seed));
    AddSwitchErrors(mosaic, panel_animals, seed);
    return mosaic;
  }

  void RemovePhase() {
    for (GenotypeRow& row : study_.rows) {
      row.unphased.assign(study_.samples.num_samples(), 1);
      for (size_t s = 0; s < study_.samples.num_samples(); ++s) {
        std::sort(&row.alleles[study_.samples.first_haplotype[s]],
                  row.alleles.data() + study_.samples.first_haplotype[s + 1]);
      }
    }
  }

  const GeneticMap map_ = GeneticMap::Uniform();
  const size_t first_;  // haplotype of the study
  Mosaic mosaic_;
  HaplotypePanel panel_;
  SimulatedStudy study_;
};

const PlanSettings kAlone = {.max_joint_alleles = 0};

TEST(JointStage, ErrorsOfThePanelsPhaseCostLess) {
  double alone = 0, joint = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Herd herd(seed);
    alone += herd.SquaredError(herd.Impute(kAlone));
    joint += herd.SquaredError(herd.Impute({}));
  }
  EXPECT_LT(joint, 0.95 * alone);
}

TEST(JointStage, APhasedStudyGains) {
  double alone = 0, joint = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Herd herd(seed, DiploidSamples("S", 20), true);
    alone += herd.SquaredError(herd.Impute(kAlone));
    joint += herd.SquaredError(herd.Impute({}));
  }
  EXPECT_LT(joint, 0.97 * alone);
}

TEST(JointStage, AStudyThatIsLargerThanThePanelGains) {
  double alone = 0, joint = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Herd herd(seed, DiploidSamples("S", 55), false, 25);
    alone += herd.SquaredError(herd.Impute(kAlone));
    joint += herd.SquaredError(herd.Impute({}));
  }
  EXPECT_LT(joint, 0.95 * alone);
}

TEST(JointStage, GivenAllelesAreKeptAndMissingOnesImputed) {
  Herd herd(5);
  GenotypeRow& row = herd.study().rows[10];
  row.alleles[0] = row.alleles[1] = kMissingAllele;
  const WindowDosages dosages = herd.Impute({});
  for (size_t j = 0; j < herd.study().typed.size(); ++j) {
    const GenotypeRow& given = herd.study().rows[j];
    for (size_t s = 0; s < 20; ++s) {
      if (given.alleles[2 * s] == kMissingAllele) continue;
      const uint32_t m = herd.study().typed[j];
      EXPECT_EQ(dosages.Get(2 * s, m) + dosages.Get(2 * s + 1, m), given.alleles[2 * s] + given.alleles[2 * s + 1]);
    }
  }
  const float imputed = dosages.Get(0, herd.study().typed[10]);
  EXPECT_GE(imputed, 0);
  EXPECT_LE(imputed, 1);
}

TEST(JointStage, HaploidAnimalsHaveOneHaplotype) {
  const std::vector<int> ploidies = {2, 1, 1, 2, 1, 2};
  const Herd herd(6, MakeSamples("S", ploidies));
  EXPECT_LT(herd.SquaredError(herd.Impute({})), 1.05 * herd.SquaredError(herd.Impute(kAlone)));
}

TEST(JointStage, PartsOfAWindowAreThoseOfTheWhole) {
  const Herd herd(7);
  const WindowDosages whole = herd.Impute({}), part = herd.Impute({}, MarkerRange{100, 180});
  for (size_t m = 100; m < 180; ++m) {
    for (size_t h = 0; h < 40; ++h) ASSERT_EQ(whole.Get(h, m), part.Get(h, m)) << m << " " << h;
  }
}

TEST(JointStage, TheOrderOfAnEarlierWindowDoesNotMatter) {
  Herd herd(8);
  const WindowDosages sorted = herd.Impute({});
  for (GenotypeRow& row : herd.study().rows) {
    for (size_t s = 0; s < 20; s += 2) std::swap(row.alleles[2 * s], row.alleles[2 * s + 1]);
  }
  const WindowDosages exchanged = herd.Impute({});
  for (size_t m = 0; m < herd.panel().num_markers(); ++m) {
    for (size_t h = 0; h < 40; ++h) ASSERT_EQ(sorted.Get(h, m), exchanged.Get(h, m));
  }
}

TEST(JointStage, TheNumberOfThreadsDoesNotMatter) {
  const Herd herd(9);
  SetThreads(1);
  const WindowDosages one = herd.Impute({});
  SetThreads(4);
  const WindowDosages four = herd.Impute({});
  SetThreads(AvailableThreads());
  for (size_t m = 0; m < herd.panel().num_markers(); ++m) {
    for (size_t h = 0; h < 40; ++h) ASSERT_EQ(one.Get(h, m), four.Get(h, m));
  }
}

TEST(JointStage, LargeWindowsAreImputedAlone) {
  const GeneticMap map = GeneticMap::Uniform();
  Herd herd(10);
  const WindowStudy study = herd.study().View();
  const PanelWindow window(herd.panel(), map, study.typed(), herd.all());
  WindowState state(window, study, herd.all());
  EXPECT_FALSE(IsSmallHerd(state, {.max_alleles = 160 * 300}));
  state.Scale(0.1);
  EXPECT_TRUE(IsSmallHerd(state, {.max_alleles = 160 * 300}));
  EXPECT_FALSE(IsSmallHerd(state, {.max_alleles = 160 * 300 - 1}));
}

}  // namespace
}  // namespace haplospin
