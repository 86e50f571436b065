// DosageWriter as BGEN.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <random>

#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"
#include "variant_io/bgen_file.h"
#include "variant_io/variant_files.h"
#include "variant_io/writing/dosage_writer.h"
#include "variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint8_t kNone = kMissingAllele;

OutputFields FieldsOf(BgenOptions bgen) {
  OutputFields fields;
  fields.bgen = bgen;
  return fields;
}

class BgenWriterTest : public testing::Test {
 protected:
  void Add(Marker marker, std::vector<float> dosages, std::vector<uint8_t> typed = {}, bool in_panel = true) {
    markers_.push_back(std::move(marker));
    dosages_.push_back(std::move(dosages));
    typed_.push_back(std::move(typed));
    records_.push_back(
        {.marker = &markers_.back(), .in_panel = in_panel, .dosages = dosages_.back(), .typed_alleles = typed_.back()});
  }

  std::string Bytes(const OutputFields& fields) {
    DosageWriter writer(folder_ / "out.bgen", OutputType::kByExtension, {{{"20", 0}}, {"##source=test"}}, samples_,
                        fields);
    writer.Write("20", records_);
    writer.Finish(false);
    num_left_out_ = writer.num_left_out();
    return ReadFile(folder_ / "out.bgen");
  }

  // A diploid, a haploid and a diploid sample.
  SampleTable samples_{{"A", "B", "C"}, {0, 2, 3, 5}};
  std::deque<Marker> markers_;
  std::deque<std::vector<float>> dosages_;
  std::deque<std::vector<uint8_t>> typed_;
  std::vector<DosageRecord> records_;
  size_t num_left_out_ = 0;
  TemporaryFolder folder_;
};

TEST_F(BgenWriterTest, WritesSitesAndGenotypes) {
  Add({100, "rs1", "A", "CT"}, {0, 1, 0.25f, 0.5f, 0.2f});
  Add({2147483647, ".", "G", "T"}, {0, 0, 0, 0, 0}, {1, 1, 0, kNone, 0});
  const BgenFile file = DecodeBgen(Bytes({}));
  EXPECT_EQ(file.note, "##source=test\n");
  EXPECT_EQ(file.compression, 1u);
  EXPECT_EQ(file.layout, 2u);
  EXPECT_THAT(file.samples, ElementsAre("A", "B", "C"));
  ASSERT_EQ(file.variants.size(), 2u);
  const BgenVariant& first = file.variants[0];
  EXPECT_EQ(first.id, "rs1");
  EXPECT_EQ(first.rsid, "rs1");
  EXPECT_EQ(first.contig, "20");
  EXPECT_EQ(first.position, 100u);
  EXPECT_THAT(first.alleles, ElementsAre("A", "CT"));
  EXPECT_FALSE(first.is_phased);
  EXPECT_EQ(first.bits, 16);
  EXPECT_EQ(first.min_ploidy, 1);
  EXPECT_EQ(first.max_ploidy, 2);
  const auto near = [](double p) { return DoubleNear(p, 1.0 / 65535); };
  EXPECT_THAT(first.samples[0].probabilities, ElementsAre(near(0), near(1)));
  EXPECT_THAT(first.samples[1].probabilities, ElementsAre(near(0.75)));
  EXPECT_THAT(first.samples[2].probabilities, ElementsAre(near(0.4), near(0.5)));
  EXPECT_EQ(file.variants[1].id, "20:2147483647:G:T");
  EXPECT_EQ(file.variants[1].position, 2147483647u);
  EXPECT_DOUBLE_EQ(file.variants[1].Dosage(0), 2);
}

