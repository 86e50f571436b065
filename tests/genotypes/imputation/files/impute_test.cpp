#include "haplospin/impute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/safetensors.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/plan/window_plan.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class ImputeTest : public testing::Test {
 protected:
  ImputeTest() {
    WriteSafetensors(options_.model, ToSafetensors(weights_));
    study_.contig = "chr20";
    for (size_t j = 0; j < simulated_.typed.size(); ++j) {
      study_.markers.push_back({panel_.marker(simulated_.typed[j]), simulated_.rows[j]});
    }
  }

  // The message for a study after `change`.
  std::string Error(const std::function<void(StudyGenotypes&)>& change) const {
    StudyGenotypes study = study_;
    change(study);
    try {
      Impute(panel_, study, map_, options_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  const TemporaryFolder folder_;
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 105, .markers = 200});
  const HaplotypePanel panel_ = MakePanel(mosaic_, DiploidSamples("R", 50));
  const SimulatedStudy simulated_{MakeSamples("S", std::vector<int>{2, 1, 2}), CommonMarkers(panel_, 3),
                                  std::span(mosaic_.alleles).subspan(100)};
  const GeneticMap map_ = GeneticMap::Uniform();
  const ImputerWeights weights_ = RandomWeights(1);
  ImputeOptions options_{.model = folder_ / "weights.safetensors", .threads = 2};
  StudyGenotypes study_{.samples = simulated_.samples};
};

TEST_F(ImputeTest, IsTheWindowImputerOverTheWholePanel) {
  study_.markers[4].genotypes.alleles[1] = kMissingAllele;
  const ImputedDosages imputed = Impute(panel_, study_, map_, options_);
  ASSERT_EQ(imputed.num_samples(), 3u);
  ASSERT_EQ(imputed.num_haplotypes(), 5u);
  ASSERT_EQ(imputed.num_markers(), 200u);
  SimulatedStudy missing = simulated_;
  missing.rows[4].alleles[1] = kMissingAllele;
  const WindowDosages window = ImputeStudy(panel_, missing.View(), {0, 200}, *MakeCpuBackend(weights_));
  for (size_t m = 0; m < 200; ++m) {
    for (size_t h = 0; h < 5; ++h) {
      ASSERT_EQ(imputed.probability(h, m), window.Get(h, m));
      ASSERT_EQ(imputed.haplotype(h)[m], window.Get(h, m));
    }
    ASSERT_FLOAT_EQ(imputed.Dosage(0, m), window.Get(0, m) + window.Get(1, m));
    ASSERT_EQ(imputed.Dosage(1, m), window.Get(2, m));
  }
}

TEST_F(ImputeTest, GivenAllelesAreKept) {
  const ImputedDosages imputed = Impute(panel_, study_, map_, options_);
  for (size_t j = 0; j < simulated_.typed.size(); ++j) {
    const std::vector<uint8_t>& alleles = study_.markers[j].genotypes.alleles;
    for (size_t h = 0; h < 5; ++h) ASSERT_EQ(imputed.probability(h, simulated_.typed[j]), alleles[h]);
  }
}

TEST_F(ImputeTest, StudyMarkersThatThePanelDoesNotHaveAreIgnored) {
  const ImputedDosages before = Impute(panel_, study_, map_, options_);
  const int64_t position = study_.markers.back().marker.position + 1;
  study_.markers.push_back({{position, ".", "T", "TGG"}, {.alleles = {0, 1, 0, 1, 0}}});
  const ImputedDosages after = Impute(panel_, study_, map_, options_);
  for (size_t h = 0; h < 5; ++h) {
    EXPECT_TRUE(std::ranges::equal(before.haplotype(h), after.haplotype(h)));
  }
}

TEST_F(ImputeTest, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(Error([](StudyGenotypes&) {}), "");
  EXPECT_THAT(Error([](StudyGenotypes& s) { s.contig = "21"; }), HasSubstr("give the panel of the study's contig"));
  EXPECT_THAT(Error([](StudyGenotypes& s) { s.markers.clear(); }), HasSubstr("the study has no markers"));
  EXPECT_THAT(Error([](StudyGenotypes& s) { s.samples = {}; }), HasSubstr("no samples"));
  EXPECT_THAT(Error([](StudyGenotypes& s) { s.samples.first_haplotype.pop_back(); }), HasSubstr("first_haplotype"));
  EXPECT_THAT(Error([](StudyGenotypes& s) { s.samples.first_haplotype[1] = 9; }), HasSubstr("first_haplotype"));
  EXPECT_THAT(Error([](StudyGenotypes& s) { s.samples = {{"A", "B", "C"}, {0, 3, 4, 5}}; }), HasSubstr("diploid"));
  EXPECT_THAT(Error([](StudyGenotypes& s) { s.samples = {{"A", "B", "C"}, {0, 2, 2, 4}}; }), HasSubstr("haploid"));
  const auto row_error = [&](const std::function<void(GenotypeRow&)>& change) {
    return Error([&](StudyGenotypes& s) { change(s.markers[3].genotypes); });
  };
  EXPECT_THAT(row_error([](GenotypeRow& row) { row.alleles.pop_back(); }), HasSubstr("marker 3 has 4 alleles"));
  EXPECT_THAT(row_error([](GenotypeRow& row) { row.alleles[0] = 7; }), HasSubstr("marker 3 has an allele"));
  EXPECT_THAT(row_error([](GenotypeRow& row) { row.unphased = {1}; }), HasSubstr("marker 3 has 1 values"));
  EXPECT_THAT(row_error([](GenotypeRow& row) { row.phase_sets = {1, 2}; }), HasSubstr("2 phase sets; give one"));
  EXPECT_THAT(row_error([](GenotypeRow& row) { row.likelihoods.resize(4); }), HasSubstr("each of the 3 samples"));
  EXPECT_THAT(row_error([](GenotypeRow& row) { row.first_read = {0, 0, 0, 1}; }), HasSubstr("its 0 reads"));
  EXPECT_THAT(row_error([](GenotypeRow& row) { row.reads.resize(1); }), HasSubstr("marker 3 has first_read"));
  EXPECT_THAT(Error([](StudyGenotypes& s) { std::swap(s.markers[2], s.markers[3]); }), HasSubstr("sort the markers"));
  EXPECT_THAT(Error([](StudyGenotypes& s) {
                for (StudyMarker& study_marker : s.markers) ++study_marker.marker.position;
              }),
              HasSubstr("no typed site is shared"));
  options_.threads = -1;
  EXPECT_THAT(Error([](StudyGenotypes&) {}), HasSubstr("threads: -1 is negative"));
  options_.threads = 1;
  options_.model = folder_ / "none";
  EXPECT_THAT(Error([](StudyGenotypes&) {}), HasSubstr(options_.model));
}

}  // namespace
}  // namespace haplospin
