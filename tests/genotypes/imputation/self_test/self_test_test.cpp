#include "genotypes/imputation/self_test/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

// A sample whose imputed dosages vary by 1, with this variance of each, and left-out ones with this ratio of errors.
QualityByBin MakeSample(double variance, double error_ratio, int genotypes = 1000) {
  QualityByBin sample;
  sample[0].AddTyped({1, 0}, 1);  // a heterozygote, so that it is not inbred
  for (int k = 0; k < genotypes; ++k) {
    sample[0].AddImputed({k % 2 == 0 ? 0.0 : 2.0, variance});
    sample[0].AddTyped({1, 0.25}, 1 + 0.5 * std::sqrt(error_ratio) * (k % 2 == 0 ? 1 : -1));
  }
  return sample;
}

TEST(SelfTestTest, ContigsAreAddedInOneOrder) {
  std::string tables[2];
  for (const size_t first : {0u, 1u}) {
    SelfTest test;
    for (const size_t k : {first, 1 - first}) {
      test.Add(k == 0 ? "1" : "2", {"a", "b"}, std::vector{MakeSample(0.1, 1 + k), MakeSample(0.3, 0.7)});
    }
    tables[first] = test.Find().Table();
  }
  EXPECT_EQ(tables[0], tables[1]);
  EXPECT_THAT(tables[0],
              testing::StartsWith("sample\tmin_maf\tmax_maf\timputed\tr2\ttyped\ttyped_r2\ttyped_concordance\t"
                                  "error_ratio\theld_out\tmismatch\na\t0\t0.5\t2000\t0."));
  EXPECT_THAT(tables[0], HasSubstr("\nb\t0\t0.01\t0\t.\t0\t.\t.\t.\t0\t.\n"));
}

// Women have no chrY.
TEST(SelfTestTest, AContigMayLackPeople) {
  SelfTest test;
  test.Add("20", {"a", "b", "c"}, std::vector{MakeSample(0.1, 1), MakeSample(0.2, 1), MakeSample(0.3, 1)});
  test.Add("Y", {"c"}, std::vector{MakeSample(0.3, 1, 500)});
  const SelfTestFindings findings = test.Find();
  ASSERT_THAT(findings.names, testing::ElementsAre("a", "b", "c"));
  EXPECT_EQ(findings.qualities[0][0].num_imputed(), 1000u);
  EXPECT_EQ(findings.qualities[2][0].num_imputed(), 1500u);
  EXPECT_NEAR(findings.R2(2), 1 / 1.3, 1e-9);
}

std::string TextOf(const std::vector<QualityByBin>& samples) {
  std::vector<std::string> names;
  for (size_t k = 0; k < samples.size(); ++k) names.push_back("person" + std::to_string(k));
  SelfTest test;
  test.Add("1", names, samples);
  CaptureStderr();
  test.Find().Tell("table.tsv");
  return GetCapturedStderr();
}

TEST(SelfTestTest, SamplesFarFromTheOthersAreNamed) {
  std::vector<QualityByBin> samples;
  for (int k = 0; k < 12; ++k) samples.push_back(MakeSample(k == 7 ? 1.5 : 0.1 + 0.001 * k, k == 3 ? 2 : 1 + 0.01 * k));
  const std::string text = TextOf(samples);
  EXPECT_THAT(text, AllOf(HasSubstr("table.tsv: estimated r2 of the imputed dosages of 12 samples: median 0.9"),
                          HasSubstr("1 sample is imputed far less accurately than the others (r2): person7 (0.400)"),
                          HasSubstr("of 1 sample differs more"), HasSubstr("person3 (2.000)")));
  EXPECT_THAT(text, Not(HasSubstr("person6")));
}

// One with few hidden genotypes is not named: that may be chance.
TEST(SelfTestTest, HiddenReadsOfSomebodyElseAreNamed) {
  std::vector<QualityByBin> samples;
  for (int k = 0; k < 20; ++k) {
    samples.push_back(MakeSample(0.1, 1));
    const int hidden = k == 9 ? 20 : 2000, every = k == 5 || k == 9 ? 10 : 1000;  // as likely by the frequencies alone
    for (int i = 1; i <= hidden; ++i) samples.back()[0].AddHeldOut(i % every == 0 ? 0.01 : 0.98, 0.4);
  }
  const std::string text = TextOf(samples);
  EXPECT_THAT(text, AllOf(HasSubstr("the hidden reads of 1 sample agree less"), HasSubstr("): person5 ("),
                          Not(HasSubstr("person9"))));
}

TEST(SelfTestTest, FewSamplesAreNotCompared) {
  const std::string text = TextOf({MakeSample(0.1, 1), MakeSample(2, 5)});
  EXPECT_THAT(text, AllOf(HasSubstr("of 2 samples"), Not(HasSubstr("warning"))));
}

}  // namespace
}  // namespace haplospin
