#include "genotypes/variant_io/conversion_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"
#include "genotypes/variant_io/zip_bytes.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ConversionAdviceTest : public testing::Test {
 protected:
  std::string ErrorFor(const std::string& name, const std::string& text) {
    WriteFile(folder_ / name, text);
    return ErrorOf([&] { StudyReader reader(folder_ / name); });
  }

  TemporaryFolder folder_;
};

TEST_F(ConversionAdviceTest, NamesAConverterOfEachTextFormat) {
  const auto expect = [&](const std::string& name, const std::string& text, const std::string& command) {
    EXPECT_THAT(ErrorFor(name, text), AllOf(HasSubstr(name + ": "), HasSubstr(command), Not(HasSubstr("unknown"))));
  };
  expect("a.csv", "RSID,CHROMOSOME,POSITION,RESULT\n\"rs1\",\"1\",\"5\",\"AG\"\n",
         "haplospin check --ref PANEL --target " + (folder_ / "a.csv") + " --fix " + (folder_ / "a.vcf.gz"));
  expect("a.txt", "# Living DNA customer genotype data\n#\n# rsid\tchromosome\tposition\tgenotype\n", "Living DNA");
  expect("a.geno", "029\n112\n", "convertf -p " + (folder_ / "a.par"));
  expect("a.beagle.gz", "\x1f\x8b", "ANGSD");
  expect("a.txt", "a1 0 1 2 9\na2 1 1 0 9\n", "AlphaImpute");
  expect("a.txt", "a1   012590125901\na2   110250110250\n", "BLUPF90");
  expect("a.ustr", "L1 0 1 2\n", "ipyrad");
  expect("a.vcf.gz", "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 1\n", "git lfs pull");
  expect("a.txt", "20\t100\tA\tG\n20\t200\tC\tT\n", "--sites");
  expect("a.zip", ZipBytes({{"a.vcf", "##fileformat=VCFv4.2\n"}}), "unzip " + (folder_ / "a.zip"));
  expect("a.zip", ZipBytes({{"a.txt", "rs1 1 5 AG\n"}, {"b.txt", "rs1 1 5 AG\n"}}), "which has several files");
  expect("a.zip", "PK\x03\x04....", "truncated or damaged");
  expect("a.hmp.txt", "rs#\talleles\tchrom\tpos\tstrand\nS1\tA/C\t1\t5\t+\n", "run_pipeline.pl -h");
  expect("a.txt", "[Header]\r\nGSGT Version\t2.0.4\r\n[Data]\r\nSNP Name\tSample ID\r\n", "plink --lfile");
  expect("a.gen", "1 rs1 5 A C 1 0 0\n", "plink2 --gen");
  expect("a.gen.gz", "1 rs1 5 A C 1 0 0\n", "plink2 --gen");
  expect("a.raw", "FID IID PAT MAT SEX PHENOTYPE rs1_A\nf a 0 0 1 -9 2\n", "plink2 --bfile");
  expect("a.csv", "id,rs1,rs2\na,0,2\n", "plink2 --import-dosage");
  expect("a.haps", "1 rs1 5 A C 0 1\n", "plink2 --haps");
  expect("a.tped", "1 rs1 0 5 A C\n", "plink --tfile");
  expect("a.txt", std::string("\xff\xfer\0s\0", 6), "iconv -f UTF-16 -t UTF-8 " + (folder_ / "a.txt"));
  expect("a.vcf.zst", "\x28\xb5\x2f\xfd....", "zstd -dc");
  expect("a.vcf.bz2", "BZh91AY", "bzip2 -dc");
}

