#include "genotypes/variant_io/panel_file/panel_adaptation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/panel_files.h"
#include "genotypes/variant_io/variant_files.h"
#include "genotypes/variant_io/writing/adapted_panel_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

ErrorFunction RandomError(std::mt19937& random) {
  std::normal_distribution<float> normal(0, 0.01f);
  ErrorFunction error{.probability_factor = 0.1f * normal(random)};
  for (float& coefficient : error.site_factors) coefficient = normal(random);
  return error;
}

// Every fifth marker is a site of the array, some have no r2, and some no error function.
constexpr size_t kSamples = 4;

PanelAdaptation RandomAdaptation(size_t num_markers, uint32_t seed) {
  std::mt19937 random(seed);
  PanelAdaptation adaptation;
  int64_t position = 1000;
  for (size_t m = 0; m < num_markers; ++m, position += random() % 200) {
    if (m % 5 == 0) {
      adaptation.AddArraySite(position, 1e-3 * static_cast<double>(random() % 100));
      continue;
    }
    const ErrorFunction error = RandomError(random);
    adaptation.AddMarker(position, m % 7 == 0 ? std::nullopt : std::optional(static_cast<double>(m % 101) / 100),
                         m % 3 == 0 ? nullptr : &error);
  }
  adaptation.SetCopying({.mismatch_rate = 0.001, .unmatched_share = 0.02});
  adaptation.SetShares(std::vector<float>(kSamples * kAdaptedPopulations, 1));
  return adaptation;
}

TEST(PanelAdaptationTest, KeepsWhatWasAdded) {
  std::mt19937 random(1);
  PanelAdaptation added;
  added.AddArraySite(7, 0);
  const ErrorFunction error = RandomError(random);
  added.AddMarker(7, 0.837, &error);
  added.AddMarker(900, std::nullopt, nullptr);
  added.AddArraySite(1000, 0.013);
  added.SetCopying({.mismatch_rate = 0.00123, .unmatched_share = 1});
  std::vector<float> shares;
  for (size_t k = 0; k < kSamples * kAdaptedPopulations; ++k) shares.push_back(std::exp2(static_cast<float>(k) - 15));
  added.SetShares(shares);
  const PanelAdaptation read = PanelAdaptation::Decode(added.Encode(), 4, kSamples, "damaged");
  EXPECT_EQ(read.positions(), (std::vector<int64_t>{7, 7, 900, 1000}));
  EXPECT_TRUE(read.IsArraySite(0) && !read.IsArraySite(1) && !read.IsArraySite(2) && read.IsArraySite(3));
  ASSERT_EQ(read.Switches().size(), 2u);
  EXPECT_LT(read.Switches()[0], 1e-6);
  EXPECT_NEAR(read.Switches()[1], 0.013, 0.013 * 0.03);
  EXPECT_EQ(read.copying().mismatch_rate, 0.00123);
  EXPECT_EQ(read.copying().unmatched_share, 1);
  ASSERT_EQ(read.Shares().size(), shares.size());
  for (size_t k = 0; k < shares.size(); ++k) {
    const float in_range = std::min(shares[k], 65536.0f);  // shares that are as large do not occur
    EXPECT_NEAR(read.Shares()[k], in_range, 0.045f * in_range) << k;
  }
  EXPECT_EQ(read.R2(0), std::nullopt);
  EXPECT_NEAR(*read.R2(1), 0.837, 0.5 / PanelAdaptation::kR2Steps);
  EXPECT_EQ(read.R2(2), std::nullopt);
  EXPECT_FALSE(read.Error(0) || read.Error(2));
  const ErrorFunction rounded = *read.Error(1);
  float largest = 0;
  for (const float coefficient : error.site_factors) largest = std::max(largest, std::abs(coefficient));
  EXPECT_NEAR(rounded.probability_factor, error.probability_factor, largest / 200);
  for (size_t k = 0; k < kErrorSites; ++k) EXPECT_NEAR(rounded.site_factors[k], error.site_factors[k], largest / 200);
  EXPECT_EQ(read.Encode(), added.Encode());
}

