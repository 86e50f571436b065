// Studies in PLINK files.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "cli/founder_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

bool Never(size_t) { return false; }

class PlinkStudyTest : public FounderFiles {
 protected:
  // Writes VCF text as .bed, .bim and .fam; where `exchange`, A1 and A2 are exchanged. Returns the path of the .bed.
  std::string WriteBed(const std::string& vcf, const std::function<bool(size_t record)>& exchange) const {
    std::string fam, bim, bed("\x6c\x1b\x01", 3);
    const VcfLines study(vcf);
    const size_t samples = study.columns.size() - kFirstSample;
    for (size_t s = 0; s < samples; ++s) fam += "f " + study.columns[kFirstSample + s] + " 0 0 0 -9\n";
    for (size_t r = 0; r < study.records.size(); ++r) {
      const std::vector<std::string>& record = study.records[r];
      std::pair alleles(record[kAlt], record[kRef]);
      if (exchange(r)) std::swap(alleles.first, alleles.second);
      bim += record[0] + " . 0 " + record[kPos] + " " + alleles.first + " " + alleles.second + "\n";
      unsigned byte = 0;
      for (size_t s = 0; s < samples; ++s) {
        const std::string genotype = Field(record, s, "GT");
        const bool is_het = genotype[0] != genotype[2];
        const bool has_a1 = (genotype[0] == '1') != exchange(r);
        byte |= (is_het ? 2u : has_a1 ? 0u : 3u) << 2 * (s % 4);
        if (s % 4 < 3 && s + 1 < samples) continue;
        bed += static_cast<char>(byte);
        byte = 0;
      }
    }
    Write("s.fam", fam);
    Write("s.bim", bim);
    return Write("s.bed", bed);
  }

  std::vector<std::vector<std::string>> Records(const std::string& study) const {
    return VcfLines(ImputedText({"--target", study})).records;
  }
};

// A1 of PLINK 1.9 is the minor allele, wherever REF is.
TEST_F(PlinkStudyTest, ExchangedAllelesAreThePanels) {
  const auto expected = Records(WriteBed(StudyVcf().text(), Never));
  EXPECT_EQ(Records(WriteBed(StudyVcf().text(), [](size_t r) { return r % 3 == 0; })), expected);
  const ProgramResult result = Impute({"--target", in_ / "s.bed"});
  EXPECT_THAT(result.err, HasSubstr("REF and ALT are those of the panel, not A2 and A1, at 11 of 31 sites"));
}

// Genotypes and REF go together in the study that phase writes, too.
TEST_F(PlinkStudyTest, PhasedAllelesAreThePanels) {
  const auto phased = [&](const std::function<bool(size_t)>& exchange) {
    const std::string study = WriteBed(StudyVcf().text(), exchange), out = in_ / "phased.vcf";
    const ProgramResult result = RunProgram({"phase", "--ref", panel_path_, "--target", study, "--out", out});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return VcfLines(ReadFile(out)).records;
  };
  EXPECT_EQ(phased([](size_t r) { return r % 3 == 0; }), phased(Never));
}

// PLINK writes the REF of a .bed to VCF as it is, and says so in the header.
TEST_F(PlinkStudyTest, ProvisionalRefOfVcfIsThePanels) {
  constexpr const char* kProvisional =
      "##INFO=<ID=PR,Number=0,Type=Flag,Description=\"Provisional reference allele, may not be based on real reference "
      "genome\">";
  size_t every = 3;
  const auto write = [&](bool is_exchanged, const std::string& declaration) {
    const VcfLines lines(
        WithGenotypes(StudyVcf(), [](size_t, int64_t, const std::string& genotype) { return genotype; }));
    VcfText vcf(SampleNames(3), {"20"});
    if (!declaration.empty()) vcf.Declare(declaration);
    for (size_t r = 0; r < lines.records.size(); ++r) {
      const std::vector<std::string>& record = lines.records[r];
      const bool exchange = is_exchanged && r % every == 0;
      std::string line = "20\t" + record[kPos] + "\t.\t" + record[exchange ? kAlt : kRef] + "\t" +
                         record[exchange ? kRef : kAlt] + "\t.\t.\tPR\tGT";
      for (size_t s = 0; s < 3; ++s) {
        std::string genotype = Field(record, s, "GT");
        for (char& c : genotype) c = !exchange || c == '|' ? c : c == '0' ? '1' : '0';
        line += "\t" + genotype;
      }
      vcf.AddLine(line);
    }
    return Write("s.vcf", vcf.text());
  };
  const auto expected = Records(write(false, kProvisional));
  EXPECT_EQ(Records(write(true, kProvisional)), expected);
  const ProgramResult result = Impute({"--target", in_ / "s.vcf"});
  EXPECT_THAT(result.err, HasSubstr("REF and ALT are those of the panel, not those of the file, at 11 of 31 sites"));
  write(true, "##INFO=<ID=PR,Number=0,Type=Flag,Description=\"Pruned\">");
  EXPECT_THAT(Impute({"--target", in_ / "s.vcf"}).err,
              HasSubstr("11 of the 31 study sites at panel positions have REF"));
  every = 1;
  std::filesystem::remove(imputed_path_);
  ExpectUserError({"--target", write(true, kProvisional)},
                  {"s.vcf: ALT and REF are REF and ALT of the panel", "at all of its sites", "--export vcf bgz"});
}

