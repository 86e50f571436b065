#include "genotypes/assessment/evaluation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "genotypes/assessment/evaluation_files.h"
#include "genotypes/variant_io/sample_groups.h"

namespace haplospin {
namespace {

using ::testing::HasSubstr;

const GroupAccuracy& All(const Evaluation& evaluation) { return evaluation.groups.back(); }

// ---- The definitions of the measures, implemented a second time as simply as possible.

using Matrix = std::vector<std::vector<double>>;  // [sites, samples]

double MeanOf(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

double Deviation(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += (x - MeanOf(v)) * (x - MeanOf(v));
  return std::sqrt(sum / static_cast<double>(v.size()));
}

double Covariance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += (x[i] - MeanOf(x)) * (y[i] - MeanOf(y));
  return sum / static_cast<double>(x.size());
}

struct PlainScores {
  std::vector<double> bin_r2;
  double mean_r2_from_half_percent, mean_r2_from_five_percent, mse;
};

double MeanSiteR2(const Matrix& dosages, const Matrix& truth, const std::vector<double>& maf, double from) {
  std::vector<double> r2;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (maf[i] < from || Deviation(truth[i]) == 0) continue;
    const double deviation = Deviation(dosages[i]);
    const double r = Covariance(dosages[i], truth[i]) / (deviation * Deviation(truth[i]) + 1e-12);
    r2.push_back(deviation > 1e-9 ? r * r : 0);
  }
  return MeanOf(r2);
}

// `dosages` is NaN where missing; both are of ALT.
PlainScores ScorePlainly(Matrix dosages, Matrix truth, const std::vector<double>& frequency) {
  std::vector<double> maf;
  double squared_error = 0, n = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    maf.push_back(std::min(frequency[i], 1 - frequency[i]));
    for (size_t s = 0; s < truth[i].size(); ++s) {
      if (frequency[i] > 0.5) {
        truth[i][s] = 2 - truth[i][s];
        dosages[i][s] = 2 - dosages[i][s];
      }
      if (std::isnan(dosages[i][s])) dosages[i][s] = 2 * maf[i];
      squared_error += std::pow(dosages[i][s] - truth[i][s], 2);
      n += 1;
    }
  }
  PlainScores scores;
  for (size_t bin = 0; bin < kNumMafBins; ++bin) {
    std::vector<double> x, y;
    for (size_t i = 0; i < truth.size(); ++i) {
      if (maf[i] <= kMafGroups[bin].from || maf[i] > kMafGroups[bin].to) continue;
      x.insert(x.end(), dosages[i].begin(), dosages[i].end());
      y.insert(y.end(), truth[i].begin(), truth[i].end());
    }
    const bool is_defined = !x.empty() && Deviation(x) > 0 && Deviation(y) > 0;
    scores.bin_r2.push_back(is_defined ? std::pow(Covariance(x, y) / (Deviation(x) * Deviation(y)), 2) : kUndefined);
  }
  scores.mean_r2_from_half_percent = MeanSiteR2(dosages, truth, maf, 0.005);
  scores.mean_r2_from_five_percent = MeanSiteR2(dosages, truth, maf, 0.05);
  scores.mse = squared_error / n;
  return scores;
}

