// HLA types as a user has them: into a panel with `panel build --hla`, and out with `impute --hla-out`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/impute_files.h"
#include "cli/run_program.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Every third person of the panel has no type.
class HlaCommandTest : public ImputeFiles {
 protected:
  HlaCommandTest() {
    std::string types = "sample\tgene\tallele1\tallele2\nstranger\tA\t01:01\t01:01\n";
    for (size_t s = 0; s < reference_.num_samples(); ++s) {
      if (s % 3 == 2) continue;
      types += reference_.names[s] + "\tA\t" + AlleleOf(2 * s) + '\t' + AlleleOf(2 * s + 1) + '\n';
    }
    types_ = Write("types.tsv", types);
    genes_ = Write("genes.txt", "A 1200001\n");
    panel_ = Write("panel6.vcf", PanelVcf("6").text());
    study_vcf_ = Write("study6.vcf", StudyVcf("6").text());
  }

  // Two common markers near the gene tell the allele.
  std::string AlleleOf(size_t haplotype) const {
    std::vector<uint8_t> alleles;
    for (size_t m = 0; m < mosaic_.markers.size() && alleles.size() < 2; ++m) {
      size_t carriers = 0;
      for (const auto& row : mosaic_.alleles) carriers += row[m];
      const bool is_common = 4 * carriers > mosaic_.alleles.size() && 4 * carriers < 3 * mosaic_.alleles.size();
      if (mosaic_.markers[m].position > 1'200'001 && is_common) alleles.push_back(mosaic_.alleles[haplotype][m]);
    }
    return "0" + std::to_string(2 * alleles[0] + alleles[1] + 1) + ":01";
  }

