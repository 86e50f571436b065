#include "genotypes/imputation/stages/families_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/threads.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "genotypes/imputation/stages/panel_families.h"

namespace haplospin {
namespace {

constexpr size_t kParents = 20, kChildren = 16, kMarkers = 400, kTypedStep = 20;

// Parents who share little with each other, so that copying tells little of the markers between the typed ones, and
// their children. Children 2k and 2k + 1 are of the parents 2k and 2k + 1; child c is sample c of the study.
class Herd {
 public:
  // The panel lacks the mothers if `has_mothers` is false. The study has the parents too if `has_parents`.
  explicit Herd(uint64_t seed, bool has_mothers = true, bool has_parents = false)
      : mosaic_(SimulateMosaic({.haplotypes = 2 * kParents,
                                .markers = kMarkers,
                                .founders = 2 * kParents,
                                .spacing_bp = 100'000,
                                .switches_per_cm = 0.03,
                                .rare_share = 0,
                                .seed = seed})),
        panel_(MakePanel(WithoutMothers(mosaic_, has_mothers),
                         DiploidSamples("R", has_mothers ? kParents : kParents / 2))) {
    RandomStream random(seed, {3});
    for (size_t c = 0; c < kChildren; ++c) {
      for (const size_t parent : {c / 2 * 2, c / 2 * 2 + 1}) truth_.push_back(Gamete(parent, random));
    }
    if (has_parents) {
      samples_ = DiploidSamples("S", kChildren + kParents);
      std::copy_n(mosaic_.alleles.begin(), 2 * kParents, std::back_inserter(truth_));
    }
    for (uint32_t m = 0; m < kMarkers; m += kTypedStep) {
      GenotypeRow& row = rows_.emplace_back();
      typed_.push_back(m);
      row.unphased.assign(samples_.num_samples(), 1);
      for (const std::vector<uint8_t>& haplotype : truth_) row.alleles.push_back(haplotype[m]);
      for (size_t c = 0; c < samples_.num_samples(); ++c)
        std::sort(&row.alleles[2 * c], row.alleles.data() + 2 * c + 2);
    }
    pedigree_.num_people = kChildren + kParents;
    for (size_t c = 0; c < kChildren; ++c) {
      pedigree_.descent.push_back({c, kChildren + c / 2 * 2, kChildren + c / 2 * 2 + 1});
    }
    for (size_t p = 0; p < kParents; ++p) {
      if (has_mothers || p % 2 == 0) pedigree_.others.push_back({kChildren + p, has_mothers ? p : p / 2});
    }
  }

  MarkerRange all() const { return {0, panel_.num_markers()}; }
  std::vector<GenotypeRow>& rows() { return rows_; }
  const std::vector<uint32_t>& typed() const { return typed_; }
  Pedigree& pedigree() { return pedigree_; }
  const std::vector<std::vector<uint8_t>>& truth() const { return truth_; }

  WindowDosages Impute(bool has_families = true, std::optional<MarkerRange> wanted = {}) const {
    const WindowStudy study = Study(has_families);
    const PanelWindow window(panel_, map_, study.typed(), wanted.value_or(all()),
                             CopyingOptions().ForPanel(panel_.num_haplotypes()));
    const auto backend = MakeCpuBackend(LiStephensWeights());
    PlanSettings settings{.imputer = {.backend = backend.get()}};
    std::optional<TransmissionPhaser> families;
    StudyFacts facts;
    if (has_families) {
      settings.families = &families.emplace(pedigree_, samples_.num_samples());
      facts.kin = pedigree_.others.empty() ? Kin::kStudy : Kin::kPanel;
    }
    WindowState state(window, study, all());
    MakeWindowPlan(facts, settings).Run(state);
    return *std::move(state.dosages);
  }

  bool HasAllParents() const {
    const WindowStudy study = Study(true);
    return PanelFamilies(PanelWindow(panel_, map_, study.typed(), all()), study).HasAllParents();
  }

  // The ALT alleles of the mother of children 2k and 2k + 1.
  size_t MotherAlts(size_t k, size_t m) const {
    return size_t{mosaic_.alleles[4 * k + 2][m]} + mosaic_.alleles[4 * k + 3][m];
  }

