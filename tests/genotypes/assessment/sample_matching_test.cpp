#include "genotypes/assessment/sample_matching.h"

#include <gmock/gmock.h>

#include "genotypes/assessment/evaluation_files.h"
#include "genotypes/assessment/phase_accuracy.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const FileSamples kTruth{"truth.vcf", {"a", "b", "c"}};

struct Choice {
  std::vector<std::string> samples;
  std::string warning;
};

Choice Choose(const std::vector<FileSamples>& files, const std::vector<std::string>& chosen = {}) {
  testing::internal::CaptureStderr();
  const auto samples = SamplesToScore(kTruth, files, chosen);
  return {samples, testing::internal::GetCapturedStderr()};
}

std::string ErrorFor(const std::vector<FileSamples>& files, const std::vector<std::string>& chosen = {}) {
  return ErrorOf([&] { SamplesToScore(kTruth, files, chosen); });
}

TEST(SampleMatching, TheSameSamplesInAnyOrder) {
  const Choice choice = Choose({{"x.vcf", {"c", "a", "b"}}, {"y.vcf", {"b", "a", "c"}}});
  EXPECT_THAT(choice.samples, ElementsAre("a", "b", "c"));
  EXPECT_EQ(choice.warning, "");
}

TEST(SampleMatching, OneWarningNamesWhatIsLeftOut) {
  const Choice choice = Choose({{"x.vcf", {"e", "c", "a"}}, {"y.vcf", {"d", "c", "b", "e", "f", "g", "a"}}});
  EXPECT_THAT(choice.samples, ElementsAre("a", "c"));
  EXPECT_THAT(choice.warning, HasSubstr("only the 2 samples that all files have are scored; "
                                        "x.vcf lacks 1 of the 3 samples of truth.vcf: b; "
                                        "truth.vcf lacks 1 of the 3 samples of x.vcf: e; "
                                        "truth.vcf lacks 4 of the 7 samples of y.vcf: d, e, f and 1 more\n"));
  EXPECT_EQ(std::ranges::count(choice.warning, '\n'), 1);
}

TEST(SampleMatching, ChosenSamplesAreScoredWithoutAWarning) {
  const Choice choice = Choose({{"x.vcf", {"e", "c", "a"}}}, {"c", "a", "c"});
  EXPECT_THAT(choice.samples, ElementsAre("a", "c"));
  EXPECT_EQ(choice.warning, "");
}

TEST(SampleMatching, ChosenSamplesMustBeInEveryFile) {
  EXPECT_THAT(ErrorFor({{"x.vcf", {"a", "x"}}}, {"a", "x"}),
              HasSubstr("truth.vcf: does not have 1 of the 2 samples of --samples: x; give names that"));
  EXPECT_THAT(ErrorFor({{"x.vcf", {"a", "b"}}, {"y.vcf", {"b"}}}, {"a", "b"}),
              HasSubstr("y.vcf: does not have 1 of the 2 samples of --samples: a"));
}

TEST(SampleMatching, NoSharedSampleIsAnError) {
  EXPECT_THAT(ErrorFor({{"x.vcf", {"A", "B"}}}),
              HasSubstr("x.vcf: has none of the 3 samples to score (a, b, c), but A, B; name the samples as in "
                        "truth.vcf (`bcftools query -l` prints the names"));
  EXPECT_THAT(ErrorFor({{"x.vcf", {"a", "b"}}, {"y.vcf", {"c"}}}),
              HasSubstr("y.vcf: has none of the 2 samples to score (a, b), but c"));
}

// Ploidy, frequency and scores are of the samples that are used.
TEST_F(EvaluationTest, OtherSamplesTakeNoPart) {
  DosageReader reader(
      Write("truth.vcf", {"x", "a", "b"}, {"1 10 . A C . . . GT 1|1 0|1 0|0", "1 20 . A C . . . GT 1 0|0 0|1"}));
  reader.UseSamples({"a", "b"});
  const TruthSet truth(std::move(reader));
  EXPECT_THAT(truth.sample_names(), ElementsAre("a", "b"));
  EXPECT_EQ(truth.alt_frequency(0), 0.25);
  const Evaluation evaluation = EvaluateAll(
      truth, Write("imputed.vcf", {"b", "y", "a"},
                   {"1 10 . A C . . . GT:DS:GP 0|0:0:1,0,0 1|1:2:0,0,1 0|1:1:0,1,0", "1 20 . A C . . . DS 1 2 0.5"}));
  ASSERT_EQ(evaluation.samples.size(), 2u);
  EXPECT_EQ(evaluation.samples[0].name, "a");
  EXPECT_EQ(evaluation.samples[0].mse, 0.125);
  EXPECT_EQ(evaluation.samples[1].mse, 0);
  double pairs = 0;
  for (const Calibration::Bin& bin : evaluation.dosages.bins()) pairs += bin.count;
  EXPECT_EQ(pairs, 4);
}

TEST_F(EvaluationTest, PhaseIsOfTheSamplesToScore) {
  const std::string truth =
      Write("truth.vcf", {"x", "a", "b"}, {"1 10 . A C . . . GT 0|1 0|1 0|0", "1 20 . A C . . . GT 0|1 0|1 0|0"});
  const std::string imputed =
      Write("imputed.vcf", {"b", "a", "x"}, {"1 10 . A C . . . GT 0|0 0|1 0|1", "1 20 . A C . . . GT 0|0 1|0 0|1"});
  const PhaseAccuracy accuracy = EvaluatePhase(truth, "imputed", imputed, {"a", "b"});
  EXPECT_EQ(accuracy.switches.neighbors, 1u);
  EXPECT_EQ(accuracy.switches.errors, 1u);
  EXPECT_EQ(accuracy.by_allele_count[0].switches.neighbors, 1u) << "one copy, without those of x";
}

}  // namespace
}  // namespace haplospin
