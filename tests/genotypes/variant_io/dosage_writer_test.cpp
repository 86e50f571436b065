#include "genotypes/variant_io/writing/dosage_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"
#include "genotypes/variant_io/writing/record_sink.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr uint8_t kNone = kMissingAllele;
const OutputFields kEveryField{true, true, true};

// One diploid, one haploid, one diploid sample.
SampleTable MixedSamples() { return {{"A", "B", "C"}, {0, 2, 3, 5}}; }

SampleTable Diploids(size_t count) {
  SampleTable samples{SampleNames(count), {0}};
  for (uint32_t s = 0; s < count; ++s) samples.first_haplotype.push_back(2 * s + 2);
  return samples;
}

VariantHeader HeaderOf20() { return {{{"20", 64'000'000}, {"X", 0}}, {"##source=haplospin test"}}; }

// Owns what records point at.
struct Records {
  std::deque<Marker> markers;
  std::deque<std::vector<float>> dosages;
  std::deque<std::vector<uint8_t>> typed;
  std::vector<DosageRecord> records;

  void AddImputed(Marker marker, std::vector<float> p) { Add(std::move(marker), true, std::move(p), {}); }
  void AddTyped(Marker marker, std::vector<float> p, std::vector<uint8_t> alleles) {
    Add(std::move(marker), true, std::move(p), std::move(alleles));
    records.back().left_out = records.back().dosages;
  }
  void AddStudyOnly(Marker marker, std::vector<uint8_t> alleles) {
    Add(std::move(marker), false, {}, std::move(alleles));
  }

 private:
  void Add(Marker marker, bool in_panel, std::vector<float> p, std::vector<uint8_t> alleles) {
    markers.push_back(std::move(marker));
    dosages.push_back(std::move(p));
    typed.push_back(std::move(alleles));
    records.push_back({&markers.back(), in_panel, dosages.back(), typed.back()});
  }
};

std::vector<std::string> DataLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("#")) lines.push_back(line);
  }
  return lines;
}

class DosageWriterTest : public testing::Test {
 protected:
  // Writes plain VCF and returns its records.
  std::vector<std::string> Lines(const Records& records, const SampleTable& samples, OutputFields fields) {
    WriteAll(folder_ / "out.vcf", records, samples, fields, IndexType::kNone);
    return DataLines(ReadFile(folder_ / "out.vcf"));
  }

  static void WriteAll(const std::string& path, const Records& records, const SampleTable& samples, OutputFields fields,
                       IndexType index) {
    DosageWriter writer(path, OutputType::kByExtension, HeaderOf20(), samples, fields);
    writer.Write("20", records.records);
    writer.Finish(index);
  }

  TemporaryFolder folder_;
};

TEST_F(DosageWriterTest, WritesImputedRecords) {
  Records records;
  records.AddImputed({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5004f, 0.7f});
  EXPECT_THAT(Lines(records, MixedSamples(), {}),
              ElementsAre("20\t100\trs1\tA\tC\t.\tPASS\tAF=0.49008;DR2=0.4818;IMP\tGT:DS\t0|1:1\t0:0.25\t1|1:1.2004"));
  EXPECT_THAT(Lines(records, MixedSamples(), kEveryField),
              ElementsAre("20\t100\trs1\tA\tC\t.\tPASS\tAF=0.49008;DR2=0.4818;IMP\tGT:DS:GP:HDS:AP1:AP2\t"
                          "0|1:1:0,1,0:0,1:0:1\t0:0.25:0.75,0.25:0.25:0.25:.\t"
                          "1|1:1.2004:0.1499,0.4998,0.3503:0.5004,0.7:0.5004:0.7"));
}