  // The share of wrong genotypes.
  double Wrong(const WindowDosages& dosages) const {
    size_t wrong = 0;
    for (size_t m = 0; m < kMarkers; ++m) {
      for (size_t c = 0; c < kChildren; ++c) {
        const int found = (dosages.Get(2 * c, m) > 0.5f) + (dosages.Get(2 * c + 1, m) > 0.5f);
        wrong += found != truth_[2 * c][m] + truth_[2 * c + 1][m] ? 1 : 0;
      }
    }
    return static_cast<double>(wrong) / (kMarkers * kChildren);
  }

 private:
  WindowStudy Study(bool has_families) const {
    std::vector<WindowStudy::Site> sites;
    for (size_t j = 0; j < rows_.size(); ++j) sites.push_back({typed_[j], &rows_[j]});
    return WindowStudy(samples_, std::move(sites), {}, {}, has_families ? &pedigree_ : nullptr);
  }

  static Mosaic WithoutMothers(Mosaic mosaic, bool has_mothers) {
    if (has_mothers) return mosaic;
    for (size_t father = 1; father < kParents / 2; ++father) {
      for (size_t h = 0; h < 2; ++h) mosaic.alleles[2 * father + h] = mosaic.alleles[4 * father + h];
    }
    mosaic.alleles.resize(kParents);
    return mosaic;
  }

  // A crossover per 100 cM, of which there are 40.
  std::vector<uint8_t> Gamete(size_t parent, RandomStream& random) const {
    size_t own = random.UniformInt(2);
    const size_t crossover = random.UniformInt(kMarkers * 5 / 2);
    std::vector<uint8_t> gamete;
    for (size_t m = 0; m < kMarkers; ++m) {
      if (m == crossover) own = 1 - own;
      gamete.push_back(mosaic_.alleles[2 * parent + own][m]);
    }
    return gamete;
  }

