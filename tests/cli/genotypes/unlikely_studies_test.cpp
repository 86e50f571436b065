// Studies that are not what they seem: what check and impute say of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "cli/founder_files.h"
#include "genotypes/variant_io/vcf_columns.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class UnlikelyStudiesTest : public FounderFiles {
 protected:
  // Rewrites each genotype of the study by change(genotype, record, sample), of those with r < `records`.
  void Change(const std::function<std::string(const std::string&, size_t, size_t)>& change) const {
    ChangeFormat("GT", change);
  }

  // Writes other FORMAT fields beside GT.
  void ChangeFormat(const std::string& format,
                    const std::function<std::string(const std::string&, size_t, size_t)>& change) const {
    const VcfLines lines(ReadFile(WriteStudy({})));
    std::string text;
    for (const std::string& line : lines.header) text += line + "\n";
    const auto add = [&](const std::vector<std::string>& columns) {
      for (const std::string& column : columns) text += (&column == &columns[0] ? "" : "\t") + column;
      text += "\n";
    };
    add(lines.columns);
    for (size_t r = 0; r < lines.records.size(); ++r) {
      std::vector<std::string> record = lines.records[r];
      record[kFirstSample - 1] = format;
      for (size_t s = 0; s < kStudySamples; ++s) record[kFirstSample + s] = change(record[kFirstSample + s], r, s);
      add(record);
    }
    Write("s.vcf", text);
  }

  static std::string Inverted(std::string genotype) {
    for (char& c : genotype) c = c == '0' ? '1' : c == '1' ? '0' : c;
    return genotype;
  }

  // check refuses the study, and impute does unless --min-ratio is 0.
  void ExpectUnlikely(const std::string& reason) const {
    WritePanel({{20'500, "new", "A", "C"}});
    const ProgramResult check = Check();
    EXPECT_EQ(check.exit_code, 3) << check.out;
    EXPECT_THAT(check.out, HasSubstr("Verdict: do not impute this study: " + reason));
    ExpectRefused(RunImpute(), {reason});
    EXPECT_EQ(RunImpute({"--min-ratio", "0"}).exit_code, 0);
  }

  // The copy of --fix has the genotypes of the study before it was changed.
  void ExpectIsFixed() const {
    const VcfLines fixed(ReadFile(out_ / "fixed.vcf")), given(ReadFile(WriteStudy({})));
    ASSERT_EQ(fixed.records.size(), given.records.size());
    for (size_t r = 0; r < fixed.records.size(); ++r) {
      for (size_t s = 0; s < kStudySamples; ++s) {
        ASSERT_EQ(Field(fixed.records[r], s, "GT"), Field(given.records[r], s, "GT"));
      }
    }
    EXPECT_EQ(RunProgram({"check", "--ref", in_ / "p.vcf", "--target", out_ / "fixed.vcf"}).exit_code, 0);
  }
};

TEST_F(UnlikelyStudiesTest, MarkersThatContradictThoseAround) {
  WritePanel({{20'500, "new", "A", "C"}});
  Change([](const std::string& genotype, size_t r, size_t) { return r == 20 ? Inverted(genotype) : genotype; });
  EXPECT_THAT(RunImpute().err, HasSubstr("s.vcf: 1 typed marker on contig 20 (first: 30000) contradicts what those"));
  Change([](const std::string& genotype, size_t, size_t) { return genotype; });
  EXPECT_THAT(RunImpute().err, Not(HasSubstr("contradict")));
}

TEST_F(UnlikelyStudiesTest, AllAllelesAreInverted) {
  Change([](const std::string& genotype, size_t, size_t) { return Inverted(genotype); });
  ExpectUnlikely("alleles are inverted: at 40 of 40 sites");
  EXPECT_EQ(Check({"--fix", out_ / "fixed.vcf"}).exit_code, 3);
  ExpectIsFixed();
}

TEST_F(UnlikelyStudiesTest, SomeAllelesAreInverted) {
  const std::vector<std::pair<std::function<bool(size_t)>, std::string>> cases{
      {[](size_t r) { return r % 4 == 1; }, "10"},
      {[](size_t r) { return r % 3 == 0; }, "14"},
      {[](size_t r) { return r % 2 == 0; }, "20"},
      {[](size_t r) { return r % 4 != 0; }, "30"}};
  for (const auto& [is_inverted, count] : cases) {
    Change(
        [&](const std::string& genotype, size_t r, size_t) { return is_inverted(r) ? Inverted(genotype) : genotype; });
    ExpectUnlikely("alleles are inverted at some sites: at " + count + " of 40");
    EXPECT_THAT(RunImpute().err, HasSubstr("haplospin check --fix corrects them"));
    EXPECT_THAT(Check({"--fix", out_ / "fixed.vcf"}).out,
                AllOf(HasSubstr("inverted                  " + count), HasSubstr("--fix exchanges 0 and 1")));
    ExpectIsFixed();
  }
  Change([](const std::string& genotype, size_t, size_t s) { return s % 2 == 0 ? Inverted(genotype) : genotype; });
  ExpectUnlikely("its allele frequencies are near a half");
}

TEST_F(UnlikelyStudiesTest, AllGenotypesAreHeterozygousOrTheSame) {
  for (const std::string het : {"0|1", "1/0", "0/1"}) {
    Change([&](const std::string&, size_t, size_t) { return het; });
    ExpectUnlikely("1200 of its 1200 genotypes are heterozygous");
  }
  Change([](const std::string&, size_t, size_t s) { return s == 7 ? "./." : "0/0"; });
  ExpectUnlikely("all genotypes of its 40 sites are homozygous for REF");
  EXPECT_EQ(RunProgram({"check", "--target", in_ / "s.vcf"}).exit_code, 3) << "without a panel";
  Change([](const std::string&, size_t, size_t) { return "1/1"; });
  ExpectUnlikely("all genotypes of its 40 sites are homozygous for ALT");
}

// As bcftools merge without -0 leaves them.
TEST_F(UnlikelyStudiesTest, GenotypesOfRefAreMissing) {
  Change([](const std::string& genotype, size_t, size_t) {
    return genotype[0] == '0' && genotype[2] == '0' ? "./." : genotype;
  });
  WritePanel({{20'500, "new", "A", "C"}});
  const ProgramResult check = Check(), impute = RunImpute({"--min-ratio", "0"});
  EXPECT_EQ(impute.exit_code, 0) << impute.err;
  for (const std::string& text : {check.out, impute.err}) {
    EXPECT_THAT(text, AllOf(HasSubstr("no genotype is 0/0"), HasSubstr("bcftools merge -0")));
  }
  for (const char* command : {"impute", "phase"}) {
    ExpectRefused(RunProgram({command, "--target", in_ / "s.vcf", "--out", out_ / "o.vcf"}),
                  {"no genotype is 0/0", "bcftools merge -0"});
  }
}

// As sed 's#/#|#' makes them.
TEST_F(UnlikelyStudiesTest, PhasedInNameAlone) {
  Change([](const std::string& genotype, size_t, size_t) {
    return std::string{std::min(genotype[0], genotype[2]), '|', std::max(genotype[0], genotype[2])};
  });
  WritePanel({{20'500, "new", "A", "C"}});
  const std::string reason = "all phased heterozygotes have their alleles in one order (0|1)";
  EXPECT_THAT(Check().out, AllOf(HasSubstr(reason), Not(HasSubstr("heterozygotes of the panel"))));
  EXPECT_THAT(RunImpute().err, AllOf(HasSubstr(reason), HasSubstr("give --rephase")));
  EXPECT_THAT(RunImpute({"--rephase"}).err, Not(HasSubstr(reason)));
  const std::string as_panel = "all heterozygotes have their alleles in one order (0|1), so that the panel";
  Write("sorted.vcf", ReadFile(in_ / "s.vcf"));
  const std::string study = WriteStudy({});
  EXPECT_THAT(RunProgram({"impute", "--ref", in_ / "sorted.vcf", "--target", study, "--out", out_ / "o.vcf"}).err,
              HasSubstr(as_panel));
}

TEST_F(UnlikelyStudiesTest, PeopleWithoutGenotypesAreNamed) {
  Change([](const std::string& genotype, size_t, size_t s) { return s % 2 == 0 ? "./." : genotype; });
  WritePanel({{20'500, "new", "A", "C"}});
  const std::string names = SampleName(0) + ", " + SampleName(2) + ", " + SampleName(4) + " and 12 more";
  const ProgramResult check = Check(), impute = RunImpute();
  EXPECT_EQ(impute.exit_code, 0) << impute.err;
  for (const std::string& text : {check.out, impute.err}) {
    EXPECT_THAT(text, AllOf(HasSubstr("15 samples without any genotype"), HasSubstr(names),
                            Not(HasSubstr("another population"))));
  }
}

TEST_F(UnlikelyStudiesTest, PeopleWhoAreNotRelatedAreNoTrio) {
  std::vector<Record> more;
  for (int i = 0; i < 40; ++i) more.push_back({10'500 + 1000 * i, ".", "A", "C", ".", i % 5});
  WritePanel(more);
  WriteStudy(more);
  const std::string fam =
      Write("trio.fam", "f " + SampleName(29) + " " + SampleName(28) + " " + SampleName(27) + " 1 -9\n");
  ExpectRefused(RunImpute({"--pedigree", fam}),
                {SampleName(29) + " is not the child of " + SampleName(28) + " and " + SampleName(27)});
}

// Allele frequencies of one person say nothing, nor does DR2.
TEST_F(UnlikelyStudiesTest, OnePersonGetsNoAdviceFromFrequencies) {
  WritePanel({{20'500, "new", "A", "C"}});
  const std::string all = ReadFile(WriteStudy({}));
  std::string text;
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view line = PopItem(rest, '\n');
    size_t end = 0;
    for (size_t column = 0; column <= kFirstSample && end != std::string_view::npos; ++column) {
      end = line.find('\t', end + 1);
    }
    text += std::string(line.starts_with("##") ? line : line.substr(0, end)) + "\n";
  }
  Write("s.vcf", text);
  EXPECT_THAT(Check().out, AllOf(HasSubstr("1 sample,"), Not(HasSubstr("correlation of allele frequencies")),
                                 Not(HasSubstr("different allele frequency"))));
  const ProgramResult impute = RunImpute();
  EXPECT_THAT(impute.err, AllOf(HasSubstr("DR2 of 1 sample does not tell the accuracy of a marker"),
                                HasSubstr(": 1 sample, 1 marker imputed, 40 typed")));
  EXPECT_THAT(RunImpute({"--min-r2", "0.3"}).err, HasSubstr("leaves out ALT alleles that are right"));

  WriteStudy({});
  std::string names;
  for (size_t s = 0; s < kStudySamples - 19; ++s) names += SampleName(s) + "\n";
  EXPECT_THAT(RunImpute({"--exclude-samples", Write("names.txt", names)}).err, HasSubstr("DR2 of 19 samples does not"));
}

TEST_F(UnlikelyStudiesTest, FilterTellsWhichRecordsAreUsed) {
  std::vector<Record> records = Snvs();
  for (size_t r = 0; r < records.size(); ++r) records[r].filter = r % 4 == 0 ? "LOWQ" : r % 4 == 1 ? "." : "PASS";
  WriteStudyOf(records);
  WritePanel({});
  EXPECT_THAT(Check().out, AllOf(HasSubstr("10 records have in FILTER neither PASS nor nothing; first: LOWQ"),
                                 HasSubstr("same alleles              40")));
  EXPECT_THAT(RunImpute().err, AllOf(HasSubstr("10 records have in FILTER"), HasSubstr("--filter PASS,.")));
  EXPECT_THAT(Check({"--filter", "PASS,."}).out, HasSubstr("same alleles              30"));
  const ProgramResult filtered = RunImpute({"--filter", "PASS,."});
  EXPECT_THAT(filtered.err, AllOf(HasSubstr("10 markers imputed, 30 typed"), HasSubstr("left out 10")));
  EXPECT_THAT(RunImpute({"--filter", "HIGHQ"}).err, HasSubstr("none of its 40 records on contig 20 is in --filter"));
  EXPECT_THAT(RunImpute({"--filter", "PASS,"}).err, HasSubstr("--filter has an empty value"));
  for (Record& record : records) record.filter = "a;b";
  WriteStudyOf(records);
  EXPECT_EQ(RunImpute({"--filter", "b"}).exit_code, 0);
}

TEST_F(UnlikelyStudiesTest, GenotypesWithoutReadsAreMissing) {
  ChangeFormat("GT:DP", [](const std::string& genotype, size_t r, size_t s) {
    return genotype + (genotype == "0|0" && (r + s) % 3 == 0 ? ":0" : ":20");
  });
  WritePanel({{20'500, "new", "A", "C"}});
  const ProgramResult check = Check(), impute = RunImpute();
  EXPECT_THAT(check.out, HasSubstr(" genotypes of REF (0/0) without reads: DP is 0, or all PL are 0"));
  EXPECT_THAT(impute.err, AllOf(HasSubstr("have no reads (DP is 0, or all PL are 0)"), HasSubstr("taken as missing")));
  ChangeFormat("GT:DP", [](const std::string& genotype, size_t, size_t) { return genotype + ":20"; });
  EXPECT_THAT(Check().out + RunImpute().err, Not(HasSubstr("DP is 0")));
}

TEST_F(UnlikelyStudiesTest, GenotypesThatFailedAFilterAreCounted) {
  ChangeFormat("GT:FT", [](const std::string& genotype, size_t r, size_t s) {
    return genotype + (s == 0 && r < 4 ? ":LowGQ" : ":PASS");
  });
  WritePanel({{20'500, "new", "A", "C"}});
  const ProgramResult check = Check(), impute = RunImpute();
  for (const std::string& text : {check.out, impute.err}) {
    EXPECT_THAT(text, AllOf(HasSubstr("4 genotypes have in FT neither PASS nor nothing"), HasSubstr("first: LowGQ"),
                            HasSubstr("bcftools +setGT -- -t q -n . -i 'FT!=\"PASS\" & FT!=\".\"'")));
  }
}

// Two batches, of which one has males as 0/0 and the other as 0.
TEST_F(UnlikelyStudiesTest, MalesInTwoWaysOnXAreSaid) {
  const auto phase = [&](size_t diploid_men) {
    std::vector<std::string> names;
    for (size_t s = 0; s < 40; ++s) names.push_back("S" + std::to_string(s));
    VcfText study(names);
    for (int64_t m = 0; m < 200; ++m) {
      std::string genotypes;
      for (size_t s = 0; s < names.size(); ++s) {
        const bool first = (static_cast<size_t>(m) * 7919 + s * 104729) % 17 < 8;
        const bool second = (static_cast<size_t>(m) * 6007 + s * 7001) % 13 < 6;
        const std::string a = first ? "1" : "0", b = second ? "1" : "0";
        genotypes += (s == 0 ? "" : " ") + (s % 2 == 0 ? a + "|" + b : s / 2 < diploid_men ? a + "|" + a : a);
      }
      study.Add("X", 5'000'000 + 1000 * m, "A", "C", genotypes);
    }
    const std::string path = Write("x.vcf", study.text());
    const ProgramResult phased = RunProgram({"phase", "--target", path, "--out", out_ / "x.vcf"});
    EXPECT_EQ(phased.exit_code, 0) << phased.err;
    return std::pair(phased.err, RunProgram({"check", "--target", path}).out);
  };
  const auto [phased, checked] = phase(5);
  EXPECT_THAT(phased, AllOf(HasSubstr("5 samples on a sex chromosome have two equal alleles throughout (first: S1)"),
                            HasSubstr("15 others have one"), HasSubstr("--sex")));
  EXPECT_THAT(checked, HasSubstr("5 samples on a sex chromosome have two equal alleles throughout"));
  for (const size_t diploid_men : {0, 20}) {
    const auto [other_phased, other_checked] = phase(diploid_men);
    EXPECT_THAT(other_phased + other_checked, Not(HasSubstr("equal alleles throughout"))) << diploid_men;
  }
}

TEST_F(UnlikelyStudiesTest, SamplesOfOneAlleleOnAnAutosomeAreSaid) {
  Change([](const std::string& genotype, size_t, size_t s) { return s % 10 == 1 ? genotype.substr(0, 1) : genotype; });
  WritePanel({{20'500, "new", "A", "C"}});
  const ProgramResult check = Check(), impute = RunImpute();
  EXPECT_EQ(impute.exit_code, 0) << impute.err;
  for (const std::string& text : {check.out, impute.err}) {
    EXPECT_THAT(text, AllOf(HasSubstr("3 of 30 samples have one allele on 20"), HasSubstr("irst: S1"),
                            HasSubstr("bcftools +fixploidy -- -f 2")));
  }
  WriteStudy({});
  EXPECT_THAT(Check().out + RunImpute().err, Not(HasSubstr("one allele")));
}

TEST_F(UnlikelyStudiesTest, ImputedMarkersOfAStudyAreCounted) {
  WritePanel({{20'500, "new", "A", "C"}});
  WriteStudy({});
  EXPECT_THAT(Check().out + RunImpute().err, Not(HasSubstr("marked as imputed")));
  const std::string imputed = out_ / "first.vcf";
  ASSERT_EQ(Impute({"--ref", in_ / "p.vcf", "--target", in_ / "s.vcf", "--out", imputed}).exit_code, 0);
  const std::vector<std::string> files{"--ref", in_ / "p.vcf", "--target", imputed};
  const ProgramResult check = RunProgram({"check", files[0], files[1], files[2], files[3]}), again = Impute(files);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  for (const std::string& text : {check.out, again.err}) {
    EXPECT_THAT(text, AllOf(HasSubstr("1 of "), HasSubstr("marked as imputed (INFO/IMP)"),
                            HasSubstr("bcftools view -e 'INFO/IMP=1'")));
  }
}

TEST_F(UnlikelyStudiesTest, ARegionMayHaveTypedMarkersAlone) {
  const std::string position = VcfLines(StudyVcf().text()).records[3][kPos];
  const ProgramResult region = Impute({"--region", "20:" + position + "-" + position});
  EXPECT_EQ(region.exit_code, 0) << region.err;
  EXPECT_THAT(region.err, AllOf(HasSubstr("has every marker of the panel"),
                                HasSubstr("in --region, so nothing was imputed"), Not(HasSubstr("exchanged"))));
  const std::string copy = Write("copy.vcf", ReadFile(panel_path_));
  EXPECT_THAT(Impute({"--target", copy}).err, HasSubstr("check that --ref and --target are not exchanged"));
}

TEST_F(UnlikelyStudiesTest, ExcludedMarkersThatAreUnknownAreNamed) {
  WritePanel({});
  WriteStudy({});
  const std::string list = Write("list.txt", "20:11000\nrs404\n20 99\n");
  EXPECT_THAT(
      RunImpute({"--exclude-markers", list}).err,
      AllOf(HasSubstr("1 marker excluded"), HasSubstr("has no marker for 2 lines of --exclude-markers: rs404, 20:99")));
}

TEST_F(UnlikelyStudiesTest, FewTypedSitesAreSaidForFewPeople) {
  const VcfLines study(StudyVcf().text());
  std::string text = StudyVcf().text().substr(0, StudyVcf().text().find("\n20\t") + 1);
  for (size_t r = 0; r < study.records.size(); r += 8) {
    for (const std::string& column : study.records[r])
      text += column + (&column == &study.records[r].back() ? "\n" : "\t");
  }
  Write("few.vcf", text);
  EXPECT_THAT(Impute({"--target", in_ / "few.vcf"}).err,
              HasSubstr("only 4 typed sites for 120 panel markers (1.7 per Mb)"));
  EXPECT_THAT(RunProgram({"check", "--ref", panel_path_, "--target", in_ / "few.vcf"}).out,
              HasSubstr("only 1.7 sites per Mb match the panel"));
}

}  // namespace
}  // namespace haplospin