// A site without ALT may have the panel's ALT, or genotypes that are missing.
TEST_F(PlinkStudyTest, PhasedSitesWithoutAltHaveThePanels) {
  std::string text = StudyVcf().text();
  const VcfLines study(text);
  const auto without_alt = [&](size_t r, const std::string& ref, const std::string& genotypes) {
    const std::vector<std::string>& record = study.records[r];
    const size_t begin = text.find("\n" + record[0] + "\t" + record[kPos] + "\t") + 1, end = text.find('\n', begin);
    text.replace(begin, end - begin,
                 record[0] + "\t" + record[kPos] + "\t.\t" + ref + "\t.\t.\t.\t.\tGT\t" + genotypes);
  };
  without_alt(4, study.records[4][kAlt], "0|0\t0|0\t0|0");
  without_alt(9, study.records[9][kRef], "0|0\t.|.\t0|0");
  const std::string out = in_ / "phased.vcf";
  const ProgramResult result =
      RunProgram({"phase", "--ref", panel_path_, "--target", Write("without-alt.vcf", text), "--out", out});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const VcfLines phased(ReadFile(out));
  for (const size_t r : {4, 9}) {
    EXPECT_EQ(phased.records[r][kRef], study.records[r][kRef]);
    EXPECT_EQ(phased.records[r][kAlt], study.records[r][kAlt]);
    EXPECT_EQ(Field(phased.records[r], 0, "GT"), r == 4 ? "1|1" : "0|0");
  }
}

// The panel of plink2 --export haps has ALT first without ref-first.
TEST_F(PlinkStudyTest, AllelesThatAreAllExchangedAreAnError) {
  const std::string study = WriteBed(StudyVcf().text(), [](size_t) { return true; });
  ExpectUserError({"--target", study}, {"s.bed: A1 and A2 are REF and ALT of the panel", "at all of its sites",
                                        "ref-first", "--ref-from-fa"});
  const auto nevertheless = VcfLines(ImputedText({"--target", study, "--min-ratio", "0"})).records;
  EXPECT_EQ(nevertheless, Records(WriteBed(StudyVcf().text(), Never)));
}

