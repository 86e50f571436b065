#include "genotypes/imputation/self_test/held_out_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace haplospin {
namespace {

constexpr size_t kSamples = 50;
constexpr GenotypeLikelihoods kReads{{20, 0, 30}};

// A record of reads of all samples but the first, each of one allele of a read.
ParsedRecord MakeRecord(int64_t position) {
  ParsedRecord record;
  record.contig = "1";
  record.position = position;
  record.ref = "A";
  record.alts = {"C", "<*>"};
  record.likelihoods.assign(2, std::vector<GenotypeLikelihoods>(kSamples, kReads));
  for (auto& row : record.likelihoods) row[0] = {};
  record.reads.first.push_back(0);
  for (size_t s = 0; s < kSamples; ++s) {
    if (s > 0) record.reads.alleles.push_back({.read = s, .is_alt = 1, .quality = 30});
    record.reads.first.push_back(static_cast<uint32_t>(record.reads.alleles.size()));
  }
  return record;
}

TEST(HeldOutReadsTest, WhatIsHiddenIsKeptAndNotInTheRecord) {
  HeldOutReads held_out(1);
  ParsedRecord record = MakeRecord(5000);
  held_out.Hide(record);
  const std::vector<HeldOutGenotype> hidden = held_out.Take("1", {5000, ".", "A", "C"});
  ASSERT_GT(hidden.size(), 0u);
  ASSERT_LT(hidden.size(), kSamples / 2);
  std::vector<bool> is_hidden(kSamples);
  for (const HeldOutGenotype& genotype : hidden) {
    is_hidden[genotype.column] = true;
    EXPECT_EQ(genotype.likelihoods.phred, kReads.phred);
  }
  EXPECT_FALSE(is_hidden[0]);  // has no reads
  for (size_t s = 1; s < kSamples; ++s) {
    for (const auto& row : record.likelihoods) EXPECT_EQ(row[s].IsFlat(), is_hidden[s]);
    ASSERT_EQ(record.reads.At(s).size(), is_hidden[s] ? 0u : 1u);
    if (!is_hidden[s]) {
      EXPECT_EQ(record.reads.At(s)[0].read, s);
    }
  }
  EXPECT_TRUE(held_out.Take("1", {5000, ".", "A", "C"}).empty());
}

TEST(HeldOutReadsTest, ARecordThatIsDecodedAgainIsKeptOnce) {
  HeldOutReads held_out(1);
  for (int k = 0; k < 2; ++k) {
    ParsedRecord record = MakeRecord(5000);
    held_out.Hide(record);
  }
  HeldOutReads once(1);
  ParsedRecord record = MakeRecord(5000);
  once.Hide(record);
  EXPECT_EQ(held_out.Take("1", {5000, ".", "A", "C"}).size(), once.Take("1", {5000, ".", "A", "C"}).size());
}

// Neighboring markers of a sample are hidden together, so that reads which cover both are.
TEST(HeldOutReadsTest, ATenthOfThePiecesIsHidden) {
  HeldOutReads held_out(2);
  size_t together = 0, all = 0;
  for (int64_t piece = 1; piece <= 100; ++piece) {
    std::vector<std::vector<HeldOutGenotype>> hidden;
    for (const int64_t position : {1000 * piece, 1000 * piece + 900}) {
      ParsedRecord record = MakeRecord(position);
      held_out.Hide(record);
      hidden.push_back(held_out.Take("1", {position, ".", "A", "C"}));
    }
    ASSERT_EQ(hidden[0].size(), hidden[1].size());
    for (size_t k = 0; k < hidden[0].size(); ++k) together += hidden[0][k].column == hidden[1][k].column;
    all += hidden[0].size();
  }
  EXPECT_EQ(together, all);
  EXPECT_NEAR(static_cast<double>(all) / (100 * (kSamples - 1)), 0.1, 0.02);
}

TEST(HeldOutReadsTest, WhatIsBeforeAMarkerIsForgotten) {
  HeldOutReads held_out(1);
  for (const int64_t position : {5000, 6000}) {
    ParsedRecord record = MakeRecord(position);
    held_out.Hide(record);
  }
  EXPECT_TRUE(held_out.Take("1", {5500, ".", "A", "C"}).empty());
  EXPECT_TRUE(held_out.Take("1", {5000, ".", "A", "C"}).empty());
  EXPECT_FALSE(held_out.Take("1", {6000, ".", "A", "C"}).empty());
}

TEST(HeldOutReadsTest, CallsAndRecordsOutsideAreLeftAsTheyAre) {
  HeldOutReads held_out(1);
  ParsedRecord calls = MakeRecord(5000), outside = MakeRecord(5000);
  calls.likelihoods.clear();
  outside.is_outside = true;
  for (ParsedRecord* record : {&calls, &outside}) {
    held_out.Hide(*record);
    EXPECT_EQ(record->reads.alleles.size(), kSamples - 1);
  }
}

}  // namespace
}  // namespace haplospin