// What reads tell of a marker is no genotype that was given: it counts as imputed, also for a least DR2.
TEST_F(DosageWriterTest, MarkersWithReadsAreImputed) {
  Records records;
  records.AddTyped({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.5f}, {0, 1, kNone, kNone, kNone});
  records.records[0].left_out = {};
  records.records[0].has_likelihoods = true;
  const std::vector<AlleleDepth> depths{{2, 3}, {0, 0}, {12, 0}};
  records.records[0].depths = depths;
  EXPECT_THAT(Lines(records, MixedSamples(), {}),
              ElementsAre("20\t100\trs1\tA\tC\t.\tPASS\tAF=0.45;DR2=0.4444;IMP\tGT:DS\t0|1:1\t0:0.25\t0|0:1"));
  const std::string with_depths = Lines(records, MixedSamples(), {.ad = true})[0];
  EXPECT_THAT(with_depths, testing::EndsWith("GT:DS:AD\t0|1:1:2,3\t0:0.25:0,0\t0|0:1:12,0"));
  WriteAll(folder_ / "out.bcf", records, MixedSamples(), {.ad = true}, IndexType::kNone);
  if (HasBcftools()) {
    EXPECT_EQ(Bcftools("query -f '[%GT:%DS:%AD\\t]' " + (folder_ / "out.bcf")).output,
              "0|1:1:2,3\t0:0.25:0,0\t0|0:1:12,0\t");
  }
  EXPECT_THAT(Lines(records, MixedSamples(), {.min_r2 = 0.5}), ElementsAre());
  records.records[0].has_likelihoods = false;
  EXPECT_EQ(Lines(records, MixedSamples(), {.min_r2 = 0.5}).size(), 1);
}

TEST_F(DosageWriterTest, UncertainGenotypesAreMissing) {
  Records records;
  records.AddImputed({100, "rs1", "A", "C"}, {0, 0.95f, 0.04f, 0.5004f, 0.99f});
  EXPECT_THAT(Lines(records, MixedSamples(), {.min_gp = 0.95}),
              ElementsAre(testing::EndsWith("GT:DS\t0|1:0.95\t0:0.04\t.|.:1.4904")));
  EXPECT_THAT(Lines(records, MixedSamples(), {.min_gp = 0.97}),
              ElementsAre(testing::EndsWith("GT:DS\t.|.:0.95\t.:0.04\t.|.:1.4904")));
  const OutputFields doubled{.min_gp = 0.97, .doubles_haploids = true};
  EXPECT_THAT(Lines(records, MixedSamples(), doubled),
              ElementsAre(testing::EndsWith("GT:DS\t.|.:0.95\t.|.:0.08\t.|.:1.4904")));
}

// AF and DR2 are those of the haplotypes that there are.
TEST_F(DosageWriterTest, HaploidSamplesAsTwoEqualHaplotypes) {
  Records records;
  records.AddImputed({100, "rs1", "A", "C"}, {0, 1, 0.25f, 0.5004f, 0.7f});
  OutputFields fields = kEveryField;
  fields.doubles_haploids = true;
  EXPECT_THAT(Lines(records, MixedSamples(), fields),
              ElementsAre("20\t100\trs1\tA\tC\t.\tPASS\tAF=0.49008;DR2=0.4818;IMP\tGT:DS:GP:HDS:AP1:AP2:HN\t"
                          "0|1:1:0,1,0:0,1:0:1:2\t0|0:0.5:0.75,0,0.25:0.25,0.25:0.25:0.25:1\t"
                          "1|1:1.2004:0.1499,0.4998,0.3503:0.5004,0.7:0.5004:0.7:2"));
  if (!HasBcftools()) return;
  WriteAll(folder_ / "out.bcf", records, MixedSamples(), fields, IndexType::kNone);
  EXPECT_EQ(Bcftools("query -f '[%GT %DS %GP %HDS %HN;]\\n' " + (folder_ / "out.bcf")).output,
            "0|1 1 0,1,0 0,1 2;0|0 0.5 0.75,0,0.25 0.25,0.25 1;1|1 1.2004 0.1499,0.4998,0.3503 0.5004,0.7 2;\n");
}

TEST_F(DosageWriterTest, KeepsTypedGenotypesAndImputesMissingOnes) {
  Records records;
  records.AddTyped({100, ".", "A", "C"}, {0.9f, 0.1f, 0.6f, 0.2f, 0.8f}, {0, 1, kNone, kNone, 0});
  EXPECT_THAT(
      Lines(records, MixedSamples(), {}),
      ElementsAre("20\t100\t.\tA\tC\t.\tPASS\tAF=0.36;DR2=0.6528;ER2=0.9868;TYPED\tGT:DS\t0|1:1\t1:0.6\t0|0:0.2"));
}