TEST_F(EvaluationTest, AgreesWithThePlainDefinitions) {
  constexpr size_t kSites = 300, kSamples = 12, kReferences = 400;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::string> samples, references;
  for (size_t s = 0; s < kSamples; ++s) samples.push_back(fmt::format("S{}", s));
  for (size_t s = 0; s < kReferences; ++s) references.push_back(fmt::format("R{}", s));
  std::vector<std::string> shuffled = samples;  // the imputed file has them in another order
  std::ranges::shuffle(shuffled, random);

  std::vector<std::string> reference_records, truth_records, typed_records, imputed_records;
  Matrix dosages, truth;
  std::vector<double> frequencies;
  size_t num_missing_sites = 0, num_missing_dosages = 0;
  for (size_t i = 0; i < kSites; ++i) {
    const std::string site = fmt::format("7 {} . A {} . . . ", 100 + 5 * (i / 2), i % 2 == 0 ? "C" : "G");
    // From very rare to common, a fifth of them with REF as the minor allele.
    double p = std::pow(uniform(random), 3);
    p = uniform(random) < 0.2 ? 1 - p / 2 : p / 2;
    const auto allele = [&] { return uniform(random) < p ? 1 : 0; };

    std::string reference = site + "GT";
    int alts = 0;
    for (size_t s = 0; s < kReferences; ++s) {
      const int a = allele(), b = allele();
      alts += a + b;
      reference += fmt::format(" {}|{}", a, b);
    }
    const double frequency = alts / (2.0 * kReferences);

    std::string truth_record = site + "GT";
    std::map<std::string, std::string> cells;
    std::vector<double> true_counts, imputed;
    const bool has_dosages = uniform(random) < 0.8;  // the others have GT only
    const bool is_missing = uniform(random) < 0.05, is_constant = uniform(random) < 0.05;
    for (size_t s = 0; s < kSamples; ++s) {
      const int a = allele(), b = allele();
      true_counts.push_back(a + b);
      truth_record += fmt::format(" {}{}{}", a, "/|"[s % 2], b);
      const int guess = uniform(random) < 0.8 ? a + b : static_cast<int>(3 * uniform(random));
      const double noisy = 0.7 * guess + 0.3 * 2 * uniform(random);
      const double rounded = is_constant ? 0.25 : std::round(1000 * noisy) / 1000;
      const bool is_dot = uniform(random) < 0.02;
      const std::string call = has_dosages && is_dot ? ".|." : guess == 0 ? "0|0" : guess == 1 ? "1|0" : "1|1";
      cells[samples[s]] = has_dosages ? fmt::format("{}:{}", call, is_dot ? "." : fmt::format("{}", rounded)) : call;
      num_missing_dosages += has_dosages && is_dot && !is_missing && i % 10 != 0;
      const double value = !has_dosages ? guess : is_dot ? kUndefined : rounded;
      imputed.push_back(is_missing ? kUndefined : value);
    }
    std::string imputed_record = site + (has_dosages ? "GT:DS" : "GT");
    for (const std::string& sample : shuffled) imputed_record += " " + cells[sample];

    truth_records.push_back(truth_record);
    if (i % 50 != 7) reference_records.push_back(reference);
    if (i % 10 == 0) typed_records.push_back(truth_record);
    if (!is_missing) imputed_records.push_back(imputed_record);
    if (i % 10 == 0 || i % 50 == 7) continue;  // typed, or not in the reference
    num_missing_sites += is_missing;
    dosages.push_back(imputed);
    truth.push_back(true_counts);
    frequencies.push_back(frequency);
  }
  std::ranges::shuffle(imputed_records, random);  // and the records in any order

  TruthSet truth_set(DosageReader(Write("truth.vcf", samples, truth_records)));
  EXPECT_EQ(truth_set.UseFrequencies(Write("ref.vcf", references, reference_records)), kSites / 50);
  EXPECT_EQ(truth_set.LeaveOutTyped(Write("typed.vcf", samples, typed_records)), kSites / 10);
  ASSERT_EQ(truth_set.num_scored(), truth.size());

  const Evaluation evaluation = EvaluateAll(truth_set, Write("imputed.vcf", shuffled, imputed_records));
  const PlainScores expected = ScorePlainly(dosages, truth, frequencies);
  size_t num_defined = 0;
  for (size_t bin = 0; bin < expected.bin_r2.size(); ++bin) {
    if (std::isnan(expected.bin_r2[bin])) {
      EXPECT_TRUE(std::isnan(evaluation.groups[bin].r2)) << bin;
      continue;
    }
    EXPECT_NEAR(evaluation.groups[bin].r2, expected.bin_r2[bin], 1e-5) << bin;
    ++num_defined;
  }
  EXPECT_GE(num_defined, 6u);
  EXPECT_NEAR(evaluation.groups[kFromHalfPercent].mean_r2, expected.mean_r2_from_half_percent, 1e-5);
  EXPECT_NEAR(evaluation.groups[kFromFivePercent].mean_r2, expected.mean_r2_from_five_percent, 1e-5);
  EXPECT_NEAR(All(evaluation).mse, expected.mse, 1e-6);
  EXPECT_EQ(All(evaluation).sites, truth.size());
  EXPECT_EQ(All(evaluation).missing_sites, num_missing_sites);
  EXPECT_GT(num_missing_sites, 0u);
  EXPECT_LE(evaluation.missing_genotypes, num_missing_dosages);
  EXPECT_GT(evaluation.missing_genotypes, 0u);
}

TEST_F(EvaluationTest, PerfectDosagesScoreOneInEveryMeasure) {
  const std::vector<std::string> records = {"1 10 . A C . . DR2=0.9 GT 0|0 0|1 1|1",
                                            "1 20 . A C . . DR2=0.8 GT 0|1 0|0 0|0"};
  const std::string path = Write("truth.vcf", {"a", "b", "c"}, records);
  const Evaluation evaluation = EvaluateAll(TruthSet(DosageReader(path)), path);
  const GroupAccuracy& all = All(evaluation);
  for (const double measure :
       {all.r2, all.alt_r2, all.mean_r2, all.concordance, all.non_reference_concordance, all.iqs}) {
    EXPECT_NEAR(measure, 1, 1e-6);
  }
  EXPECT_EQ(all.mse, 0);
  EXPECT_EQ(all.rated_sites, 2u);
  EXPECT_NEAR(all.dr2_mean_absolute_error, 0.15, 1e-6);
  EXPECT_NEAR(all.dr2_mean_error, -0.15, 1e-6);
  ASSERT_EQ(evaluation.samples.size(), 3u);
  EXPECT_EQ(evaluation.samples[1].name, "b");
  EXPECT_EQ(evaluation.samples[0].genotypes, 2u);
  EXPECT_NEAR(evaluation.samples[0].r2, 1, 1e-6);
  EXPECT_EQ(evaluation.samples[0].non_reference_concordance, 1);
}

