// What a variant is, in every command: POS, REF and ALT, and END or SVLEN of symbolic alleles.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <random>

#include "cli/founder_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

using VariantIdentityTest = FounderFiles;

TEST_F(VariantIdentityTest, ADeletionIsNotTheSwappedInsertion) {
  WritePanel({{20'500, "ins", "A", "ATG"}});
  WriteStudy({{20'500, "del", "ATG", "A", ".", 2}});
  const VcfLines imputed = Imputed();
  EXPECT_EQ(FlagOf(imputed, "del"), "NOT_IN_PANEL");
  EXPECT_EQ(FlagOf(imputed, "ins"), "IMP");
  EXPECT_THAT(Check({"--fix", out_ / "fixed.vcf"}).out, HasSubstr("REF and ALT swapped       0"));
  const std::vector<std::string> fixed = VcfLines(ReadFile(out_ / "fixed.vcf")).At("20500");
  const std::vector<std::string> given = VcfLines(ReadFile(in_ / "s.vcf")).At("20500");
  EXPECT_EQ(fixed[kRef] + fixed[kAlt], "ATGA");
  EXPECT_TRUE(std::equal(fixed.begin() + kFirstSample, fixed.end(), given.begin() + kFirstSample, given.end()));
}

TEST_F(VariantIdentityTest, SymbolicAllelesHaveALength) {
  for (const std::string alt : {"<DEL>", "<DUP>", "<INV>", "<CN0>"}) {
    WritePanel({{20'500, "short", "A", alt, "END=21000"}, {20'500, "long", "A", alt, "END=29500", 2}});
    for (const std::string info : {"END=29500", "SVLEN=-9000", "SVTYPE=X;SVLEN=9000;END=29500"}) {
      WriteStudy({{20'500, "s", "A", alt, info, 2}});
      const VcfLines imputed = Imputed();
      EXPECT_EQ(FlagOf(imputed, "short"), "IMP") << alt << info;
      EXPECT_EQ(FlagOf(imputed, "long"), "TYPED") << alt << info;
      EXPECT_EQ(FlagOf(imputed, "s"), "absent") << alt << info;
    }
    WriteStudy({{20'500, "a", "A", alt, "END=21000"}, {20'500, "b", "A", alt, "END=29500", 2}});
    const VcfLines imputed = Imputed();
    EXPECT_EQ(FlagOf(imputed, "short"), "TYPED") << alt;
    EXPECT_EQ(FlagOf(imputed, "long"), "TYPED") << alt;
    EXPECT_THAT(Check({"--fix", out_ / "fixed.vcf"}).out, HasSubstr("duplicates                0"));
    EXPECT_EQ(VcfLines(ReadFile(out_ / "fixed.vcf")).records.size(), 42u);
  }
}

TEST_F(VariantIdentityTest, EvaluateComparesTheSameLength) {
  const std::string one = Write("one.vcf", ReadFile(WriteStudyOf({{20'500, "b", "A", "<DEL>", "END=29500", 2}})));
  const std::string two =
      WriteStudyOf({{20'500, "a", "A", "<DEL>", "END=21000"}, {20'500, "b", "A", "<DEL>", "END=29500", 2}});
  const ProgramResult result = RunProgram({"evaluate", "--truth", one, "--imputed", two});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("more than once")));
  EXPECT_THAT(result.out, HasSubstr("1.0000"));
}

TEST_F(VariantIdentityTest, PaddingMakesNoOtherVariant) {
  WritePanel({{20'500, "del", "CA", "C"}, {22'499, "ins", "GA", "GAT", ".", 2}});
  WriteStudy({{20'498, ".", "GGCA", "GGC"}, {22'500, ".", "A", "AT", ".", 2}});
  const VcfLines imputed = Imputed();
  EXPECT_EQ(FlagOf(imputed, "del"), "TYPED");
  EXPECT_EQ(FlagOf(imputed, "ins"), "TYPED");
  EXPECT_EQ(imputed.records.size(), 42u);
  EXPECT_THAT(Check().out, HasSubstr("same alleles              42"));
}

TEST_F(VariantIdentityTest, SaysWhatOnlyNormCanTell) {
  WritePanel({{20'500, "del", "TCA", "T"}});
  WriteStudy({{20'506, "shifted", "ACA", "A"}});
  EXPECT_THAT(Check().out, AllOf(HasSubstr("20:20506 ACA>A"), HasSubstr("bcftools norm -f")));
  EXPECT_THAT(Impute({"--ref", in_ / "p.vcf", "--target", in_ / "s.vcf"}).err,
              AllOf(HasSubstr("20:20506 ACA>A"), HasSubstr("bcftools norm -f")));
}

// <NON_REF> and <*> say that the samples have no other allele.
TEST_F(VariantIdentityTest, GvcfSitesAreHomozygousForRef) {
  WritePanel({});
  const std::vector<Record> snvs = Snvs();
  const auto study = [&](const std::string& alone, const std::string& beside) {
    std::vector<Record> records = snvs;
    for (size_t i = 0; i < records.size(); ++i) {
      if (i % 3 == 0) records[i] = {records[i].position, ".", "A", alone, ".", -1};
      if (i % 3 == 1) records[i].alt += beside;
    }
    WriteStudyOf(records);
    return VcfLines(ReadFile(in_ / "s.vcf"));
  };
  study(".", "");
  const VcfLines expected = Imputed();
  for (const std::string alt : {"<NON_REF>", "<*>"}) {
    study(alt, "," + alt);
    EXPECT_EQ(Imputed().records, expected.records) << alt;
    EXPECT_THAT(Check().out, HasSubstr("14 have an allele of the panel and are used")) << alt;
  }
}

// A sample with the base of REF alone has none of the panel's ALTs.
TEST_F(VariantIdentityTest, AGvcfSiteTypesAllSnvsOfItsPosition) {
  WritePanel({{20'500, "c", "A", "C"}, {20'500, "g", "A", "G", ".", 2}, {20'500, "ins", "A", "AT", ".", 1}});
  WriteStudy({{20'500, ".", "A", "<NON_REF>", ".", -1}});
  const VcfLines imputed = Imputed();
  EXPECT_EQ(FlagOf(imputed, "c"), "TYPED");
  EXPECT_EQ(FlagOf(imputed, "g"), "TYPED");
  EXPECT_EQ(FlagOf(imputed, "ins"), "IMP");
  EXPECT_EQ(imputed.records.size(), 43u);
  for (const std::string alt : {"C", "G"}) {
    for (const std::vector<std::string>& record : imputed.records) {
      if (record[kPos] != "20500" || record[kAlt] != alt) continue;
      EXPECT_TRUE(std::all_of(record.begin() + kFirstSample, record.end(),
                              [](const std::string& value) { return value.starts_with("0|0"); }));
    }
  }
}

TEST_F(VariantIdentityTest, SaysThatOnlyTheFirstBaseOfABlockIsUsed) {
  WritePanel({});
  for (const std::string alt : {"<NON_REF>", "<*>", "."}) {
    WriteStudy({{20'500, ".", "A", alt, "END=23000", -1}});
    EXPECT_THAT(Impute({"--ref", in_ / "p.vcf", "--target", in_ / "s.vcf"}).err,
                AllOf(HasSubstr("1 record of a gVCF"), HasSubstr("bcftools convert --gvcf2vcf")))
        << alt;
    EXPECT_THAT(Check().out, HasSubstr("bcftools convert --gvcf2vcf")) << alt;
  }
  WriteStudy({{20'500, ".", "ACG", ".", "END=20502", -1}});
  EXPECT_THAT(Check().out, Not(HasSubstr("bcftools convert --gvcf2vcf")));
}

TEST_F(VariantIdentityTest, SitesOfSeveralSnvsAndWithoutRefAreSaid) {
  WritePanel({{20'500, "a", "A", "C"}, {20'501, "b", "G", "T"}, {21'500, "c", "A", "C"}});
  WriteStudy({{20'500, ".", "AG", "CT"}, {21'500, ".", "N", "C"}});
  for (const std::string& text : {Check().out, Impute({"--ref", in_ / "p.vcf", "--target", in_ / "s.vcf"}).err}) {
    EXPECT_THAT(text, AllOf(HasSubstr("1 "), HasSubstr("of several bases where the panel has SNVs"),
                            HasSubstr("20:20500 AG>CT"), HasSubstr("bcftools norm --atomize"),
                            HasSubstr("N or . as REF"), HasSubstr("bcftools norm -c s -f REF.fa")));
  }
}

// The probabilities of each haplotype, summed over the records of a position.
std::vector<double> SumsAt(const VcfLines& lines, const std::string& position) {
  const size_t samples = lines.columns.size() - kFirstSample;
  std::vector<double> sums(2 * samples);
  for (const auto& record : lines.records) {
    if (record[kPos] != position || record[kInfo].find("NOT_IN_PANEL") != std::string::npos) continue;
    for (size_t s = 0; s < samples; ++s) {
      const std::string hds = Field(record, s, "HDS");
      const size_t comma = hds.find(',');
      sums[2 * s] += std::stod(hds.substr(0, comma));
      sums[2 * s + 1] += std::stod(hds.substr(comma + 1));
    }
  }
  return sums;
}

TEST_F(VariantIdentityTest, AHaplotypeHasOneAltOfSeveral) {
  WritePanel({{20'500, "a", "A", "C", ".", 1},
              {20'500, "b", "A", "G", ".", 2},
              {20'500, "c", "A", "T", ".", 3},
              {20'500, "d", "A", "AT", ".", 4}});
  WriteStudy({});
  EXPECT_THAT(SumsAt(Imputed({"--format", "HDS"}), "20500"), Each(Le(1.0003)));
  // Also where the study has one that the panel's haplotypes do not have there.
  for (const int founder : {1, 2}) {
    WriteStudy({{20'500, "b", "A", "G", ".", founder}});
    EXPECT_THAT(SumsAt(Imputed({"--format", "HDS"}), "20500"), Each(Le(1.0003)));
  }
}

TEST_F(VariantIdentityTest, HlaAllelesAreImputedUnderTheirNames) {
  std::vector<Record> alleles;
  for (int a = 0; a < 5; ++a) alleles.push_back({20'500, fmt::format("HLA_A*0{}:01", a), "A", "T", ".", a});
  WritePanel(alleles);
  WriteStudy({});
  const VcfLines imputed = Imputed({"--format", "HDS"});
  EXPECT_THAT(SumsAt(imputed, "20500"), Each(Le(1.0003)));
  for (const Record& allele : alleles) EXPECT_EQ(FlagOf(imputed, allele.id), "IMP");
  // One is known, and another study marker is none of them.
  WriteStudy({alleles[3], {20'500, "rs7", "A", "T", ".", 1}});
  const VcfLines typed = Imputed({"--format", "HDS"});
  EXPECT_THAT(SumsAt(typed, "20500"), Each(Le(1.0003)));
  for (const Record& allele : alleles)
    EXPECT_EQ(FlagOf(typed, allele.id), allele.id == alleles[3].id ? "TYPED" : "IMP");
  EXPECT_EQ(FlagOf(typed, "rs7"), "NOT_IN_PANEL");
}

}  // namespace
}  // namespace haplospin