TEST_F(DosageWriterTest, LeftOutDosagesOfTypedRecords) {
  OutputFields fields;
  fields.lds = fields.pp = true;
  const std::vector<float> phase = {0.75f, 0, 0};
  Records records;
  records.AddTyped({100, ".", "A", "C"}, {0.9f, 0.1f, 0.6f, 0.2f, 0.8f}, {0, 1, kNone, kNone, 0});
  records.records.back().phase = phase;
  records.AddImputed({200, ".", "A", "C"}, {0, 1, 0.25f, 0.5f, 0.75f});
  const auto lines = Lines(records, MixedSamples(), fields);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], testing::EndsWith("\tGT:DS:LDS:PPH\t0|1:1:0.9,0.1:0.75\t1:0.6:0.6\t0|0:0.2:0.2,0.8:."));
  EXPECT_THAT(lines[1], HasSubstr("\tGT:DS\t"));
  if (!HasBcftools()) return;
  WriteAll(folder_ / "out.bcf", records, MixedSamples(), fields, IndexType::kNone);
  EXPECT_EQ(Bcftools("query -f '[%LDS %PPH;]\\n' " + (folder_ / "out.bcf")).output,
            "0.9,0.1 0.75;0.6 .;0.2,0.8 .;\n. .;. .;. .;\n");
}

// A name that VCF 4.3 and later reserve must mean what it means there: other programs refuse another Number or Type.
TEST_F(DosageWriterTest, ReservedNamesHaveTheirNumberAndType) {
  const std::map<std::string, std::string> reserved{
      {"INFO=<ID=AC", "Number=A,Type=Integer"},    {"INFO=<ID=AF", "Number=A,Type=Float"},
      {"INFO=<ID=AN", "Number=1,Type=Integer"},    {"INFO=<ID=END", "Number=1,Type=Integer"},
      {"INFO=<ID=SVLEN", "Number=A,Type=Integer"}, {"FORMAT=<ID=GT", "Number=1,Type=String"},
      {"FORMAT=<ID=GP", "Number=G,Type=Float"},    {"FORMAT=<ID=PP", "Number=G,Type=Integer"},
      {"FORMAT=<ID=PQ", "Number=1,Type=Integer"},  {"FORMAT=<ID=PS", "Number=1,Type=Integer"},
      {"FORMAT=<ID=GL", "Number=G,Type=Float"},    {"FORMAT=<ID=PL", "Number=G,Type=Integer"}};
  OutputFields fields = kEveryField;
  fields.pp = fields.lds = fields.r2p = fields.doubles_haploids = true;
  size_t num_reserved = 0;
  for (const bool sites_only : {false, true}) {
    fields.sites_only = sites_only;
    std::istringstream header(VcfHeader(HeaderOf20(), MixedSamples(), fields));
    for (std::string line; std::getline(header, line);) {
      const auto key = reserved.find(line.substr(std::min<size_t>(2, line.size()), line.find(',') - 2));
      if (key == reserved.end()) continue;
      EXPECT_THAT(line, HasSubstr("," + key->second + ",")) << line;
      ++num_reserved;
    }
  }
  EXPECT_EQ(num_reserved, 8u);  // AF, END, SVLEN, GT and GP, and the first three again
}

// Haploid samples have one value of the fields of haplotypes, so that Number cannot be 2.
TEST_F(DosageWriterTest, FieldsOfHaplotypesHaveNoFixedNumber) {
  OutputFields fields;
  fields.hds = fields.lds = true;
  const std::string header = VcfHeader(HeaderOf20(), MixedSamples(), fields);
  EXPECT_THAT(header, HasSubstr("##FORMAT=<ID=HDS,Number=.,"));
  EXPECT_THAT(header, HasSubstr("##FORMAT=<ID=LDS,Number=.,"));
}