// A .bed does not tell an insertion from the opposite deletion; their frequencies do.
TEST_F(PlinkStudyTest, AnIndelIsThePanelsIfItIsAsFrequent) {
  const std::string panel = WritePanel({{20'500, "ins", "A", "ATG"}});
  for (const bool is_exchanged : {false, true}) {
    const auto flag = [&](const Record& indel) {
      const std::string study = WriteBed(ReadFile(WriteStudy({indel})), [&](size_t) { return is_exchanged; });
      const VcfLines imputed(ImputedText({"--ref", panel, "--target", study, "--min-ratio", "0"}));
      EXPECT_EQ(std::ranges::count(imputed.records, "20500", [](const auto& record) { return record[kPos]; }), 1);
      return FlagOf(imputed, "ins");
    };
    EXPECT_EQ(flag({20'500, ".", "A", "ATG"}), "TYPED");
    const auto messages = [&] { return Impute({"--ref", panel, "--target", in_ / "s.bed", "--min-ratio", "0"}).err; };
    EXPECT_EQ(flag({20'500, ".", "ATG", "A"}), "IMP");
    EXPECT_THAT(messages(), HasSubstr("1 indel is left out (first: 20:20500"));
    EXPECT_EQ(flag({20'500, ".", "D", "I"}), "TYPED");
    EXPECT_EQ(flag({20'500, ".", "-", "TG"}), "TYPED");
    EXPECT_EQ(flag({20'500, ".", "I", "D"}), "IMP");
    EXPECT_THAT(messages(), HasSubstr("1 indel coded as I, D or - is left out (first: 20:20500"));
  }
}

// D and I are no bases, so that VCF cannot have them.
TEST_F(PlinkStudyTest, CodedIndelsThatThePanelLacksAreLeftOut) {
  const std::string panel = WritePanel({}), vcf = WriteStudy({{20'500, "coded", "D", "I"}}), out = in_ / "out.vcf";
  const auto records = [&] { return VcfLines(ReadFile(out)).records.size(); };
  const size_t others = VcfLines(ReadFile(vcf)).records.size() - 1;
  for (const std::string& study : {vcf, WriteBed(ReadFile(vcf), Never)}) {
    EXPECT_EQ(FlagOf(VcfLines(ImputedText({"--ref", panel, "--target", study})), "coded"), "absent");
    const std::vector<std::vector<std::string>> commands{{"phase", "--ref", panel}, {"phase"}, {"impute"}};
    for (std::vector<std::string> command : commands) {
      const bool has_panel = command.size() > 1;
      command.insert(command.end(), {"--target", study, "--out", out});
      const ProgramResult result = RunProgram(command);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_THAT(result.err, HasSubstr("1 indel coded as I, D or - is left out (first: 20:20500 "));
      EXPECT_THAT(result.err, testing::Not(HasSubstr("position 0")));
      EXPECT_EQ(records(), others) << command[0] << has_panel;
    }
    RunProgram({"check", "--ref", panel, "--target", study, "--keep-ambiguous", "--fix", out});
    EXPECT_EQ(records(), others);
    EXPECT_THAT(RunProgram({"check", "--ref", panel, "--target", study}).out,
                HasSubstr("1 site whose strand, or REF of an indel, cannot be determined"));
  }
}

TEST_F(PlinkStudyTest, CodedIndelsHaveTheAllelesOfThePanel) {
  const std::string panel = WritePanel({{20'500, "ins", "A", "ATG"}}), out = in_ / "out.vcf";
  const auto indel = [&](const Record& given, const std::vector<std::string>& command) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--ref", panel, "--target", WriteStudy({given})});
    RunProgram(arguments);
    for (const auto& record : VcfLines(ReadFile(out)).records) {
      if (record[kPos] != "20500") continue;
      return record[kRef] + ">" + record[kAlt] + " " + Field(record, 0, "GT") + " " + Field(record, 1, "GT");
    }
    return std::string("none");
  };
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"phase", "--out", out}, {"check", "--fix", out}}) {
    EXPECT_EQ(indel({20'500, "coded", "D", "I"}, command), indel({20'500, "coded", "A", "ATG"}, command));
  }
}

// Without a panel, an indel of a .bed is a marker as any other.
TEST_F(PlinkStudyTest, IndelsArePhasedWithoutAPanel) {
  const std::string study = WriteBed(ReadFile(WriteStudy({{20'500, ".", "A", "ATG"}})), Never), out = in_ / "out.vcf";
  const ProgramResult result = RunProgram({"phase", "--target", study, "--out", out});
  EXPECT_THAT(result.err, AllOf(testing::Not(HasSubstr("left out")), testing::Not(HasSubstr("position 0"))));
  EXPECT_THAT(ReadFile(out), testing::Not(HasSubstr("0/1")));
}

TEST_F(PlinkStudyTest, FamiliesTellEqualNamesApart) {
  const std::string study = WriteBed(StudyVcf().text(), Never);
  Write("s.fam", "f1 S 0 0 0 -9\nf2 S 0 0 0 -9\nf2 S2 0 0 0 -9\n");
  const VcfLines imputed(ImputedText({"--target", study}));
  EXPECT_THAT(std::vector(imputed.columns.begin() + kFirstSample, imputed.columns.end()),
              testing::ElementsAre("f1_S", "f2_S", "f2_S2"));
  Write("s.fam", "f1 S 0 0 0 -9\nf1 S 0 0 0 -9\nf2 S2 0 0 0 -9\n");
  EXPECT_THAT(Impute({"--target", study}).err, HasSubstr("plink --update-ids"));
}

TEST_F(PlinkStudyTest, IsCheckedWithoutAPanel) {
  const ProgramResult result = RunProgram({"check", "--target", WriteBed(StudyVcf().text(), Never)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("3 samples"), HasSubstr("unphased"), HasSubstr("Verdict: not compared")));
}

}  // namespace
}  // namespace haplospin
