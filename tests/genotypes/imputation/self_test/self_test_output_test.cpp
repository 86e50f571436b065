#include "genotypes/imputation/self_test/self_test_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// Counts the records that are handed on.
class CountingOutput : public StudyOutput {
 public:
  explicit CountingOutput(size_t& records) : records_(records) {}

  void SetPloidy(const SampleTable&) override {}
  void Write(const std::string&, std::span<const DosageRecord> records) override { records_ += records.size(); }
  void Finish(IndexType) override { ++records_; }

 private:
  size_t& records_;
};

class SelfTestOutputTest : public testing::Test {
 protected:
  // Returns the rows of the table for these records of a diploid and a haploid sample.
  std::string RowsOf(const std::vector<DosageRecord>& records) {
    SelfTest test;
    SelfTestOutput output(std::make_unique<CountingOutput>(handed_on_), test);
    output.SetPloidy({{"a", "b"}, {0, 2, 3}});
    output.Write("1", records);
    output.Finish(IndexType::kNone);
    const std::string table = test.Find().Table();
    return table.substr(table.find('\n') + 1);
  }

  DosageRecord Imputed(float frequency, const std::vector<float>& dosages) {
    return {.marker = &marker_, .dosages = dosages, .panel_frequency = frequency};
  }

  const Marker marker_{100, ".", "A", "C"};
  size_t handed_on_ = 0;
};

TEST_F(SelfTestOutputTest, ImputedGenotypesAreCountedByTheFrequencyInThePanel) {
  const std::vector<float> dosages{0.1f, 0.9f, 0.5f};
  const std::string rows = RowsOf({Imputed(0.005f, dosages), Imputed(0.03f, dosages), Imputed(0.97f, dosages),
                                   Imputed(0.4f, dosages), Imputed(0, dosages)});
  for (const char* row : {"a\t0\t0.5\t4\t", "a\t0\t0.01\t1\t", "a\t0.01\t0.05\t2\t", "b\t0.05\t0.5\t1\t"}) {
    EXPECT_THAT(rows, HasSubstr(row));
  }
  EXPECT_EQ(handed_on_, 6u);
}

TEST_F(SelfTestOutputTest, TypedGenotypesAreComparedWithTheLeftOutOnes) {
  const std::vector<uint8_t> alleles[2] = {{0, 1, 1}, {1, 1, 0}};
  const std::vector<float> left_out[2] = {{0.1f, 0.9f, 0.8f}, {0.9f, 0.9f, 0.6f}};
  std::vector<DosageRecord> records;
  for (size_t k = 0; k < 2; ++k) {
    records.push_back(Imputed(k == 0 ? 0.3f : 0.7f, left_out[k]));
    records.back().typed_alleles = alleles[k];
    records.back().left_out = left_out[k];
  }
  const std::string rows = RowsOf(records);
  EXPECT_THAT(rows, HasSubstr("a\t0\t0.5\t0\t.\t2\t1.0000\t1.0000\t"));
  EXPECT_THAT(rows, HasSubstr("b\t0\t0.5\t0\t.\t2\t.\t0.5000\t"));  // REF is the minor allele of the second
}

TEST_F(SelfTestOutputTest, MissingGenotypesOfTypedMarkersAreImputed) {
  const std::vector<uint8_t> alleles{0, kMissingAllele, 1};
  const std::vector<float> dosages{0, 0.9f, 0.8f};
  DosageRecord record = Imputed(0.3f, dosages);
  record.typed_alleles = alleles;
  record.left_out = dosages;
  EXPECT_THAT(RowsOf({record}), testing::AllOf(HasSubstr("a\t0\t0.5\t1\t"), HasSubstr("b\t0\t0.5\t0\t.\t1\t")));
}

TEST_F(SelfTestOutputTest, RecordsWithoutDosagesAreHandedOnAlone) {
  const std::string rows = RowsOf({{.marker = &marker_, .in_panel = false}});
  EXPECT_THAT(rows, HasSubstr("a\t0\t0.5\t0\t."));
  EXPECT_EQ(handed_on_, 2u);
}

}  // namespace
}  // namespace haplospin