// Where all given alleles, or all that they are imputed as, are the same.
TEST_F(DosageWriterTest, AnEmpiricalR2ThatIsUndefinedIsLeftOut) {
  Records records;
  records.AddTyped({100, ".", "A", "C"}, {0.9f, 0.1f, 0.6f, 0.2f, 0.8f}, {0, 0, kNone, kNone, 0});
  records.AddTyped({200, ".", "A", "C"}, {0.5f, 0.5f, 0.5f, 0.5f, 0.5f}, {0, 1, 1, 0, 0});
  for (const std::string& line : Lines(records, MixedSamples(), {})) {
    EXPECT_THAT(line, testing::AllOf(HasSubstr(";TYPED\t"), testing::Not(HasSubstr("ER2"))));
  }
  Records others;
  others.AddTyped({100, ".", "A", "C"}, {0.9f, 0.1f, 0.6f, 0.2f, 0.8f}, {0, 1, kNone, kNone, 0});
  others.records[0].left_out = {};
  EXPECT_THAT(Lines(others, MixedSamples(), {})[0], testing::Not(HasSubstr("ER2")));
}

TEST_F(DosageWriterTest, WritesStudyMarkersThrough) {
  Records records;
  records.AddStudyOnly({100, "rs1", "A", "C"}, {0, 1, 1, kNone, 1});
  records.AddStudyOnly({200, "rs2", "A", "."}, {0, 0, kNone, 0, 0});
  records.AddStudyOnly({300, "rs3", "A", "C"}, {kNone, kNone, kNone, kNone, kNone});
  EXPECT_THAT(Lines(records, MixedSamples(), kEveryField),
              ElementsAre("20\t100\trs1\tA\tC\t.\t.\tAF=0.75;NOT_IN_PANEL\tGT:DS\t0|1:1\t1:1\t.|1:.",
                          "20\t200\trs2\tA\t.\t.\t.\tNOT_IN_PANEL\tGT\t0|0\t.\t0|0",
                          "20\t300\trs3\tA\tC\t.\t.\tNOT_IN_PANEL\tGT:DS\t.|.:.\t.:.\t.|.:."));
}

TEST_F(DosageWriterTest, MonomorphicSitesHaveNoDr2ToSpeakOf) {
  Records records;
  records.AddImputed({100, ".", "A", "C"}, {0, 0, 0, 0, 0});
  EXPECT_THAT(Lines(records, MixedSamples(), {}),
              ElementsAre("20\t100\t.\tA\tC\t.\tPASS\tAF=0;DR2=0;IMP\tGT:DS\t0|0:0\t0:0\t0|0:0"));
}

TEST_F(DosageWriterTest, FieldsOfAGenotypeAgree) {
  std::mt19937 random(9);
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const auto draw = [&] {
      const float u = std::uniform_real_distribution<float>()(random);
      return std::array{u, u * u * u * u, 1 - u * u * u * u, std::round(u)}[random() % 4];
    };
    Marker marker{1, ".", "A", "C"};
    const std::vector<float> p = {draw(), draw()};
    OutputGenotypes genotypes;
    genotypes.Assign({&marker, true, p, {}});
    const auto combined = CombineHaplotypes(genotypes.probability[0], genotypes.probability[1]);
    ASSERT_EQ(combined.p[0] + combined.p[1] + combined.p[2], kProbabilityOne);
    const double unit = kProbabilityOne;
    for (size_t h = 0; h < 2; ++h) {
      ASSERT_NEAR(genotypes.probability[h] / unit, p[h], 0.5 / unit + 1e-6);
      ASSERT_EQ(genotypes.allele[h], genotypes.probability[h] > kProbabilityOne / 2 ? 1 : 0);
    }
    ASSERT_NEAR(combined.p[0] / unit, (1 - p[0]) * (1 - p[1]), 2 / unit);
    ASSERT_NEAR(combined.p[2] / unit, p[0] * p[1], 2 / unit);
    // The expected count that GP gives is DS, but for rounding.
    ASSERT_NEAR(combined.p[1] + 2.0 * combined.p[2], genotypes.probability[0] + genotypes.probability[1], 1.5);
  }
}