TEST(PanelAdaptationTest, OtherBytesAreRefused) {
  const std::string bytes = RandomAdaptation(50, 2).Encode();
  const auto error = [](const std::string& text, size_t markers) {
    return ErrorOf([&] { PanelAdaptation::Decode(text, markers, kSamples, "damaged"); });
  };
  EXPECT_EQ(error(bytes, 50), "");
  EXPECT_EQ(error(bytes, 49), "damaged");
  EXPECT_EQ(error(bytes, 51), "damaged");
  EXPECT_EQ(error(bytes, SIZE_MAX), "damaged");
  EXPECT_EQ(error(bytes + "x", 50), "damaged");
  for (size_t size = 0; size < bytes.size(); size += 13) EXPECT_EQ(error(bytes.substr(0, size), 50), "damaged");
}

class AdaptedPanelFileTest : public testing::Test {
 protected:
  AdaptedPanelFileTest() {
    VcfText vcf(SampleNames(4));
    for (const char* contig : {"20", "21"}) {
      for (int64_t position = 1000; position < 1100; ++position) vcf.Add(contig, position, "A", "C", "0|1 0|0 1|1 0|0");
    }
    WriteVariants(vcf_, vcf, FileForm::kVcf);
    BuildPanelFile(vcf_, plain_, {.level = 3, .block_markers = 16});
    adaptations_ = {RandomAdaptation(100, 3), RandomAdaptation(100, 4)};
    WriteAdaptedPanelFile(PanelBlockReader(plain_), "array.txt", adaptations_, file_);
  }

  std::string ErrorWith(const std::string& bytes) const {
    WriteFile(file_, bytes);
    return ErrorOf([&] {
      const auto reader = OpenPanelFile(file_);
      for (; reader->NextContig(); reader->SkipContig()) reader->Adaptation();
    });
  }

  const TemporaryFolder folder_;
  const std::string vcf_ = folder_ / "panel.vcf", plain_ = folder_ / "panel.hsp", file_ = folder_ / "adapted.hsp";
  std::vector<PanelAdaptation> adaptations_;
};

TEST_F(AdaptedPanelFileTest, HasThePanelAndItsAdaptations) {
  EXPECT_EQ(SummarizePanelFile(file_).array, "array.txt");
  const auto plain = OpenPanelFile(plain_), adapted = OpenPanelFile(file_);
  EXPECT_EQ(plain->AdaptedArray(), "");
  EXPECT_FALSE(plain->Adaptation());
  EXPECT_EQ(adapted->AdaptedArray(), "array.txt");
  for (const PanelAdaptation& expected : adaptations_) {
    EXPECT_EQ(adapted->Adaptation()->Encode(), expected.Encode());
    MutablePanel panel = plain->StartContig(), same = adapted->StartContig();
    plain->ReadUntil(INT64_MAX, panel);
    adapted->ReadUntil(INT64_MAX, same);
    ASSERT_EQ(same.num_markers(), 100u);
    for (size_t m = 0; m < 100; ++m) EXPECT_EQ(same.marker(m).position, panel.marker(m).position);
  }
  EXPECT_FALSE(adapted->Adaptation());
}

TEST_F(AdaptedPanelFileTest, ASecondArrayReplacesTheFirst) {
  const std::string again = folder_ / "again.hsp";
  WriteAdaptedPanelFile(PanelBlockReader(file_), "array.txt", adaptations_, again);
  EXPECT_TRUE(ReadFile(again) == ReadFile(file_));
}

TEST_F(AdaptedPanelFileTest, DamageIsFoundOut) {
  const std::string bytes = ReadFile(file_);
  EXPECT_EQ(ErrorWith(bytes), "");
  std::string other = bytes;
  other[8] = 6;  // a version that is not read
  EXPECT_THAT(ErrorWith(other), HasSubstr("adapted.hsp: panel file of version 6"));
  WriteFile(file_, bytes);
  std::mt19937 random(5);
  size_t num_errors = 0, num_messages = 0;
  const size_t begin = PanelBlockReader(file_).index().contigs[0].adaptation.offset;
  constexpr size_t kRepeats = 500;
  for (size_t repeat = 0; repeat < kRepeats; ++repeat) {
    other = bytes;
    const size_t place = begin + random() % (bytes.size() - begin);
    other[place] = static_cast<char>(other[place] ^ (1 + random() % 255));
    const std::string error = ErrorWith(other);
    num_errors += error.find("adapted.hsp: ") != std::string::npos ? 1 : 0;
    num_messages += error.find("of contig 2") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(num_errors, kRepeats * 9 / 10);
  EXPECT_GT(num_messages, kRepeats / 5);
}

}  // namespace
}  // namespace haplospin