  ProgramResult Build(std::vector<std::string> options, const std::string& panel) const {
    std::vector<std::string> arguments{"panel", "build", "--panel", panel, "--out", out_ / "panel.hsp"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram(arguments);
  }

  void ExpectBuildError(const std::vector<std::string>& options, const std::string& message) const {
    ExpectRefused(Build(options, panel_), {message});
    EXPECT_EQ(out_.NumFiles(), 0u) << message;
  }

  std::string types_, genes_, panel_, study_vcf_;
};

TEST_F(HlaCommandTest, TypesGoInAndComeOut) {
  const ProgramResult built = Build({"--hla", types_, "--hla-genes", genes_}, panel_);
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_THAT(built.err, HasSubstr("types.tsv: 1 sample of the table is not in the panel"));
  EXPECT_THAT(built.err, HasSubstr("HLA-A: "));
  EXPECT_THAT(built.err, HasSubstr("the types of 14 of 20 samples are given, the others imputed"));

  const ProgramResult imputed =
      Impute({"--ref", out_ / "panel.hsp", "--target", study_vcf_, "--format", "HDS", "--hla-out", out_ / "types.tsv"});
  ASSERT_EQ(imputed.exit_code, 0) << imputed.err;
  EXPECT_THAT(imputed.err, HasSubstr("markers of the panel from 6:"));
  // Probabilities of the alleles of a haplotype sum to 1, but for their rounding.
  const VcfLines vcf(ReadFile(imputed_path_));
  std::vector<double> sums(2 * study_.num_samples());
  size_t alleles = 0;
  for (const auto& record : vcf.records) {
    if (!record[kAlt].starts_with("<HLA_A*")) continue;
    ++alleles;
    for (size_t s = 0; s < study_.num_samples(); ++s) {
      const std::string hds = Field(record, s, "HDS");
      sums[2 * s] += std::stod(hds);
      sums[2 * s + 1] += std::stod(hds.substr(hds.find(',') + 1));
    }
  }
  EXPECT_GT(alleles, 2u);
  for (const double sum : sums) EXPECT_NEAR(sum, 1, 0.005);

  std::istringstream table(ReadFile(out_ / "types.tsv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(
      line,
      "sample\tgene\tallele1\tallele2\tprobability\tnext_allele1\tnext_allele2\tnext_probability\tcertain_fields");
  for (const std::string& name : study_.names) {
    std::getline(table, line);
    EXPECT_THAT(line, StartsWith(name + "\tA\tA*0"));
    EXPECT_EQ(std::ranges::count(line, '\t'), 8) << line;
  }
  EXPECT_FALSE(std::getline(table, line));
}

// HLA-TAPAS and CookHLA give each marker a position of its own, so that the alleles of a gene follow each other.
TEST_F(HlaCommandTest, AllelesMayHavePositionsOfTheirOwn) {
  const auto types = [&](int64_t step) {
    std::string text = PanelVcf("6").text();
    const VcfLines lines(text);
    std::string alleles;
    for (int64_t a = 1; a <= 4; ++a) {
      alleles += fmt::format("6\t{0}\tHLA_A_0{1}01\tA\tT\t.\t.\t.\tGT", 1'200'001 + step * (a - 1), a);
      for (size_t s = 0; s < reference_.num_samples(); ++s) {
        const auto absent = [&](size_t h) { return AlleleOf(h) == fmt::format("0{}:01", a) ? 0 : 1; };
        alleles += fmt::format("\t{}|{}", absent(2 * s), absent(2 * s + 1));
      }
      alleles += '\n';
    }
    const auto after = std::ranges::find_if(lines.records, [](const auto& r) { return std::stoll(r[1]) > 1'200'010; });
    text.insert(text.find("6\t" + (*after)[1] + "\t"), alleles);
    const ProgramResult imputed =
        Impute({"--ref", Write("alleles.vcf", text), "--target", study_vcf_, "--hla-out", out_ / "types.tsv"});
    EXPECT_EQ(imputed.exit_code, 0) << imputed.err;
    std::istringstream table(ReadFile(out_ / "types.tsv"));
    std::vector<std::string> best;
    for (std::string line; std::getline(table, line);) best.push_back(line.substr(0, line.find("\t0.")));
    return best;
  };
  const std::vector<std::string> expected = types(0);
  EXPECT_EQ(expected.size(), study_.num_samples() + 1);
  EXPECT_EQ(types(1), expected);
}

// Markers outside of the region tell the types, too, and are not counted.
TEST_F(HlaCommandTest, ARegionIsNotSaidToHaveFewMarkers) {
  ASSERT_EQ(Build({"--hla", types_, "--hla-genes", genes_}, panel_).exit_code, 0);
  const ProgramResult imputed = Impute({"--ref", out_ / "panel.hsp", "--target", study_vcf_, "--hla-out",
                                        out_ / "types.tsv", "--region", "6:1100000-1300000"});
  ASSERT_EQ(imputed.exit_code, 0) << imputed.err;
  EXPECT_THAT(imputed.err, testing::Not(HasSubstr("less certain")));
}

// Alleles 01 and 02 have one amino acid at position -1, and 03 and 04 another.
TEST_F(HlaCommandTest, AminoAcidsAreThoseOfTheAlleles) {
  ASSERT_EQ(Build({"--hla", types_, "--hla-genes", genes_}, panel_).exit_code, 0);
  const std::string proteins = Write("proteins.tsv",
                                     "allele -2\nA*01:01:01 AYG\nA*02:01 AYS\nA*03:01 AFG\nA*04:01:01:02 AF*\n"
                                     "B*01:01 A\n");
  const ProgramResult imputed =
      Impute({"--ref", out_ / "panel.hsp", "--target", study_vcf_, "--hla-out", out_ / "types.tsv", "--hla-proteins",
              proteins, "--hla-amino-acids", out_ / "amino_acids.tsv"});
  ASSERT_EQ(imputed.exit_code, 0) << imputed.err;

  std::istringstream types(ReadFile(out_ / "types.tsv")), table(ReadFile(out_ / "amino_acids.tsv"));
  std::string line, type;
  std::getline(table, line);
  EXPECT_EQ(line, "sample\tgene\tposition\tamino_acid1\tamino_acid2\tprobability\tdosages");
  std::getline(types, type);
  for (const std::string& name : study_.names) {
    std::getline(types, type);
    std::getline(table, line);
    EXPECT_THAT(line, StartsWith(name + "\tA\t-1\t"));
    std::istringstream type_columns(type), columns(line);
    std::string skipped, allele1, allele2, amino1, amino2, dosages;
    double probability_of_type = 0, probability = 0;
    type_columns >> skipped >> skipped >> allele1 >> allele2 >> probability_of_type;
    columns >> skipped >> skipped >> skipped >> amino1 >> amino2 >> probability >> dosages;
    const auto amino_acid = [](const std::string& allele) { return allele < "A*03" ? "Y" : "F"; };
    // An improbable pair of alleles may have other amino acids than most of the others.
    if (probability_of_type > 0.5) {
      EXPECT_EQ(std::multiset({amino1, amino2}),
                std::multiset<std::string>({amino_acid(allele1), amino_acid(allele2)}));
    }
    EXPECT_GE(probability, probability_of_type - 1e-3);
    EXPECT_THAT(dosages, AllOf(StartsWith("F:"), HasSubstr(",Y:")));
    std::getline(table, line);
    EXPECT_THAT(line, AllOf(StartsWith(name + "\tA\t1\t"), HasSubstr("*:"), HasSubstr(",G:"), HasSubstr(",S:")));
  }
  EXPECT_FALSE(std::getline(table, line));
}

TEST_F(HlaCommandTest, UnknownProteinsAreNamed) {
  ASSERT_EQ(Build({"--hla", types_, "--hla-genes", genes_}, panel_).exit_code, 0);
  const auto impute = [&](const std::string& proteins) {
    return Impute({"--ref", out_ / "panel.hsp", "--target", study_vcf_, "--hla-out", out_ / "types.tsv",
                   "--hla-proteins", Write("proteins.tsv", proteins), "--hla-amino-acids", out_ / "amino_acids.tsv"});
  };
  EXPECT_THAT(
      impute("A*01:01 Y\nA*02:01 F\n").err,
      HasSubstr("HLA-A: --hla-proteins lacks 2 of its 4 alleles, whose amino acids are written as *: A*03:01, "));
  std::filesystem::remove(out_ / "types.tsv");
  std::filesystem::remove(out_ / "amino_acids.tsv");
  ExpectRefused(impute("B*01:01 Y\n"), {"--hla-proteins has no allele of the panel's HLA genes", "give the files"});
  EXPECT_FALSE(std::filesystem::exists(out_ / "types.tsv"));
  EXPECT_FALSE(std::filesystem::exists(out_ / "amino_acids.tsv"));
}

TEST_F(HlaCommandTest, AnUnphasedPanelIsPhasedWithTheTypes) {
  const std::string unphased = Write("unphased.vcf", WithGenotypes(PanelVcf("6"), [](size_t, int64_t, std::string gt) {
                                       std::ranges::replace(gt, '|', '/');
                                       return gt;
                                     }));
  const ProgramResult built = Build({"--hla", types_, "--hla-genes", genes_}, unphased);
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_THAT(built.err, HasSubstr("unphased.vcf is not phased: it is phased together with the types"));
  EXPECT_EQ(out_.NumFiles(), 1u);
  const ProgramResult view = RunProgram({"panel", "view", "--panel", out_ / "panel.hsp"});
  const VcfLines vcf(view.out);
  std::vector<size_t> alleles(reference_.num_haplotypes());
  for (const auto& record : vcf.records) {
    if (!record[kAlt].starts_with("<HLA_A*")) continue;
    for (size_t s = 0; s < reference_.num_samples(); ++s) {
      for (size_t c = 0; c < 2; ++c) alleles[2 * s + c] += record[kFirstSample + s][2 * c] == '1' ? 1 : 0;
    }
  }
  EXPECT_EQ(alleles, std::vector<size_t>(reference_.num_haplotypes(), 1));
}

TEST_F(HlaCommandTest, IsTheSameOnAnyNumberOfThreads) {
  ASSERT_EQ(Build({"--hla", types_, "--hla-genes", genes_, "--threads", "1"}, panel_).exit_code, 0);
  const std::string one = ReadFile(out_ / "panel.hsp");
  ASSERT_EQ(Build({"--hla", types_, "--hla-genes", genes_, "--threads", "3"}, panel_).exit_code, 0);
  EXPECT_EQ(ReadFile(out_ / "panel.hsp"), one);
}

TEST_F(HlaCommandTest, WrongOptionsAreNamed) {
  ExpectBuildError({"--hla-genes", genes_}, "--hla-genes is for --hla; add that, or remove --hla-genes");
  ExpectBuildError({"--hla", types_}, "does not tell the genome build by the length of chromosome 6; give --hla-build");
  ExpectBuildError({"--hla", types_, "--hla-genes", genes_, "--hla-build", "hg19"}, "both say where the genes are");
  ExpectBuildError({"--hla", Write("bad.tsv", "x A 01:01\n"), "--hla-genes", genes_}, "bad.tsv: line 1: expected");
  ExpectBuildError({"--hla", types_, "--hla-genes", genes_, "--hla-fields", "5"}, "hla-fields");
  ExpectUserError({"--ref", panel_, "--target", study_vcf_, "--hla-out", out_ / "types.tsv"},
                  {"the panel has no HLA alleles", "panel build --hla"});
  ExpectUserError({"--hla-out", out_ / "types.tsv", "--resume"}, {"--hla-out and --resume cannot be given together"});
  ExpectUserError({"--hla-out", out_ / "absent/types.tsv"}, {"absent"});
  const std::string amino_acids = out_ / "amino_acids.tsv", proteins = Write("proteins.tsv", "A*01:01 Y\n");
  ExpectUserError({"--hla-out", out_ / "types.tsv", "--hla-amino-acids", amino_acids},
                  {"give --hla-out and --hla-proteins"});
  ExpectUserError({"--hla-amino-acids", amino_acids, "--hla-proteins", proteins},
                  {"give --hla-out and --hla-proteins"});
  ExpectUserError({"--hla-out", out_ / "types.tsv", "--hla-proteins", proteins},
                  {"--hla-proteins is for --hla-amino-acids"});
  ExpectUserError({"--hla-out", out_ / "types.tsv", "--hla-amino-acids", amino_acids, "--hla-proteins",
                   Write("wrong.tsv", "A*01:01 y\n")},
                  {"wrong.tsv: line 1: \"y\" is no amino acid"});
}

}  // namespace
}  // namespace haplospin