// Every number from 0 to 2 in steps of 0.0001.
TEST_F(DosageWriterTest, WritesNumbersWithoutTrailingZeros) {
  const SampleTable samples = Diploids(kProbabilityOne + 1);
  std::vector<float> p;
  for (uint32_t i = 0; i <= kProbabilityOne; ++i) {
    p.push_back(static_cast<float>(i / double{kProbabilityOne}));
    p.push_back(i % 2 == 0 ? 0.0f : 1.0f);
  }
  Records records;
  records.AddImputed({100, ".", "A", "C"}, p);
  std::istringstream line(Lines(records, samples, {}).at(0));
  std::string column;
  for (int skipped = 0; skipped < 9; ++skipped) line >> column;
  for (uint32_t i = 0; i <= kProbabilityOne; ++i) {
    line >> column;
    const double dosage = i / double{kProbabilityOne} + i % 2;
    ASSERT_EQ(column.substr(4), fmt::format("{:.6g}", dosage));
  }
}

Records RandomRecords(const SampleTable& samples, size_t count) {
  std::mt19937 random(10);
  Records records;
  const size_t n = samples.num_haplotypes();
  int64_t position = 1;
  for (size_t r = 0; r < count; ++r) {
    position += static_cast<int64_t>(random() % 50);
    std::vector<float> p(n);
    std::vector<uint8_t> alleles(n);
    const float scale = random() % 2 == 0 ? 1.0f : 0.01f;
    for (float& value : p) value = scale * std::uniform_real_distribution<float>()(random);
    for (uint8_t& allele : alleles) allele = static_cast<uint8_t>(random() % 3);
    Marker marker{position, fmt::format("rs{}", r), "A", r % 3 == 0 ? "CT" : "G"};
    switch (random() % 5) {
      case 0:
        records.AddTyped(marker, p, alleles);
        break;
      case 1:
        if (r % 2 == 0) marker.alt = ".";
        for (uint8_t& allele : alleles) allele = marker.alt == "." && allele == 1 ? 0 : allele;
        records.AddStudyOnly(marker, alleles);
        break;
      default:
        records.AddImputed(marker, p);
    }
  }
  return records;
}

TEST_F(DosageWriterTest, BytesDoNotDependOnThreads) {
  const SampleTable samples = Diploids(30);
  const Records records = RandomRecords(samples, 3000);
  for (const char* extension : {".vcf", ".vcf.gz", ".bcf"}) {
    const auto bytes_with = [&](int threads) {
      const ScopedThreads scope(threads);
      WriteAll((folder_ / "out") + extension, records, samples, kEveryField, IndexType::kNone);
      return ReadFile((folder_ / "out") + extension);
    };
    EXPECT_TRUE(bytes_with(1) == bytes_with(4)) << extension;
  }
}

TEST_F(DosageWriterTest, WhatIsWrittenCanBeRead) {
  const SampleTable samples = MixedSamples();
  const Records records = RandomRecords(samples, 500);
  for (const char* extension : {".vcf", ".vcf.gz", ".bcf"}) {
    const std::string path = (folder_ / "out") + extension;
    WriteAll(path, records, samples, {}, IndexType::kNone);
    StudyReader reader(path);
    EXPECT_THAT(reader.header().contigs, ElementsAre(testing::Pair("20", 64'000'000), testing::Pair("X", 0)));
    StudyGenotypes study = reader.StartContig();
    ASSERT_FALSE(reader.ReadUntil(INT64_MAX, study));
    ASSERT_EQ(study.markers.size(), records.records.size());
    EXPECT_EQ(study.samples.names, samples.names);
    for (size_t r = 0; r < records.records.size(); ++r) {
      const DosageRecord& record = records.records[r];
      const auto& [marker, row] = study.markers[r];
      ASSERT_EQ(marker.position, record.marker->position);
      ASSERT_EQ(marker.id, record.marker->id);
      ASSERT_TRUE(SameVariant(marker, *record.marker));
      for (size_t h = 0; h < samples.num_haplotypes(); ++h) {
        const uint8_t typed = record.typed_alleles.empty() ? kNone : record.typed_alleles[h];
        const uint8_t expected = typed != kNone    ? typed
                                 : record.in_panel ? std::lround(record.dosages[h] * 10000) > 5000
                                                   : kNone;
        ASSERT_EQ(row.alleles[h], expected) << r << ", " << h;
      }
    }
  }
}

