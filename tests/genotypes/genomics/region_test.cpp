#include "genotypes/genomics/sites/region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

void ExpectRegion(const std::string& text, const std::string& contig, int64_t begin, int64_t end) {
  const Region region = ParseRegion(text);
  EXPECT_EQ(region.contig, contig) << text;
  EXPECT_EQ(region.begin, begin) << text;
  EXPECT_EQ(region.end, end) << text;
}

TEST(Region, Forms) {
  ExpectRegion("chr20", "chr20", 0, INT64_MAX);
  ExpectRegion("20:7", "20", 7, 7);
  ExpectRegion("20:7-", "20", 7, INT64_MAX);
  ExpectRegion("20:7-9", "20", 7, 9);
  ExpectRegion("chr20:31,000,001-62,000,000", "chr20", 31'000'001, 62'000'000);
  ExpectRegion("20:2147483647", "20", kMaxPosition, kMaxPosition);
}

TEST(Region, InvalidOnesAreRefused) {
  for (const std::string text : {"", ":7", "20:", "20:x", "20:-7", "20:9-7", "20:7-x", "20:2147483648",
                                 "20:9223372036854775807", "20:1-99999999999999999999"}) {
    EXPECT_THROW(ParseRegion(text), InputError) << text;
  }
}

TEST(Position, FromZeroToTheLimitOfBcf) {
  EXPECT_EQ(ParsePosition("0"), 0);
  EXPECT_EQ(ParsePosition("2147483647"), kMaxPosition);
  for (const std::string text : {"", "-1", "1e6", "2147483648", "1000000000000000", "9223372036854775808", "7 "}) {
    EXPECT_THROW(ParsePosition(text), InputError) << text;
  }
  EXPECT_EQ(CheckPosition(kMaxPosition), kMaxPosition);
  EXPECT_THROW(CheckPosition(-1), InputError);
  EXPECT_THROW(CheckPosition(kMaxPosition + 1), InputError);
}

TEST(Region, CoveredShare) {
  const Span whole{101, 200};
  EXPECT_EQ(CoveredShare(whole, {101, 150}), 0.5);
  EXPECT_EQ(CoveredShare(whole, {1, 125}), 0.25);
  EXPECT_EQ(CoveredShare(whole, {200, 1000}), 0.01);
  EXPECT_EQ(CoveredShare(whole, {1, 1000}), 1);
  EXPECT_EQ(CoveredShare(whole, {201, 300}), 0);
  EXPECT_EQ(CoveredShare(whole, {1, 100}), 0);
}

// GRCh38 has contigs such as HLA-DRB1*15:01:01:01, whose last field looks like a position.
TEST(Region, AContigMayHaveColons) {
  const std::vector<std::string> contigs{"chr6", "HLA-DRB1*15:01:01:01", "HLA-A*01:01:01:01"};
  const auto meant = [&](const std::string& text) { return MeantRegion(ParseRegion(text), contigs); };
  EXPECT_EQ(meant("HLA-DRB1*15:01:01:01").contig, "HLA-DRB1*15:01:01:01");
  EXPECT_EQ(meant("HLA-DRB1*15:01:01:01").begin, 0);
  EXPECT_EQ(meant("HLA-DRB1*15:01:01:01").end, INT64_MAX);
  EXPECT_EQ(meant("HLA-DRB1*15:01:01:01:7-9").contig, "HLA-DRB1*15:01:01:01");
  EXPECT_EQ(meant("HLA-DRB1*15:01:01:01:7-9").begin, 7);
  EXPECT_EQ(meant("chr6:29").contig, "chr6");
  EXPECT_EQ(meant("chr6:29").end, 29);
  EXPECT_EQ(ParseRegion("HLA-A*24:09N").contig, "HLA-A*24:09N");
}

}  // namespace
}  // namespace haplospin
