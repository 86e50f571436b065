#include "genotypes/imputation/self_test/held_out_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haplospin {
namespace {

constexpr size_t kSamples = 40;

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (size_t s = 0; s < kSamples; ++s) names.push_back("s" + std::to_string(s));
  return names;
}

// Imputes each sample as homozygous for ALT, where the reads show ALT or REF, and the panel has both as often. The
// first sample of the file is not imputed.
SelfTestFindings FindingsOf(bool shows_alt) {
  const auto held_out = std::make_shared<HeldOutReads>(1);
  SelfTest test;
  HeldOutOutput output(Names(), held_out, test);
  SampleTable samples = SampleTable::Diploid(Names());
  samples.names.erase(samples.names.begin());
  samples.first_haplotype.pop_back();
  output.SetPloidy(samples);
  for (int64_t position = 1000; position < 300'000; position += 1000) {
    ParsedRecord record;
    record.contig = "1";
    record.position = position;
    record.ref = "A";
    record.alts = {"C"};
    record.likelihoods = {{kSamples, GenotypeLikelihoods{shows_alt ? std::array<uint8_t, 3>{30, 3, 0}
                                                                   : std::array<uint8_t, 3>{0, 3, 30}}}};
    held_out->Hide(record);
    const Marker marker{position, ".", "A", "C"};
    const std::vector<float> dosages(2 * (kSamples - 1), 0.99f);
    const DosageRecord imputed{.marker = &marker, .dosages = dosages, .panel_frequency = 0.5f};
    output.Write("1", std::vector{imputed});
  }
  output.Finish(IndexType::kNone);
  return test.Find();
}

TEST(HeldOutOutputTest, ReadsAgreeWithWhatIsImputedOrNot) {
  const SelfTestFindings right = FindingsOf(true), wrong = FindingsOf(false);
  ASSERT_EQ(right.names.size(), kSamples - 1);
  EXPECT_EQ(right.names[0], "s1");
  for (size_t s = 0; s < right.names.size(); ++s) {
    EXPECT_GT(right.qualities[s][0].num_held_out(), 10u);
    EXPECT_EQ(right.qualities[s][0].num_held_out(), right.qualities[s][3].num_held_out());
    EXPECT_LT(right.Mismatch(s), 0.01);
    EXPECT_GT(wrong.Mismatch(s), 0.09);
  }
}

}  // namespace
}  // namespace haplospin