TEST_F(DosageWriterTest, BcftoolsReadsItWithoutAWarningAndTheSameInEveryForm) {
  if (!HasBcftools()) GTEST_SKIP() << "needs bcftools";
  const SampleTable samples = MixedSamples();
  const Records records = RandomRecords(samples, 300);
  for (const OutputFields& fields : {OutputFields{}, kEveryField}) {
    WriteAll(folder_ / "out.vcf", records, samples, fields, IndexType::kNone);
    WriteAll(folder_ / "out.vcf.gz", records, samples, fields, IndexType::kByFormat);
    WriteAll(folder_ / "out.bcf", records, samples, fields, IndexType::kByFormat);
    const std::vector<std::string> lines = DataLines(ReadFile(folder_ / "out.vcf"));
    for (const char* name : {"out.vcf", "out.vcf.gz", "out.bcf"}) {
      const Printed printed = Bcftools("view --no-version " + (folder_ / name));
      EXPECT_EQ(printed.errors, "");
      EXPECT_EQ(DataLines(printed.output), lines) << name;
    }
    for (const char* name : {"out.vcf.gz", "out.bcf"}) {
      const Printed region = Bcftools("view -H " + (folder_ / name) + " 20:1000-2000");
      EXPECT_EQ(region.errors, "");
      const auto in_region = [](const std::string& line) {
        const int64_t position = std::stoll(line.substr(3));
        return 1000 <= position && position <= 2000;
      };
      EXPECT_EQ(DataLines(region.output).size(), static_cast<size_t>(std::ranges::count_if(lines, in_region)));
    }
  }
}