  const GeneticMap map_ = GeneticMap::Uniform();
  Mosaic mosaic_;
  HaplotypePanel panel_;
  SampleTable samples_ = DiploidSamples("S", kChildren);
  std::vector<std::vector<uint8_t>> truth_;  // [haplotypes]
  std::vector<GenotypeRow> rows_;
  std::vector<uint32_t> typed_;
  Pedigree pedigree_;
};

TEST(FamiliesStage, ChildrenHaveWhatTheirParentsHave) {
  const Herd herd(1);
  EXPECT_LT(herd.Wrong(herd.Impute()), 0.03);
  EXPECT_GT(herd.Wrong(herd.Impute(false)), 0.06);
}

TEST(FamiliesStage, WithoutMothersHalfOfItIsKnown) {
  double with = 0, without = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Herd herd(seed, false);
    with += herd.Wrong(herd.Impute());
    without += herd.Wrong(herd.Impute(false));
  }
  EXPECT_LT(with, 0.95 * without);
}

TEST(FamiliesStage, KnowsWhetherAllParentsAreThere) {
  EXPECT_TRUE(Herd(1).HasAllParents());
  EXPECT_FALSE(Herd(1, false).HasAllParents());
  Herd herd(1);
  herd.pedigree().descent[3].mother = {};
  EXPECT_FALSE(herd.HasAllParents());
  herd.pedigree().descent.clear();
  EXPECT_FALSE(herd.HasAllParents());
}

TEST(FamiliesStage, FatherFirstAndGivenAllelesAreKept) {
  Herd herd(2);
  herd.rows()[5].alleles[0] = herd.rows()[5].alleles[1] = kMissingAllele;
  const WindowDosages dosages = herd.Impute();
  size_t same = 0, hets = 0;
  for (size_t j = 0; j < herd.typed().size(); ++j) {
    const uint32_t m = herd.typed()[j];
    for (size_t c = 0; c < kChildren; ++c) {
      const std::vector<uint8_t>& given = herd.rows()[j].alleles;
      if (given[2 * c] == kMissingAllele) continue;
      ASSERT_EQ(dosages.Get(2 * c, m) + dosages.Get(2 * c + 1, m), given[2 * c] + given[2 * c + 1]);
      if (given[2 * c] == given[2 * c + 1]) continue;
      ++hets;
      same += dosages.Get(2 * c, m) == herd.truth()[2 * c][m] ? 1 : 0;
    }
  }
  EXPECT_GT(same, hets * 95 / 100);
}

// The parents are typed at few markers in the study, too.
TEST(FamiliesStage, SamplesThatAreInThePanelHaveItsHaplotypes) {
  const Herd herd(6, true, true);
  const WindowDosages dosages = herd.Impute();
  EXPECT_LT(herd.Wrong(dosages), 0.03);
  for (size_t m = 0; m < kMarkers; ++m) {
    for (size_t p = kChildren; p < 2 * kChildren; ++p) {  // the others have no child
      const std::vector<std::vector<uint8_t>>& truth = herd.truth();
      ASSERT_EQ(dosages.Get(2 * p, m) + dosages.Get(2 * p + 1, m), truth[2 * p][m] + truth[2 * p + 1][m]);
    }
  }
}

// Those who have no relative in the panel are as they were.
TEST(FamiliesStage, OthersStayAsTheyAre) {
  Herd herd(3);
  std::erase_if(herd.pedigree().descent, [](const Trio& trio) { return trio.child == 4 || trio.child == 5; });
  const WindowDosages with = herd.Impute(), without = herd.Impute(false);
  for (size_t m = 0; m < kMarkers; ++m) {
    for (size_t h = 8; h < 12; ++h) ASSERT_EQ(with.Get(h, m), without.Get(h, m));
  }
  herd.pedigree().others.clear();
  const WindowDosages none = herd.Impute();
  for (size_t m = 0; m < kMarkers; ++m) {
    for (size_t h = 0; h < 2 * kChildren; ++h) ASSERT_EQ(none.Get(h, m), without.Get(h, m));
  }
}

// The panel has the fathers and other animals, but not the mothers, who have two children each.
TEST(FamiliesStage, PeopleWithoutGenotypes) {
  Herd herd(7, false);
  const WindowDosages without = herd.Impute();
  for (size_t p = 1; p < kChildren; p += 2) herd.pedigree().animals.push_back(kChildren + p);
  const WindowDosages dosages = herd.Impute();
  for (size_t m = 0; m < kMarkers; ++m) {
    for (size_t h = 0; h < 2 * kChildren; ++h) ASSERT_EQ(dosages.Get(h, m), without.Get(h, m));
  }
  ASSERT_TRUE(dosages.animals.has_value());
  double expected = 0, right = 0;
  for (size_t a = 0; a < kChildren / 2; ++a) {
    for (uint32_t m = 0; m < kMarkers; m += kTypedStep) {
      const float first = dosages.animals->Get(2 * a, m), second = dosages.animals->Get(2 * a + 1, m);
      const std::array gp{(1 - first) * (1 - second), first + second - 2 * first * second, first * second};
      const auto best = static_cast<size_t>(std::ranges::max_element(gp) - gp.begin());
      expected += gp[best];
      right += best == herd.MotherAlts(a, m) ? 1 : 0;
    }
  }
  const double calls = kChildren / 2 * kMarkers / kTypedStep;
  EXPECT_GT(right / calls, 0.6);
  EXPECT_NEAR(right / calls, expected / calls, 0.2);  // copying is too certain
}

TEST(FamiliesStage, PartsOfAWindowAreThoseOfTheWhole) {
  const Herd herd(4, false);
  const WindowDosages whole = herd.Impute(), part = herd.Impute(true, MarkerRange{110, 190});
  for (size_t m = 110; m < 190; ++m) {
    for (size_t h = 0; h < 2 * kChildren; ++h) ASSERT_EQ(whole.Get(h, m), part.Get(h, m)) << m << " " << h;
  }
}

TEST(FamiliesStage, TheNumberOfThreadsDoesNotMatter) {
  const Herd herd(5, false);
  SetThreads(1);
  const WindowDosages one = herd.Impute();
  SetThreads(4);
  const WindowDosages four = herd.Impute();
  SetThreads(AvailableThreads());
  for (size_t m = 0; m < kMarkers; ++m) {
    for (size_t h = 0; h < 2 * kChildren; ++h) ASSERT_EQ(one.Get(h, m), four.Get(h, m));
  }
}

}  // namespace
}  // namespace haplospin