TEST_F(EvaluationTest, SampleScoresAreOfThatSampleOnly) {
  const TruthSet truth(
      DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 0|1 0|1", "1 20 . A C . . . GT 0|0 0|0"})));
  const Evaluation evaluation = EvaluateAll(
      truth, Write("imputed.vcf", {"b", "a"}, {"1 10 . A C . . . GT 1|1 0|1", "1 20 . A C . . . GT 0|1 0|0"}));
  EXPECT_EQ(evaluation.samples[0].mse, 0);
  EXPECT_EQ(evaluation.samples[0].concordance, 1);
  EXPECT_EQ(evaluation.samples[1].mse, 1);
  EXPECT_EQ(evaluation.samples[1].concordance, 0);
}

TEST_F(EvaluationTest, EstimatesAreReadUnderTheNamesOfOtherPrograms) {
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 0|1 0|0"})));
  for (const char* info : {"R2=0.75;AF=0.5", "AF=0.5;INFO=0.75", "INFO=0.1;R2=0.2;DR2=0.75", "IMP;DR2=0.75"}) {
    const auto imputed = Write("imputed.vcf", {"a", "b"}, {fmt::format("1 10 . A C . . {} GT 0|1 0|0", info)});
    EXPECT_NEAR(All(EvaluateAll(truth, imputed)).dr2_mean_error, -0.25, 1e-6) << info;
  }
  const auto imputed = Write("imputed.vcf", {"a", "b"}, {"1 10 . A C . . AF=0.5;ER2=0.3 GT 0|1 0|0"});
  EXPECT_EQ(All(EvaluateAll(truth, imputed)).rated_sites, 0u);
}

TEST_F(EvaluationTest, PosteriorsDecideIqsAndGenotypesConcordance) {
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 0|1 0|0"})));
  const auto imputed =
      Write("imputed.vcf", {"a", "b"}, {"1 10 . A C . . . GT:DS:GP 0|1:0.9:0.1,0.9,0 0|0:0.2:0.8,0.2,0"});
  const Evaluation evaluation = EvaluateAll(truth, imputed);
  EXPECT_TRUE(evaluation.has_posteriors);
  EXPECT_EQ(All(evaluation).concordance, 1);
  // Po = (0.9 + 0.8) / 2; margins: truth 1 and 1, imputed 0.9 and 1.1.
  const double observed = 0.85, chance = 0.5 * 0.45 + 0.5 * 0.55;
  EXPECT_NEAR(All(evaluation).iqs, (observed - chance) / (1 - chance), 1e-6);
}

TEST_F(EvaluationTest, SitesAreListedWithTheirOwnSums) {
  const TruthSet truth(
      DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 0|1 0|0", "1 20 . A C . . . GT 0|1 0|0"})));
  const Evaluation evaluation =
      EvaluateAll(truth, Write("imputed.vcf", {"a", "b"}, {"1 20 . A C . . DR2=0.5 GT 0|1 0|0"}));
  ASSERT_EQ(evaluation.sites.size(), 2u);
  EXPECT_EQ(evaluation.sites[0].site, 1u);
  EXPECT_NEAR(evaluation.sites[0].minor.SiteR2(), 1, 1e-6);
  EXPECT_EQ(evaluation.sites[0].estimated_r2, 0.5);
  EXPECT_EQ(evaluation.sites[1].site, 0u);  // missing
  EXPECT_TRUE(std::isnan(evaluation.sites[1].estimated_r2));
}

// As in a gVCF, and as PLINK writes sites with one allele. Positions at which nobody has an ALT are not counted.
TEST_F(EvaluationTest, SitesWithoutAltAreTyped) {
  TruthSet truth(
      DosageReader(Write("truth.vcf", {"a"},
                         {"1 10 . A C . . . GT 0|1", "1 10 . A G . . . GT 0|0", "1 20 . A C . . . GT 0|1",
                          "1 30 . A C . . . GT 0|0", "1 40 . A AT . . . GT 0|0", "1 50 . A C . . . GT 0|1"})));
  const std::string typed = Write(
      "typed.vcf", {"a"},
      {"1 10 . A <NON_REF> . . . GT 0/0", "1 15 . A . . . . GT 0/0", "1 16 . A . . . . GT 0/0",
       "1 17 . A . . . . GT 0/0", "1 20 . C . . . . GT 0/0", "1 30 . G <*> . . . GT 0/0", "1 40 . A . . . . GT 0/0"});
  testing::internal::CaptureStderr();
  EXPECT_EQ(truth.LeaveOutTyped(typed), 3u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  std::vector<bool> scored;
  for (size_t site = 0; site < truth.num_sites(); ++site) scored.push_back(truth.scored(site));
  EXPECT_THAT(scored, testing::ElementsAre(false, false, false, true, true, true));
}

TEST_F(EvaluationTest, EmpiricalR2IsOfEveryRecordThatHasIt) {
  const std::vector<std::string> records = {"1 10 . A C . . . GT 0|1 0|0", "1 20 . A C . . . GT 0|1 0|0"};
  TruthSet truth(DosageReader(Write("truth.vcf", {"a", "b"}, records)));
  truth.LeaveOutTyped(Write("typed.vcf", {"a", "b"}, {records[0]}));
  const Evaluation evaluation =
      EvaluateAll(truth, Write("imputed.vcf", {"a", "b"},
                               {"1 5 . G T . . TYPED;ER2=0.5 GT 0|1 0|0", "1 10 . A C . . DR2=1;ER2=0.75 GT 0|1 0|0",
                                "1 20 . A C . . DR2=0.9 GT 0|1 0|0"}));
  ASSERT_EQ(evaluation.empirical.size(), 2u);
  EXPECT_EQ(evaluation.empirical[1].position, 10);
  EXPECT_NEAR(evaluation.MeanEmpiricalR2(), 0.625, 1e-6);
}

TEST_F(EvaluationTest, GroupsOfSamplesAreScoredTogether) {
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a", "b", "c"}, {"1 10 . A C . . . GT 0|1 0|0 1|1"})));
  const Evaluation evaluation =
      EvaluateAll(truth, Write("imputed.vcf", {"a", "b", "c"}, {"1 10 . A C . . . DS 1 1 1"}));
  std::ofstream(folder_ / "groups.txt") << "a one\nb two\nc one\n";
  const auto groups = AccuracyOfGroups(evaluation, LoadSampleGroups(folder_ / "groups.txt", truth.sample_names()));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "one");
  EXPECT_EQ(groups[0].genotypes, 2u);
  EXPECT_NEAR(groups[0].mse, 0.5, 1e-9);
  EXPECT_NEAR(groups[1].mse, 1, 1e-9);
}

TEST_F(EvaluationTest, WithoutAReferenceFrequenciesAreOfTheTruth) {
  const TruthSet truth(
      DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 1|1 ./.", "1 20 . A C . . . GT 0|1 0|0"})));
  EXPECT_EQ(truth.alt_frequency(0), 1);
  EXPECT_EQ(truth.alt_frequency(1), 0.25);
}

TEST_F(EvaluationTest, GenotypesMissingInTheTruthAreLeftOut) {
  const TruthSet truth(
      DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 1|1 ./.", "1 20 . A C . . . GT 0|1 ./1"})));
  const Evaluation evaluation =
      EvaluateAll(truth, Write("imputed.vcf", {"a", "b"}, {"1 10 . A C . . . DS 1 0", "1 20 . A C . . . DS 1 0"}));
  EXPECT_EQ(All(evaluation).mse, 0.5);
  EXPECT_EQ(evaluation.samples[0].genotypes, 2u);
  EXPECT_EQ(evaluation.samples[1].genotypes, 0u);
  EXPECT_TRUE(std::isnan(evaluation.samples[1].mse));
}

TEST_F(EvaluationTest, ContigsAreTheSameWithAndWithoutChr) {
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a"}, {"chr2 10 . A C . . . GT 0|1"})));
  testing::internal::CaptureStderr();
  EXPECT_EQ(All(EvaluateAll(truth, Write("imputed.vcf", {"a"}, {"2 10 . A C . . . GT 0|1"}))).missing_sites, 0u);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("imputed.vcf: contig 2 is treated as contig chr2 of"));
}

TEST_F(EvaluationTest, OfRepeatedMarkersTheFirstCounts) {
  testing::internal::CaptureStderr();
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a"}, {"1 10 . A C . . . GT 0|1", "1 10 . A C . . . GT 1|1"})));
  const Evaluation evaluation =
      EvaluateAll(truth, Write("imputed.vcf", {"a"}, {"1 10 . A C . . . DS 1", "1 10 . A C . . . DS 0"}));
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_EQ(truth.num_sites(), 1u);
  EXPECT_EQ(All(evaluation).mse, 0);
  EXPECT_THAT(warnings, HasSubstr("truth.vcf: 1 marker more than once; the first of each is the truth"));
  EXPECT_THAT(warnings, HasSubstr("imputed.vcf: 1 marker more than once; the first of each is scored"));
}

TEST_F(EvaluationTest, EachAltOfARecordIsAMarker) {
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C,G . . . GT 1|2 0|2"})));
  ASSERT_EQ(truth.num_sites(), 2u);
  const Evaluation evaluation =
      EvaluateAll(truth, Write("imputed.vcf", {"a", "b"}, {"1 10 . A C . . . DS 1 0", "1 10 . A G . . . DS 1 0.5"}));
  EXPECT_EQ(All(evaluation).missing_sites, 0u);
  EXPECT_NEAR(All(evaluation).mse, 0.25 / 4, 1e-9);
  const Evaluation joined = EvaluateAll(truth, Write("joined.vcf", {"a", "b"}, {"1 10 . A C,G . . . DS 1,1 0,0.5"}));
  EXPECT_EQ(All(joined).mse, All(evaluation).mse);
}

TEST_F(EvaluationTest, HaploidGenotypesAgreeWithTheSameWrittenAsDiploid) {
  const TruthSet truth(
      DosageReader(Write("truth.vcf", {"m", "f"}, {"X 10 . A C . . . GT 1 0|1", "X 20 . A C . . . GT 0 0|0"})));
  EXPECT_NEAR(truth.alt_frequency(0), 2.0 / 3, 1e-9);
  const Evaluation haploid = EvaluateAll(
      truth,
      Write("haploid.vcf", {"m", "f"}, {"X 10 . A C . . . GT:DS 1:0.9 0|1:1.2", "X 20 . A C . . . GT:DS 0:0.2 0|0:0"}));
  const Evaluation diploid =
      EvaluateAll(truth, Write("diploid.vcf", {"m", "f"},
                               {"X 10 . A C . . . GT:DS 1|1:1.8 0|1:1.2", "X 20 . A C . . . GT:DS 0|0:0.4 0|0:0"}));
  EXPECT_NEAR(All(haploid).mse, (0.01 + 0.04 + 0.04) / 4, 1e-6);
  EXPECT_NEAR(All(diploid).mse, All(haploid).mse, 1e-6);
  EXPECT_EQ(All(haploid).concordance, 1);
  EXPECT_EQ(All(diploid).concordance, 1);
}

// bcftools +fixploidy makes GT haploid, and leaves DS and GP as those of two alleles.
TEST_F(EvaluationTest, ProbabilitiesOfTwoAllelesBesideAHaploidGenotype) {
  const std::vector<std::string> samples{"m", "f"};
  const TruthSet truth(
      DosageReader(Write("truth.vcf", samples, {"X 10 . A C . . . GT 1 0|1", "X 20 . A C . . . GT 0 0|0"})));
  const Evaluation diploid =
      EvaluateAll(truth, Write("diploid.vcf", samples,
                               {"X 10 . A C . . . GT:DS:GP 1|1:1.8:0.1,0,0.9 0|1:1.2:0.1,0.6,0.3",
                                "X 20 . A C . . . GT:DS:GP 0|0:0.4:0.8,0,0.2 0|0:0:1,0,0"}));
  for (const char* format : {"GT:DS:GP", "GT:GP", "GT:HDS"}) {
    const std::string fields = format;
    const auto values = [&](const std::string& ds, const std::string& gp, const std::string& hds) {
      return fields == "GT:DS:GP" ? ds + ":" + gp : fields == "GT:GP" ? gp : hds;
    };
    const Evaluation fixed =
        EvaluateAll(truth, Write("fixed.vcf", samples,
                                 {"X 10 . A C . . . " + fields + " 1:" + values("1.8", "0.1,0,0.9", "0.9,0.9") +
                                      " 0|1:" + values("1.2", "0.1,0.6,0.3", "0.5,0.7"),
                                  "X 20 . A C . . . " + fields + " 0:" + values("0.4", "0.8,0,0.2", "0.2,0.2") +
                                      " 0|0:" + values("0", "1,0,0", "0,0")}));
    EXPECT_NEAR(All(fixed).mse, All(diploid).mse, 1e-6) << format;
    EXPECT_NEAR(fixed.samples[0].mse, (0.01 + 0.04) / 2, 1e-6) << format;
  }
  const std::string ds_alone = Write("ds.vcf", samples, {"X 10 . A C . . . GT:DS 1:1.8 0|1:1.2"});
  EXPECT_THAT(ErrorOf([&] { EvaluateAll(truth, ds_alone); }),
              testing::HasSubstr("ds.vcf: X:10 A>C: sample m has one allele in GT, but DS 1.8; bcftools +fixploidy"));
}

// bcftools norm -c s and Picard's LiftoverVcf exchange GT alone.
TEST_F(EvaluationTest, GenotypesAndDosagesOfDifferentAllelesAreTold) {
  std::vector<std::string> truth, given, exchanged;
  std::mt19937 random(3);
  for (int position = 1; position <= 50; ++position) {
    std::string genotypes, same, other;
    for (int s = 0; s < 5; ++s) {
      const bool first = random() % 8 == 0, second = random() % 8 == 0;
      const double dosage = std::clamp((first ? 0.8 : 0.1) + (second ? 0.9 : 0.05), 0.0, 2.0);
      genotypes += fmt::format(" {}|{}", first ? 1 : 0, second ? 1 : 0);
      same += fmt::format(" {}|{}:{}", first ? 1 : 0, second ? 1 : 0, dosage);
      other += fmt::format(" {}|{}:{}", first ? 0 : 1, second ? 0 : 1, dosage);
    }
    const std::string site = fmt::format("1 {} . A C . . . GT", position);
    truth.push_back(site + genotypes);
    given.push_back(site + ":DS" + same);
    exchanged.push_back(position % 2 == 0 ? site + ":DS" + other : given.back());
  }
  const std::vector<std::string> samples{"a", "b", "c", "d", "e"};
  const TruthSet truth_set(DosageReader(Write("truth.vcf", samples, truth)));
  const auto warnings = [&](const std::vector<std::string>& records) {
    testing::internal::CaptureStderr();
    EvaluateAll(truth_set, Write("imputed.vcf", samples, records));
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warnings(given), "");
  EXPECT_THAT(warnings(exchanged),
              testing::HasSubstr("imputed.vcf: GT and DS of 25 sites count different alleles (first: 1:2 A>C)"));
}

TEST_F(EvaluationTest, PosteriorsOfAnotherMeanThanTheDosageAreTold) {
  const std::vector<std::string> samples{"f", "m"};
  const TruthSet truth(
      DosageReader(Write("truth.vcf", samples, {"X 10 . A C . . . GT 0|1 1", "X 20 . A C . . . GT 0|1 1"})));
  const auto warnings = [&](const std::string& site, const std::string& next) {
    testing::internal::CaptureStderr();
    EvaluateAll(truth, Write("imputed.vcf", samples,
                             {"X 10 . A C . . . GT:DS:GP " + site, "X 20 . A C . . . GT:DS:GP " + next}));
    return testing::internal::GetCapturedStderr();
  };
  const std::string rounded = "0|1:0.9:0.13,0.82,0.05 1:0.8:0.18,0.82", missing = "0|1:1.2:. 1:.:0.1,0.9";
  EXPECT_EQ(warnings(rounded, missing), "");
  EXPECT_THAT(warnings(rounded, "0|1:0.9:0.5,0.5,0 1:0.8:0.5,0.5"),
              testing::HasSubstr("imputed.vcf: GP of 2 genotypes have another mean than DS (first at X:20 A>C)"));
}

TEST_F(EvaluationTest, EstimatesThatAreNoNumbersAreNone) {
  const TruthSet truth(
      DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 0|1 0|0", "1 20 . A C . . . GT 0|1 0|0"})));
  for (const char* estimate : {"inf", "-inf", "nan", "."}) {
    const Evaluation evaluation =
        EvaluateAll(truth, Write("imputed.vcf", {"a", "b"},
                                 {fmt::format("1 10 . A C . . DR2={};ER2={} GT 0|1 0|0", estimate, estimate),
                                  "1 20 . A C . . DR2=0.75;ER2=0.5 GT 0|1 0|0"}));
    EXPECT_NEAR(All(evaluation).dr2_mean_error, -0.25, 1e-6) << estimate;
    EXPECT_NEAR(evaluation.MeanEmpiricalR2(), 0.5, 1e-6) << estimate;
  }
}

TEST_F(EvaluationTest, BinsExcludeTheirLowerEdge) {
  EXPECT_FALSE(kMafGroups[0].Contains(0));
  EXPECT_TRUE(kMafGroups[0].Contains(0.0005));
  EXPECT_FALSE(kMafGroups[1].Contains(0.0005));
  EXPECT_TRUE(kMafGroups[9].Contains(0.5));
  EXPECT_TRUE(kMafGroups[kFromHalfPercent].Contains(0.005));
  EXPECT_TRUE(kMafGroups[kAllSites].Contains(0));
}

TEST_F(EvaluationTest, FilesWithoutASharedSiteAreRefused) {
  const TruthSet truth(DosageReader(Write("truth.vcf", {"a"}, {"1 10 . A C . . . GT 0|1"})));
  for (const char* record : {"1 11 . A C . . . GT 0|1", "1 10 . A G . . . GT 0|1", "2 10 . A C . . . GT 0|1"}) {
    const auto path = Write("imputed.vcf", {"a"}, {record});
    EXPECT_THAT(ErrorOf([&] { EvaluateAll(truth, path); }),
                HasSubstr("has 1 marker, but none is among the 1 site to score"));
  }
}

TEST_F(EvaluationTest, BadValuesAreNamedWithFileRecordAndSample) {
  const TruthSet truth(
      DosageReader(Write("truth.vcf", {"a", "b"}, {"1 10 . A C . . . GT 0|1 0|0", "1 20 . A C . . . GT 0|1 0|0"})));
  const auto error_of = [&](const std::string& record) {
    const auto path = Write("imputed.vcf", {"a", "b"}, {"1 10 . A C . . . GT 0|1 0|0", record});
    return ErrorOf([&] { EvaluateAll(truth, path); });
  };
  for (const char* bad : {"1 20 . A C . . . DS 0 x", "1 20 . A C . . . DS 0 2.5", "1 20 . A C . . . DS 0 -1",
                          "1 20 . A C . . . DS 0 inf"}) {
    EXPECT_THAT(error_of(bad), HasSubstr("imputed.vcf: 1:20: sample b has DS")) << bad;
  }
  EXPECT_THAT(error_of("1 20 . A C . . . GT:GP 0|0:1,0,0 0|0:255,0,255"), HasSubstr("1:20: sample b has GP"));
  EXPECT_THAT(error_of("1 20 . A C . . . DS 0"), HasSubstr("sample b has no values"));
  EXPECT_THAT(error_of("1 20 . A C . . . DS 0 0 0"), HasSubstr("more samples than the header has"));
  EXPECT_THAT(error_of("1 twenty . A C . . . DS 0 0"), HasSubstr("not a position"));
  EXPECT_THAT(error_of("1 20 . A C . ."), HasSubstr("fewer than the ten columns"));
}

TEST_F(EvaluationTest, TruthsThatCannotServeAreRefused) {
  const auto error_of = [&](const std::vector<std::string>& records) {
    const auto path = Write("truth.vcf", {"m", "f"}, records);
    return ErrorOf([&] { TruthSet(DosageReader(path)); });
  };
  EXPECT_THAT(error_of({}), HasSubstr("truth.vcf: has no records"));
  EXPECT_THAT(error_of({"1 10 . A C . . . DS 1 0"}), HasSubstr("1:10 has no GT"));
  EXPECT_THAT(error_of({"1 20 . A C . . . GT 0|1 0|0", "1 10 . A C . . . GT 0|1 0|0"}),
              HasSubstr("1:10 comes after 1:20"));
  EXPECT_THAT(error_of({"1 20 . A C . . . GT 0|1 0|0", "2 1 . A C . . . GT 0|1 0|0", "1 30 . A C . . . GT 0|1 0|0"}),
              HasSubstr("1:30 comes after 2:1"));
  EXPECT_THAT(error_of({"X 20 . A C . . . GT 1 0|0", "X 30 . A C . . . GT 0|1 0|0"}),
              HasSubstr("X:30 sample m has 2 allele"));
}

Evaluation WithErrors(const std::vector<double>& squared_errors) {
  Evaluation evaluation;
  for (const double error : squared_errors) {
    evaluation.samples.emplace_back();
    evaluation.samples.back().sums.minor.squared_error = error;
  }
  return evaluation;
}

TEST(ErrorRelativeTo, IsTheRatioOfAllErrors) {
  const RelativeError relative = ErrorRelativeTo(WithErrors({1, 3}), WithErrors({4, 4}));
  EXPECT_DOUBLE_EQ(relative.ratio, 0.5);
  // Residuals of -1 and 1: a variance of 2 for each of two samples, in a sum of 8.
  EXPECT_DOUBLE_EQ(relative.high - relative.ratio, 1.96 * 2 / 8);
  EXPECT_DOUBLE_EQ(relative.ratio - relative.low, 1.96 * 2 / 8);
}

TEST(ErrorRelativeTo, IsCertainWhereAllSamplesAgree) {
  const RelativeError relative = ErrorRelativeTo(WithErrors({3, 6, 9}), WithErrors({1, 2, 3}));
  EXPECT_DOUBLE_EQ(relative.ratio, 3);
  EXPECT_DOUBLE_EQ(relative.low, 3);
  EXPECT_DOUBLE_EQ(relative.high, 3);
}

TEST(ErrorRelativeTo, IsUndefinedWithoutErrorsOrSamples) {
  EXPECT_TRUE(std::isnan(ErrorRelativeTo(WithErrors({1, 1}), WithErrors({0, 0})).ratio));
  const RelativeError one = ErrorRelativeTo(WithErrors({1}), WithErrors({2}));
  EXPECT_EQ(one.ratio, 0.5);
  EXPECT_TRUE(std::isnan(one.low));
  EXPECT_TRUE(std::isnan(one.high));
}

// Errors of two programs on the same samples are correlated, as some samples are harder to impute.
TEST(ErrorRelativeTo, TheIntervalContainsTheTrueRatioInNineteenOfTwentyStudies) {
  std::mt19937 random(1);
  std::gamma_distribution<double> difficulty(2, 1), noise(8, 1 / 8.0);
  constexpr double kRatio = 0.9;
  constexpr int kStudies = 2000;
  int covered = 0;
  for (int study = 0; study < kStudies; ++study) {
    std::vector<double> own, other;
    for (int s = 0; s < 100; ++s) {
      const double hard = difficulty(random);
      own.push_back(kRatio * hard * noise(random));
      other.push_back(hard * noise(random));
    }
    const RelativeError relative = ErrorRelativeTo(WithErrors(own), WithErrors(other));
    covered += relative.low <= kRatio && kRatio <= relative.high;
  }
  EXPECT_NEAR(covered / double{kStudies}, 0.95, 0.02);
}

TEST(GenotypeTableTest, IqsCorrectsForChance) {
  GenotypeTable table;
  table.counts = {{{5, 1, 0}, {1, 2, 0}, {0, 0, 1}}};
  EXPECT_NEAR(table.Concordance(), 0.8, 1e-12);
  EXPECT_NEAR(table.Iqs(), (0.8 - 0.46) / (1 - 0.46), 1e-12);
  EXPECT_NEAR(table.NonReferenceConcordance(), 3.0 / 5, 1e-12);
}

TEST(GenotypeTableTest, IndependentGuessesHaveNoQuality) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 20; ++round) {
    double row[3], column[3];
    for (int g = 0; g < 3; ++g) {
      row[g] = uniform(random);
      column[g] = uniform(random);
    }
    GenotypeTable table;
    for (size_t r = 0; r < 3; ++r) {
      for (size_t c = 0; c < 3; ++c) table.counts[r][c] = row[r] * column[c];
    }
    EXPECT_NEAR(table.Iqs(), 0, 1e-9);
  }
}

TEST(GenotypeTableTest, MeasuresOfNothingAreUndefined) {
  GenotypeTable table;
  EXPECT_TRUE(std::isnan(table.Concordance()));
  EXPECT_TRUE(std::isnan(table.Iqs()));
  table.counts[0][0] = 4;  // nobody carries ALT, and chance could not do worse
  EXPECT_EQ(table.Concordance(), 1);
  EXPECT_TRUE(std::isnan(table.NonReferenceConcordance()));
  EXPECT_TRUE(std::isnan(table.Iqs()));
}

class ProbabilitiesTest : public EvaluationTest {
 protected:
  // The same dosages in each of `formats`.
  void ExpectSame(const std::vector<std::pair<std::string, std::vector<std::string>>>& formats) {
    const std::vector<std::string> samples{"A", "B", "C"};
    const TruthSet truth(DosageReader(
        Write("truth.vcf", samples, {"20 10 . A C . . . GT 0/0 0/1 1/1", "20 20 . A C . . . GT 1/1 0/1 0/0"})));
    std::optional<Evaluation> first;
    for (const auto& [format, values] : formats) {
      std::vector<std::string> records;
      for (const char* site : {"20 10 . A C . . . ", "20 20 . A C . . . "}) {
        records.push_back(site + format);
        for (const std::string& value : values) records.back() += " " + value;
      }
      const Evaluation evaluation = EvaluateAll(truth, Write("imputed.vcf", samples, records));
      if (!first) first = evaluation;
      EXPECT_EQ(evaluation.missing_genotypes, 0u) << format;
      EXPECT_NEAR(All(evaluation).mse, All(*first).mse, 1e-6) << format;
    }
  }
};

TEST_F(ProbabilitiesTest, DosagesAreThoseOfWhatThereIs) {
  ExpectSame({{"DS", {"0.25", "1", "1.5"}},
              {"GP", {"0.8,0.15,0.05", "0.2,0.6,0.2", "0.1,0.3,0.6"}},
              {"GT:GP", {"0/0:0.8,0.15,0.05", "0/1:0.2,0.6,0.2", "1/1:0.1,0.3,0.6"}},
              {"HDS", {"0.05,0.2", "0.5,0.5", "0.75,0.75"}},
              {"AP1:AP2", {"0.05:0.2", "0.5:0.5", "0.75:0.75"}}});
}

TEST_F(ProbabilitiesTest, WithoutAnyThereIsNothingToScore) {
  const std::vector<std::string> samples{"A", "B"};
  const TruthSet truth(DosageReader(Write("truth.vcf", samples, {"20 10 . A C . . . GT 0/0 0/1"})));
  const std::string imputed = Write("imputed.vcf", samples, {"20 10 . A C . . . DP 3 4"});
  EXPECT_THAT(ErrorOf([&] { EvaluateAll(truth, imputed); }), HasSubstr("imputed.vcf: no marker to score has DS"));
}

// PLINK 1.9 writes the minor allele as ALT: the same variants, mirrored.
TEST_F(EvaluationTest, ExchangedAllelesAreTheSameVariant) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  const std::vector<std::string> samples{"A", "B", "C", "D"};
  std::vector<std::string> truth, exchanged, imputed, partly;
  for (int r = 0; r < 60; ++r) {
    const std::string at = fmt::format("20 {} . ", 10 * (r + 1)), as = at + "A C . . . ", mirrored = at + "C A . . . ";
    std::string genotypes, opposite, dosages;
    for (size_t s = 0; s < samples.size(); ++s) {
      const bool first = uniform(random) < 0.5, second = uniform(random) < 0.3, is_missing = uniform(random) < 0.05;
      genotypes += is_missing ? " ./." : fmt::format(" {}/{}", int{first}, int{second});
      opposite += is_missing ? " ./." : fmt::format(" {}/{}", int{!first}, int{!second});
      const double none = uniform(random) / 2, two = uniform(random) / 2;
      dosages += fmt::format(" {:.3f}:{:.3f},{:.3f},{:.3f}", 1 - none + two, none, 1 - none - two, two);
    }
    truth.push_back(as + "GT" + genotypes);
    exchanged.push_back(r % 3 == 0 ? mirrored + "GT" + opposite : truth.back());
    imputed.push_back(as + "DS:GP" + dosages);
  }
  const std::string path = Write("imputed.vcf", samples, imputed);
  const Evaluation expected = EvaluateAll(TruthSet(DosageReader(Write("truth.vcf", samples, truth))), path);
  testing::internal::CaptureStderr();
  const Evaluation evaluation = EvaluateAll(TruthSet(DosageReader(Write("exchanged.vcf", samples, exchanged))), path);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("REF and ALT of 20 sites are exchanged"));
  EXPECT_NEAR(All(evaluation).mse, All(expected).mse, 1e-6);
  EXPECT_NEAR(All(evaluation).concordance, All(expected).concordance, 1e-6);
  EXPECT_NEAR(All(evaluation).iqs, All(expected).iqs, 1e-6);
  EXPECT_EQ(evaluation.missing_genotypes, expected.missing_genotypes);
}

// The letters of an indel do not tell whether it is an insertion with its alleles exchanged, or a deletion.
TEST_F(EvaluationTest, ExchangedIndelsAreToldByTheirFrequencies) {
  const std::vector<std::string> samples{"A", "B", "C", "D"};
  const std::string path =
      Write("imputed.vcf", samples, {"20 10 . A ATG . . . DS 0.1 1.1 0 1.9", "20 20 . A C . . . DS 1 1 0 2"});
  const auto missing = [&](const std::string& genotypes) {
    const TruthSet truth(DosageReader(
        Write("truth.vcf", samples, {"20 10 . ATG A . . . GT " + genotypes, "20 20 . A C . . . GT 0/1 0/1 0/0 1/1"})));
    return All(EvaluateAll(truth, path)).missing_sites;
  };
  EXPECT_EQ(missing("1/1 0/1 1/1 0/0"), 0u);
  EXPECT_EQ(missing("0/0 0/1 1/1 0/0"), 1u);  // the deletion beside the insertion
}

}  // namespace
}  // namespace haplospin
