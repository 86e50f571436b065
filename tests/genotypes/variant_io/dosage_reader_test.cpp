#include "genotypes/variant_io/reading/dosage_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsNan;
using testing::NanSensitiveFloatEq;
using testing::Pointwise;

std::vector<DosageRow> ReadAll(const std::string& path) {
  DosageReader reader(path);
  std::vector<DosageRow> rows;
  for (DosageRow row; reader.Next(row);) rows.push_back(row);
  return rows;
}

VcfText EveryKindOfRecord() {
  VcfText vcf;
  vcf.AddLine("1\t10\trs1\tA\tC\t.\tPASS\tDR2=0.5\tGT:DS:GP\t0|1:0.75:0.25,0.75,0\t./.:.:.\t1|1:2:0,0,1");
  vcf.AddLine("1\t20\t.\tA\tC,G\t.\tPASS\tDR2=0.25,0.125\tGT:DS\t1|2:1,1\t0|0:0.5,0\t2|2:0,1.5");
  vcf.AddLine("X\t5\t.\tA\tC\t.\tPASS\t.\tDP:GT:GP\t3:1:0.25,0.75\t.:0/1:0,1,0\t1:.:.");
  vcf.AddLine("X\t9\t.\tA\tC\t.\tPASS\t.\tDS\t1\t0.5\t.");
  vcf.AddLine("X\t10\t.\tA\t.\t.\tPASS\t.\tGT\t0\t0/0\t.");
  return vcf;
}

// As where the files of two programs were merged.
TEST(DosageReader, AGenotypeStandsInForAMissingDosage) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    const TemporaryFolder folder;
    VcfText vcf;
    vcf.AddLine("1\t10\t.\tA\tC\t.\tPASS\t.\tGT:DS\t0|1:.\t./.:.\t1|1:1.5");
    vcf.AddLine("1\t20\t.\tA\tC,G\t.\tPASS\t.\tGT:DS\t1|2:.\t0|0:0.5,0.25\t2|2:.,.");
    WriteVariants(folder / "merged", vcf, form);
    const std::vector<DosageRow> rows = ReadAll(folder / "merged");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_THAT(rows[0].dosages, ElementsAre(1, IsNan(), 1.5f));
    EXPECT_THAT(rows[1].dosages, ElementsAre(1, 0.5f, 0));
    EXPECT_THAT(rows[2].dosages, ElementsAre(1, 0.25f, 2));
  }
}

TEST(DosageReader, ReadsEveryFormOfAFileAlike) {
  for (const FileForm form : kAllForms) {
    const TemporaryFolder folder;
    WriteVariants(folder / "imputed", EveryKindOfRecord(), form);
    const std::vector<DosageRow> rows = ReadAll(folder / "imputed");
    EXPECT_THAT(DosageReader(folder / "imputed").HeaderValue("fileformat"), testing::StartsWith("VCFv4"));
    EXPECT_EQ(DosageReader(folder / "imputed").HeaderValue("contig"), "") << "has no plain value";
    ASSERT_EQ(rows.size(), 5u);  // without ALT there is no marker

    EXPECT_EQ(rows[0].contig, "1");
    EXPECT_EQ(rows[0].marker.position, 10);
    EXPECT_EQ(rows[0].marker.id, "rs1");
    EXPECT_EQ(rows[0].marker.alt, "C");
    EXPECT_EQ(rows[0].estimated_r2, 0.5f);
    EXPECT_TRUE(rows[0].has_genotypes);
    EXPECT_THAT(rows[0].genotypes, ElementsAre(1, kMissingGenotype, 2));
    EXPECT_THAT(rows[0].dosages, ElementsAre(0.75f, IsNan(), 2.0f));
    EXPECT_THAT(rows[0].posteriors, ElementsAre(0.25f, 0.75f, 0.0f, IsNan(), IsNan(), IsNan(), 0.0f, 0.0f, 1.0f));

    EXPECT_EQ(rows[1].marker.alt, "C");
    EXPECT_EQ(rows[2].marker.alt, "G");
    EXPECT_EQ(rows[2].estimated_r2, 0.125f);
    EXPECT_THAT(rows[1].genotypes, ElementsAre(1, 0, 0));
    EXPECT_THAT(rows[2].genotypes, ElementsAre(1, 0, 2));
    EXPECT_THAT(rows[1].dosages, ElementsAre(1.0f, 0.5f, 0.0f));
    EXPECT_THAT(rows[2].dosages, ElementsAre(1.0f, 0.0f, 1.5f));
    EXPECT_THAT(rows[2].posteriors, ElementsAre());

    EXPECT_THAT(rows[3].ploidy, ElementsAre(1, 2, 0));
    EXPECT_THAT(rows[3].dosages, ElementsAre(0.75f, 1.0f, IsNan()));  // of the posteriors
    EXPECT_THAT(rows[3].posteriors, ElementsAre(0.25f, 0.0f, 0.75f, 0.0f, 1.0f, 0.0f, IsNan(), IsNan(), IsNan()));
    EXPECT_THAT(rows[3].estimated_r2, IsNan());

    EXPECT_FALSE(rows[4].has_genotypes);
    EXPECT_THAT(rows[4].ploidy, ElementsAre(0, 0, 0));
    EXPECT_THAT(rows[4].dosages, ElementsAre(1.0f, 0.5f, IsNan()));
  }
}