TEST_F(ConversionAdviceTest, FilesBesideTheRightOneAreNamed) {
  const std::string vcf = VcfText().Add("20", 100, "A", "C", "0|1 1|0 0|0").text();
  EXPECT_THAT(ErrorFor("a.bim", "20 rs1 0 5 A C\n"), HasSubstr("give the .bed (" + (folder_ / "a.bed")));
  EXPECT_THAT(ErrorFor("a.fam", "f a 0 0 1 -9\n"), HasSubstr("give the .bed"));
  EXPECT_THAT(ErrorFor("a.vcf.gz.tbi", "TBI\1"),
              HasSubstr("an index; give the file that it is of (" + (folder_ / "a.vcf.gz)")));
  EXPECT_THAT(ErrorFor("a.pvar", "#CHROM\tPOS\n"), HasSubstr("plink2 --pfile"));
  EXPECT_THAT(ErrorFor("a.map", "20 rs1 0 5\n"), HasSubstr("plink --file"));
  EXPECT_THAT(ErrorFor("a.vcf.gz", "<!DOCTYPE html>\n"), HasSubstr("a web page"));
  EXPECT_THAT(ErrorFor("bom.vcf", std::string("\xef\xbb\xbf") + vcf), HasSubstr("tail -c +4"));
  std::string blanks = vcf;
  std::ranges::replace(blanks, '\t', ' ');
  EXPECT_THAT(ErrorFor("blanks.vcf", blanks), HasSubstr("where VCF has tabs"));
  std::filesystem::create_directory(folder_ / "a.vcz");
  EXPECT_THAT(ErrorOf([&] { StudyReader reader(folder_ / "a.vcz"); }), HasSubstr("vcztools view"));
}

TEST_F(ConversionAdviceTest, AFileThatIsNotThereIsSaidToBeSo) {
  for (const std::string name : {"none.haps", "none.gen", "none.pgen", "none.vcf.zst"}) {
    EXPECT_THAT(ErrorOf([&] { StudyReader reader(folder_ / name); }), HasSubstr(name + ": cannot open: No such file"));
  }
}

// bcftools reads neither .bed nor BGEN.
TEST_F(ConversionAdviceTest, BcftoolsIsNamedForWhatItReads) {
  EXPECT_EQ(WithBcftools("a.vcf.gz", "sort"), "bcftools sort");
  EXPECT_EQ(SortingCommand("a.bcf"), "bcftools sort");
  const std::string bed = folder_ / "a.bed", bgen = folder_ / "a.bgen";
  WriteFile(bed, std::string("\x6c\x1b\x01", 3) + std::string(2, '\xff'));
  EXPECT_THAT(WithBcftools(bed, "view"), testing::StartsWith("plink2 --bfile " + (folder_ / "a") + " --export vcf"));
  EXPECT_THAT(SortingCommand(bed), AllOf(HasSubstr("plink --bfile"), Not(HasSubstr("bcftools"))));
  WriteFile(folder_ / "a.fam", "f a 0 0 1 -9\n");
  WriteFile(folder_ / "a.bim", "1 rs2 0 9 C A\n1 rs1 0 5 C A\n");
  EXPECT_THAT(
      ErrorOf([&] {
        StudyReader reader(bed);
        StudyGenotypes study = reader.StartContig();
        reader.ReadUntil(INT64_MAX, study);
      }),
      AllOf(HasSubstr("a.bed: 1:5: comes after position 9; sort the file (plink --bfile"), Not(HasSubstr("bcftools"))));
}

TEST_F(ConversionAdviceTest, AllelesThatNoProgramReadsAgainAreRefused) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf}) {
    const auto error = [&](const std::string& ref, const std::string& alt) {
      WriteVariants(folder_ / "a", VcfText({"A"}).Add("1", 10, ref, alt, "0/1"), form);
      return ErrorOf([&] {
        StudyReader reader(folder_ / "a", {.unphased = Unphased::kAccept});
        StudyGenotypes study = reader.StartContig();
        reader.ReadUntil(INT64_MAX, study);
      });
    };
    EXPECT_THAT(error("A", "A"), HasSubstr("1:10: the allele A occurs twice"));
    EXPECT_THAT(error("A", "a"), HasSubstr("occurs twice"));
    EXPECT_THAT(error("A", "C,C"), HasSubstr("the allele C occurs twice"));
    for (const std::string alt : {"<", "<>", "<DEL", "DEL>"}) {
      EXPECT_THAT(error("A", alt), HasSubstr("1:10: ALT \"" + alt + "\" is neither")) << alt;
    }
    for (const std::string alt : {"<DEL>", "*", "<DUP:TANDEM>", "A[1:7[", "C,G"}) EXPECT_EQ(error("A", alt), "") << alt;
  }
}

}  // namespace
}  // namespace haplospin