// A header may understate a contig's length; the index must find records all the same.
TEST_F(DosageWriterTest, IndexesPositionsBeyondTheContigsLength) {
  Records records;
  for (const int64_t position : {100, 600'000'000, 2'000'000'000}) {
    records.AddImputed({position, ".", "A", "C"}, {0, 0, 0, 0, 0});
  }
  for (const char* name : {"out.bcf", "out.vcf.gz"}) {
    DosageWriter writer(folder_ / name, OutputType::kByExtension, {{{"20", 1000}}, {}}, MixedSamples(), {});
    writer.Write("20", records.records);
    writer.Finish(IndexType::kByFormat);
    StudyReader reader(folder_ / name);
    reader.Seek({"20", 1'000'000'000, INT64_MAX});
    ASSERT_EQ(reader.NextContig(), "20");
    StudyGenotypes study = reader.StartContig();
    EXPECT_FALSE(reader.ReadUntil(INT64_MAX, study));
    EXPECT_EQ(study.markers.back().marker.position, 2'000'000'000) << name;
  }
}

TEST_F(DosageWriterTest, AFileWhoseIndexCannotBeWrittenIsNotWrittenEither) {
  Records records;
  records.AddImputed({100, ".", "A", "C"}, {0, 0, 0, 0, 0});
  std::filesystem::create_directory(folder_ / "out.bcf.csi");
  EXPECT_THAT(ErrorOf([&] { WriteAll(folder_ / "out.bcf", records, MixedSamples(), {}, IndexType::kByFormat); }),
              HasSubstr("out.bcf.csi is a folder"));
  EXPECT_EQ(folder_.NumFiles(), 1u);
}

TEST_F(DosageWriterTest, WritesTheFormAskedFor) {
  EXPECT_EQ(ResolveOutputType("a.vcf", OutputType::kByExtension), OutputType::kVcf);
  EXPECT_EQ(ResolveOutputType("-", OutputType::kByExtension), OutputType::kVcf);
  EXPECT_EQ(ResolveOutputType("a.vcf.gz", OutputType::kByExtension), OutputType::kVcfGz);
  EXPECT_EQ(ResolveOutputType("a.bcf", OutputType::kByExtension), OutputType::kBcf);
  EXPECT_EQ(ResolveOutputType("a.bcf", OutputType::kVcf), OutputType::kVcf);
  EXPECT_EQ(ResolveOutputType("/dev/null", OutputType::kByExtension), OutputType::kVcf);
  for (const std::string name : {"a.BGEN", "a.VCF.GZ", "a.gz", "a"}) {
    EXPECT_THROW(ResolveOutputType(name, OutputType::kByExtension), InputError) << name;
    EXPECT_EQ(ResolveOutputType(name, OutputType::kBcf), OutputType::kBcf);
  }
  const std::pair<OutputType, std::string> kStarts[] = {{OutputType::kVcf, "##fileformat"},
                                                        {OutputType::kVcfGz, "\x1f\x8b\x08\x04"},
                                                        {OutputType::kBcf, "\x1f\x8b\x08\x04"},
                                                        {OutputType::kBcfUncompressed, "BCF\x02\x02"}};
  Records records;
  records.AddImputed({100, ".", "A", "C"}, {0, 0, 0, 0, 0});
  for (const auto& [type, start] : kStarts) {
    DosageWriter writer(folder_ / "out", type, HeaderOf20(), MixedSamples(), {});
    writer.Write("20", records.records);
    writer.Finish(IndexType::kNone);
    EXPECT_THAT(ReadFile(folder_ / "out"), StartsWith(start));
    StudyReader reader(folder_ / "out");
    EXPECT_EQ(reader.NextContig(), "20");
  }
}

// Sends standard output to a file while it lives.
class StandardOutput {
 public:
  explicit StandardOutput(const std::string& path) : saved_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    FILE* file = std::fopen(path.c_str(), "w");
    dup2(fileno(file), STDOUT_FILENO);
    std::fclose(file);
  }
  ~StandardOutput() {
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

TEST_F(DosageWriterTest, WritesToStandardOutput) {
  const SampleTable samples = Diploids(30);
  const Records records = RandomRecords(samples, 1000);
  for (const OutputType type : {OutputType::kVcf, OutputType::kVcfGz, OutputType::kBcf, OutputType::kBcfUncompressed}) {
    {
      DosageWriter writer(folder_ / "file", type, HeaderOf20(), samples, {});
      writer.Write("20", records.records);
      writer.Finish(IndexType::kNone);
    }
    {
      const StandardOutput output(folder_ / "printed");
      DosageWriter writer("-", type, HeaderOf20(), samples, {});
      writer.Write("20", records.records);
      writer.Finish(IndexType::kNone);
    }
    EXPECT_TRUE(ReadFile(folder_ / "file") == ReadFile(folder_ / "printed"));
  }
}

TEST_F(DosageWriterTest, IndexesWhatCanBeIndexed) {
  EXPECT_TRUE(CanBeIndexed("a.vcf.gz", OutputType::kByExtension));
  EXPECT_TRUE(CanBeIndexed("a", OutputType::kBcf));
  EXPECT_FALSE(CanBeIndexed("a.vcf", OutputType::kByExtension));
  EXPECT_FALSE(CanBeIndexed("a.bcf", OutputType::kBcfUncompressed));
  EXPECT_FALSE(CanBeIndexed("-", OutputType::kVcfGz));
  Records records;
  records.AddImputed({100, ".", "A", "C"}, {0, 0, 0, 0, 0});
  WriteAll(folder_ / "out.vcf.gz", records, MixedSamples(), {}, IndexType::kByFormat);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out.vcf.gz.tbi"));
  WriteAll(folder_ / "out.bcf", records, MixedSamples(), {}, IndexType::kByFormat);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out.bcf.csi"));
  records.AddImputed({600'000'000, ".", "A", "C"}, {0, 0, 0, 0, 0});
  WriteAll(folder_ / "long.vcf.gz", records, MixedSamples(), {}, IndexType::kByFormat);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "long.vcf.gz.csi"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "long.vcf.gz.tbi"));
  const auto reader = OpenPanel(folder_ / "long.vcf.gz");
  reader->Seek({"20", 599'999'999, INT64_MAX});
  EXPECT_EQ(reader->NextContig(), "20");
}

TEST_F(DosageWriterTest, PloidyMayDifferBetweenContigs) {
  Records autosome, sex;
  autosome.AddImputed({100, ".", "A", "C"}, {0, 1, 0, 1, 0, 0});
  sex.AddImputed({100, ".", "A", "C"}, {0, 1, 1, 0, 0});
  DosageWriter writer(folder_ / "out.vcf", OutputType::kByExtension, HeaderOf20(), {{"A", "B", "C"}, {0, 2, 4, 6}}, {});
  writer.Write("20", autosome.records);
  writer.SetPloidy(MixedSamples());
  writer.Write("X", sex.records);
  writer.Finish(IndexType::kNone);
  const auto lines = DataLines(ReadFile(folder_ / "out.vcf"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], testing::EndsWith("\t0|1:1\t0|1:1\t0|0:0"));
  EXPECT_THAT(lines[1], testing::EndsWith("\t0|1:1\t1:1\t0|0:0"));
}

// The last sample has no genotypes: it has its most probable one, and does not count for INFO.
TEST_F(DosageWriterTest, PeopleWithoutGenotypes) {
  Records records;
  const std::vector<float> animal{0.6f, 0.55f};
  records.AddTyped({100, ".", "A", "C"}, {0, 1}, {0, kNone});
  records.AddImputed({200, ".", "A", "C"}, {0, 1});
  records.AddStudyOnly({300, ".", "A", "C"}, {1, 1});
  const std::vector<std::string> alone = Lines(records, Diploids(1), {.gp = true, .lds = true});
  for (size_t r = 0; r < 2; ++r) records.records[r].animals = animal;
  DosageWriter writer(folder_ / "out.vcf", OutputType::kByExtension, HeaderOf20(), Diploids(2),
                      {.gp = true, .lds = true});
  writer.SetPloidy(Diploids(2), 1);
  writer.Write("20", records.records);
  writer.Finish(IndexType::kNone);
  const auto lines = DataLines(ReadFile(folder_ / "out.vcf"));
  EXPECT_THAT(lines, ElementsAre(alone[0] + "\t1|0:1.15:0.18,0.49,0.33:0,0", alone[1] + "\t1|0:1.15:0.18,0.49,0.33",
                                 alone[2] + "\t.|.:."));
}

TEST_F(DosageWriterTest, LeavesNothingIfNotFinished) {
  for (const char* name : {"out.vcf.gz", "out.bcf"}) {
    Records records;
    records.AddImputed({100, ".", "A", "C"}, {0, 0, 0, 0, 0});
    {
      DosageWriter writer(folder_ / name, OutputType::kByExtension, HeaderOf20(), MixedSamples(), {});
      writer.Write("20", records.records);
      EXPECT_FALSE(std::filesystem::exists(folder_ / name));
    }
    EXPECT_EQ(folder_.NumFiles(), 0u);
  }
}

TEST_F(DosageWriterTest, FoldersMustExist) {
  EXPECT_THAT(ErrorOf([&] {
                DosageWriter(folder_ / "none/out.vcf", OutputType::kByExtension, HeaderOf20(), MixedSamples(), {});
              }),
              HasSubstr("none/out.vcf"));
}

// A limit on file sizes simulates a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &saved_);
    const rlimit limit{bytes, saved_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &saved_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit saved_;
  void (*handler_)(int);
};

TEST_F(DosageWriterTest, FullDiskIsAnErrorThatLeavesNothing) {
  const SampleTable samples = Diploids(50);
  const Records records = RandomRecords(samples, 4000);
  for (const char* name : {"out.vcf", "out.vcf.gz", "out.bcf"}) {
    for (const int threads : {1, 3}) {
      const ScopedThreads scope(threads);
      std::string error;
      {
        const FileSizeLimit limit(100'000);
        error = ErrorOf([&] { WriteAll(folder_ / name, records, samples, {}, IndexType::kNone); });
      }
      EXPECT_THAT(error, StartsWith("cannot write " + (folder_ / name) + ": ")) << threads;
      // HTSlib's writing thread does not report the reason.
      if (std::string(name) != "out.bcf" || threads == 1) {
        EXPECT_THAT(error, HasSubstr("File too large"));
      }
      EXPECT_EQ(folder_.NumFiles(), 0u);
    }
  }
}

}  // namespace
}  // namespace haplospin