TEST_F(BgenWriterTest, WritesHaplotypes) {
  Add({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  const BgenFile file = DecodeBgen(Bytes(FieldsOf({.bits = 8, .has_haplotypes = true})));
  const auto near = [](double p) { return DoubleNear(p, 0.5 / 255 + 1e-9); };
  const BgenVariant& variant = file.variants[0];
  EXPECT_TRUE(variant.is_phased);
  EXPECT_EQ(variant.bits, 8);
  EXPECT_THAT(variant.samples[0].probabilities, ElementsAre(1, 0));
  EXPECT_THAT(variant.samples[1].probabilities, ElementsAre(near(0.75)));
  EXPECT_THAT(variant.samples[2].probabilities, ElementsAre(near(0.5), near(0.8)));
}

TEST_F(BgenWriterTest, DosagesAreThoseOfVcfInEveryForm) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  for (int m = 0; m < 50; ++m) {
    Add({m + 1, ".", "A", "C"}, {uniform(random), uniform(random), uniform(random), uniform(random), uniform(random)});
  }
  for (const int bits : {8, 16}) {
    for (const auto compression : {BgenCompression::kNone, BgenCompression::kZlib, BgenCompression::kZstd}) {
      for (const bool has_haplotypes : {false, true}) {
        const BgenFile file = DecodeBgen(Bytes(FieldsOf({bits, compression, has_haplotypes})));
        EXPECT_EQ(file.compression, static_cast<uint32_t>(compression));
        ASSERT_EQ(file.variants.size(), records_.size());
        for (size_t m = 0; m < records_.size(); ++m) {
          EXPECT_EQ(file.variants[m].is_phased, has_haplotypes);
          for (size_t s = 0; s < 3; ++s) {
            double expected = 0;
            for (size_t h = samples_.first_haplotype[s]; h < samples_.first_haplotype[s + 1]; ++h) {
              expected += dosages_[m][h];
            }
            const double step = 1.0 / ((1 << bits) - 1);
            EXPECT_NEAR(file.variants[m].Dosage(s), expected, 1.5 * step + 1e-4) << bits << ' ' << m << ' ' << s;
          }
        }
      }
    }
  }
}

TEST_F(BgenWriterTest, StudyMarkersHaveTheirGenotypesOrNone) {
  Add({100, "a", "A", "C"}, {}, {0, 1, 1, 0, kNone}, false);
  const std::vector<uint8_t> unphased = {1, 0, 0};
  for (const bool is_phased : {true, false}) {
    records_[0].unphased = is_phased ? std::span<const uint8_t>() : unphased;
    const BgenFile file = DecodeBgen(Bytes(FieldsOf({.has_haplotypes = true})));
    const BgenVariant& variant = file.variants[0];
    EXPECT_EQ(variant.is_phased, is_phased);
    EXPECT_DOUBLE_EQ(variant.Dosage(0), 1);
    EXPECT_DOUBLE_EQ(variant.Dosage(1), 1);
    EXPECT_FALSE(variant.samples[1].is_missing);
    EXPECT_TRUE(variant.samples[2].is_missing);
  }
}

TEST_F(BgenWriterTest, CountsWhatIsNotWritten) {
  Add({100, "a", "A", "."}, {}, {0, 0, 0, 0, 0}, false);
  Add({200, "b", "A", "C"}, {0.5f, 0.5f, 0.5f, 0.5f, 0.5f});
  Add({300, "c", "A", "C"}, {0, 1, 0, 1, 0});
  OutputFields fields;
  fields.min_r2 = 0.5;
  const BgenFile file = DecodeBgen(Bytes(fields));
  ASSERT_EQ(file.variants.size(), 1u);
  EXPECT_EQ(file.variants[0].id, "c");
  EXPECT_EQ(num_left_out_, 2u);
}

TEST_F(BgenWriterTest, TheBytesDoNotDependOnTheThreads) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  for (int m = 0; m < 20000; ++m) Add({m + 1, ".", "A", "C"}, {uniform(random), 0, uniform(random), 0, 1});
  const auto bytes_with = [&](int threads) {
    const ScopedThreads scope(threads);
    return Bytes({});
  };
  const std::string bytes = bytes_with(1);
  EXPECT_EQ(DecodeBgen(bytes).variants.size(), 20000u);
  EXPECT_TRUE(bytes == bytes_with(4));
}

TEST_F(BgenWriterTest, TextsThatBgenCannotHoldAreErrors) {
  Add({100, std::string(70000, 'r'), "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  EXPECT_THAT(ErrorOf([&] { Bytes({}); }), HasSubstr("the ID \"rrrrrrrrrrrrrrrrrrrr...\" has 70000 characters"));
  EXPECT_EQ(folder_.NumFiles(), 0u);
  markers_[0].id = "a";
  samples_.names[1] = std::string(70000, 's');
  EXPECT_THAT(ErrorOf([&] { Bytes({}); }), HasSubstr("the sample name"));
}

TEST_F(BgenWriterTest, OnlyDosagesAndOnlyToAFile) {
  EXPECT_EQ(ResolveOutputType("a.bgen", OutputType::kByExtension), OutputType::kBgen);
  EXPECT_FALSE(CanBeIndexed("a.bgen", OutputType::kByExtension));
  std::filesystem::create_directory(folder_ / "pipe.bgen");
  EXPECT_THAT(ErrorOf([&] { ResolveOutputType(folder_ / "pipe.bgen", OutputType::kByExtension); }),
              HasSubstr("BGEN can only be written to a file"));
  EXPECT_THAT(ErrorOf([&] {
                GenotypeWriter(folder_ / "out.bgen", OutputType::kByExtension, {{{"20", 0}}, {}}, samples_);
              }),
              HasSubstr("only 'haplospin impute' writes BGEN"));
}

}  // namespace
}  // namespace haplospin