TEST(DosageReader, SomeSamplesInAnotherOrder) {
  const TemporaryFolder folder;
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    WriteVariants(folder / "imputed", EveryKindOfRecord(), form);
    const std::vector<DosageRow> all = ReadAll(folder / "imputed");
    DosageReader reader(folder / "imputed");
    const std::vector<std::string> names = reader.sample_names();
    reader.UseSamples({names[2], names[0]});
    EXPECT_THAT(reader.sample_names(), ElementsAre(names[2], names[0]));
    DosageRow row;
    for (const DosageRow& expected : all) {
      ASSERT_TRUE(reader.Next(row));
      EXPECT_THAT(row.genotypes, ElementsAre(expected.genotypes[2], expected.genotypes[0]));
      EXPECT_THAT(row.ploidy, ElementsAre(expected.ploidy[2], expected.ploidy[0]));
      EXPECT_THAT(row.dosages, Pointwise(NanSensitiveFloatEq(), {expected.dosages[2], expected.dosages[0]}));
      ASSERT_EQ(row.posteriors.size(), expected.posteriors.size() / 3 * 2);
      for (size_t i = 0; i < row.posteriors.size(); ++i) {
        EXPECT_THAT(row.posteriors[i], NanSensitiveFloatEq(expected.posteriors[i < 3 ? 6 + i : i - 3]));
      }
    }
    EXPECT_FALSE(reader.Next(row));
  }
}

TEST(DosageReader, ReadsFilesLongerThanItsBuffers) {
  const TemporaryFolder folder;
  VcfText vcf(SampleNames(300));
  constexpr int kRecords = 3000;
  std::string genotypes;
  for (int s = 0; s < 300; ++s) genotypes += s % 7 == 0 ? "0|1:0.875 " : "0|0:0.125 ";
  for (int i = 1; i <= kRecords; ++i) vcf.Add("1", i, "A", "C", genotypes, "GT:DS");
  for (const FileForm form : {FileForm::kBgzip, FileForm::kBcf}) {
    WriteVariants(folder / "imputed", vcf, form);
    const std::vector<DosageRow> rows = ReadAll(folder / "imputed");
    ASSERT_EQ(rows.size(), static_cast<size_t>(kRecords));
    for (int i = 0; i < kRecords; ++i) {
      ASSERT_EQ(rows[i].marker.position, i + 1);
      ASSERT_EQ(rows[i].dosages[7], 0.875f);
      ASSERT_EQ(rows[i].dosages[8], 0.125f);
    }
  }
}

// Of a site without ALT there are no dosages to be read.
TEST(DosageReader, SitesWithoutAlt) {
  const TemporaryFolder folder;
  const VcfText vcf =
      VcfText().Add("1", 10, "A", ".", "0|0:0.5 0|0:0.5 0|0:.", "GT:DS").Add("1", 20, "A", "C", "0 1 2", "DS");
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    WriteVariants(folder / "imputed", vcf, form);
    const std::vector<DosageRow> rows = ReadAll(folder / "imputed");
    ASSERT_FALSE(rows.empty());
    EXPECT_THAT(rows.back().dosages, ElementsAre(0.0f, 1.0f, 2.0f));
  }
}

TEST(DosageReader, NamesWhatIsWrongInABcf) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& genotypes, const std::string& format) {
    WriteVariants(folder / "imputed.bcf", VcfText().Add("1", 10, "A", "C", genotypes, format), FileForm::kBcf);
    return ErrorOf([&] { ReadAll(folder / "imputed.bcf"); });
  };
  EXPECT_THAT(error_of("0 0.5 2.5", "DS"), HasSubstr("imputed.bcf: 1:10: sample C has DS \"2.5\"; expected a number"));
  EXPECT_THAT(error_of("1,0,0 0,1,0 30,0,99", "GP"), HasSubstr("imputed.bcf: 1:10: sample C has GP"));
}

TEST(DosageReader, NamesTheRecordBeforeAWrongPosition) {
  const TemporaryFolder folder;
  VcfText vcf;
  vcf.Add("1", 10, "A", "C", "0 1 2", "DS").AddLine("1\t2147483648\t.\tA\tC\t.\t.\t.\tDS\t0\t1\t2");
  WriteVariants(folder / "imputed.vcf", vcf, FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { ReadAll(folder / "imputed.vcf"); }),
              HasSubstr("imputed.vcf: after 1:10: \"2147483648\" is not a position"));
}

TEST(DosageReader, NoticesATruncatedFile) {
  const TemporaryFolder folder;
  VcfText vcf(SampleNames(300));
  std::string genotypes;
  for (int s = 0; s < 300; ++s) genotypes += "0|0 ";
  for (int i = 1; i <= 2000; ++i) vcf.Add("1", i, "A", "C", genotypes);
  WriteVariants(folder / "imputed.vcf.gz", vcf, FileForm::kBgzip);
  const std::string bytes = ReadFile(folder / "imputed.vcf.gz");
  WriteFile(folder / "imputed.vcf.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(ErrorOf([&] { ReadAll(folder / "imputed.vcf.gz"); }), HasSubstr("truncated"));
}

}  // namespace
}  // namespace haplospin
