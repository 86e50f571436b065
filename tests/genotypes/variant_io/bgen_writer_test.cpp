// DosageWriter as BGEN.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <memory>
#include <random>

#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/bgen_file.h"
#include "genotypes/variant_io/oxford_samples.h"
#include "genotypes/variant_io/reading/dosage_reader.h"
#include "genotypes/variant_io/variant_files.h"
#include "genotypes/variant_io/writing/dosage_writer.h"
#include "genotypes/variant_io/writing/genotype_writer.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

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
    writer.Finish(IndexType::kNone);
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
  const BgenFile file = DecodeBgen(Bytes(FieldsOf({.bits = 16})));
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

TEST_F(BgenWriterTest, SamplesAreBesideIt) {
  Add({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  Bytes({});
  EXPECT_EQ(ReadFile(folder_ / "out.sample"), "ID_1 ID_2 missing\n0 0 0\nA A 0\nB B 0\nC C 0\n");
  EXPECT_EQ(folder_.NumFiles(), 2u);
}

// plink2 counts a man's allele of chrX once only if the file says that he is one.
TEST_F(BgenWriterTest, SexesAreBesideItWhereTheyAreKnown) {
  Add({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  OutputFields fields;
  fields.sexes = std::make_shared<const SampleSexes>(SampleSexes{.males = {"B"}, .females = {"C"}});
  Bytes(fields);
  EXPECT_EQ(ReadFile(folder_ / "out.sample"), "ID_1 ID_2 missing sex\n0 0 0 D\nA A 0 0\nB B 0 1\nC C 0 2\n");
  EXPECT_EQ(ReadOxfordSamples(folder_ / "out.sample"), (std::vector<std::string>{"A", "B", "C"}));
}

TEST_F(BgenWriterTest, SamplesBesideItThatContradictIt) {
  Add({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  Bytes({});
  const auto error = [&](const std::string& names) {
    WriteFile(folder_ / "out.sample", "ID_1 ID_2 missing\n0 0 0\n" + names);
    return ErrorOf([&] { DosageReader(folder_ / "out.bgen"); });
  };
  EXPECT_EQ(error("A A 0\nB B 0\nC C 0\n"), "");
  EXPECT_THAT(error("A A 0\nC C 0\nB B 0\n"), HasSubstr("out.sample: sample 2 is C, but B in the BGEN file"));
  EXPECT_THAT(error("A A 0\nB B 0\n"), HasSubstr("out.sample: has 2 samples, but the BGEN file 3"));
}

TEST_F(BgenWriterTest, HaploidSamplesAsTwoEqualHaplotypes) {
  Add({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  OutputFields fields = FieldsOf({.bits = 16});
  fields.doubles_haploids = true;
  const BgenVariant variant = DecodeBgen(Bytes(fields)).variants[0];
  EXPECT_EQ(variant.min_ploidy, 2);
  EXPECT_NEAR(variant.Dosage(1), 0.5, 1e-4);
  EXPECT_THAT(variant.samples[1].probabilities, ElementsAre(DoubleNear(0.75, 1e-4), 0));
  EXPECT_NEAR(variant.Dosage(2), 0.7, 1e-4);
}

// The tables and columns of bgenix; programs read the variants at these places.
TEST_F(BgenWriterTest, TheIndexHasThePlaceOfEachVariant) {
  Add({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  Add({200, ".", "AT", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  DosageWriter writer(folder_ / "out.bgen", OutputType::kByExtension, {{{"20", 0}}, {}}, samples_, {});
  writer.Write("20", records_);
  writer.Finish(IndexType::kByFormat);
  const std::string bytes = ReadFile(folder_ / "out.bgen");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open_v2((folder_ / "out.bgen.bgi").c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  std::vector<std::vector<std::string>> rows;
  const auto collect = [](void* to, int count, char** values, char**) {
    static_cast<std::vector<std::vector<std::string>>*>(to)->emplace_back(values, values + count);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database, "SELECT * FROM Variant ORDER BY file_start_position", collect, &rows, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "SELECT filename, file_size, length(first_1000_bytes) FROM Metadata", collect, &rows,
                         nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  ASSERT_EQ(rows.size(), 3u);
  size_t begin = bytes.size();
  for (const size_t v : {1, 0}) {
    const size_t offset = std::stoul(rows[v][6]), size = std::stoul(rows[v][7]);
    EXPECT_EQ(offset + size, begin);
    begin = offset;
  }
  EXPECT_EQ(begin, size_t{4} + static_cast<uint8_t>(bytes[0]) + 256 * static_cast<uint8_t>(bytes[1]));
  rows[0].resize(6);
  rows[1].resize(6);
  EXPECT_THAT(rows[0], ElementsAre("20", "100", "rs1", "2", "A", "C"));
  EXPECT_THAT(rows[1], ElementsAre("20", "200", "20:200:AT:C", "2", "AT", "C"));
  EXPECT_THAT(rows[2], ElementsAre("out.bgen", std::to_string(bytes.size()),
                                   std::to_string(std::min<size_t>(bytes.size(), 1000))));
}

TEST_F(BgenWriterTest, ItIsReadAsItWasWritten) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform;
  for (int m = 0; m < 60; ++m) {
    Add({m + 1, m % 2 == 0 ? "." : "rs", "A", "C"},
        {uniform(random), uniform(random), uniform(random), uniform(random), uniform(random)});
  }
  for (const int bits : {8, 16}) {
    for (const auto compression : {BgenCompression::kNone, BgenCompression::kZlib, BgenCompression::kZstd}) {
      for (const bool has_haplotypes : {false, true}) {
        Bytes(FieldsOf({bits, compression, has_haplotypes}));
        DosageReader reader(folder_ / "out.bgen");
        EXPECT_EQ(reader.sample_names(), samples_.names);
        DosageRow row;
        for (size_t m = 0; m < records_.size(); ++m) {
          ASSERT_TRUE(reader.Next(row));
          EXPECT_EQ(row.marker.position, markers_[m].position);
          EXPECT_EQ(row.marker.id, m % 2 == 0 ? fmt::format("20:{}:A:C", m + 1) : "rs");
          for (size_t s = 0; s < 3; ++s) {
            double expected = 0;
            for (size_t h = samples_.first_haplotype[s]; h < samples_.first_haplotype[s + 1]; ++h)
              expected += dosages_[m][h];
            EXPECT_NEAR(row.dosages[s], expected, 1.5 / ((1 << bits) - 1) + 1e-4);
            const bool is_near = std::abs(row.dosages[s] - std::round(row.dosages[s])) <= 0.1;
            if (!has_haplotypes) {
              EXPECT_EQ(row.genotypes[s] != kMissingGenotype, is_near);
            }
          }
        }
        EXPECT_FALSE(reader.Next(row));
      }
    }
  }
}

TEST_F(BgenWriterTest, AnyDamageEndsWithAnInputErrorOrARead) {
  for (int m = 0; m < 20; ++m) Add({m + 1, "rs", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.2f});
  std::mt19937 random(3);
  const auto read = [&](const std::string& bytes) {
    WriteFile(folder_ / "damaged.bgen", bytes);
    DosageReader reader(folder_ / "damaged.bgen");
    for (DosageRow row; reader.Next(row);) {
    }
  };
  for (const auto compression : {BgenCompression::kNone, BgenCompression::kZlib, BgenCompression::kZstd}) {
    const std::string whole = Bytes(FieldsOf({.compression = compression}));
    for (size_t size = 20; size < whole.size(); size += 5) {
      EXPECT_THAT(ErrorOf([&] { read(whole.substr(0, size)); }), HasSubstr("truncated"));
    }
    for (int trial = 0; trial < 500; ++trial) {
      std::string bytes = whole;
      for (int i = 0; i < 2; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
      try {
        read(bytes);
      } catch (const InputError&) {
      }
    }
  }
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
  EXPECT_TRUE(CanBeIndexed("a.bgen", OutputType::kByExtension));
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
