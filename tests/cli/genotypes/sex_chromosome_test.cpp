// Chromosome X in one file: diploid in its pseudo-autosomal regions, haploid in men outside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/impute_files.h"
#include "genotypes/genomics/sites/ploidy_regions.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// In bp of the panel, whose markers are from 20,000 to 2,400,000.
constexpr int64_t kPar1End = 800000, kPar2Begin = 1600001;

bool IsPar(int64_t position) { return position <= kPar1End || position >= kPar2Begin; }
bool IsMan(size_t sample) { return sample % 2 == 1; }

// kMerged: as plink2 --merge-par --export vcf writes them; men's homozygotes have one allele in the regions, too.
enum class Men { kHaploid, kHomozygous, kHalfMissing, kAsTheyAre, kMerged };

class SexChromosomeTest : public ImputeFiles {
 protected:
  using Filter = std::function<bool(int64_t position)>;

  // The records that `keep` keeps; the genotypes of men outside the regions are as `men` says.
  static std::string TextOf(const VcfText& vcf, Men men, const Filter& keep) {
    return WithGenotypes(vcf, [&](size_t sample, int64_t position, const std::string& genotype) {
      if (!keep(position)) return std::string();
      const std::string allele = genotype.substr(0, 1);
      const bool is_short = men == Men::kMerged && genotype[0] == genotype[2];
      if (!IsMan(sample) || (IsPar(position) && !is_short) || men == Men::kAsTheyAre) return genotype;
      return men == Men::kHaploid || men == Men::kMerged ? allele
             : men == Men::kHomozygous                   ? allele + "|" + allele
                                                         : "./" + allele;
    });
  }

  static bool All(int64_t) { return true; }

  // --ref, --target and --par with the records that `keep` keeps.
  std::vector<std::string> Files(const std::string& name, Men men, const Filter& keep) const {
    return {"--ref",    Write(name + ".panel.vcf", TextOf(PanelVcf("X"), Men::kHaploid, keep)),
            "--target", Write(name + ".study.vcf", TextOf(StudyVcf("X"), men, keep)),
            "--par",    par_};
  }

  static std::vector<std::string> With(std::vector<std::string> options, const std::vector<std::string>& further) {
    options.insert(options.end(), further.begin(), further.end());
    return options;
  }

  const std::string par_ = Write("par.txt", "# contig first last\nX 0 800000\nX 1600001 2400000\n");
  const std::string fam_ = Write("s.fam", "f S0 0 0 2 -9\nf S1 0 0 1 -9\nf S2 0 0 0 -9\n");
};

TEST_F(SexChromosomeTest, IsImputedAsItsPartsAre) {
  const auto whole = VcfLines(ImputedText(Files("whole", Men::kHaploid, All))).records;
  std::vector<std::vector<std::string>> parts;
  const Filter filters[] = {[](int64_t p) { return p <= kPar1End; }, [](int64_t p) { return !IsPar(p); },
                            [](int64_t p) { return p >= kPar2Begin; }};
  for (size_t i = 0; i < 3; ++i) {
    const auto part = VcfLines(ImputedText(Files("part" + std::to_string(i), Men::kHaploid, filters[i]))).records;
    parts.insert(parts.end(), part.begin(), part.end());
  }
  EXPECT_EQ(whole, parts);
  ASSERT_EQ(whole.size(), 120u);
  for (const auto& record : whole) {
    const bool is_par = IsPar(std::stoll(record[kPos]));
    EXPECT_EQ(Field(record, 1, "GT").size(), is_par ? 3u : 1u);
    EXPECT_EQ(Field(record, 0, "GT").size(), 3u);
  }
}

TEST_F(SexChromosomeTest, MenMayBeWrittenAsHomozygous) {
  const auto haploid = VcfLines(ImputedText(Files("haploid", Men::kHaploid, All))).records;
  EXPECT_EQ(VcfLines(ImputedText(With(Files("homozygous", Men::kHomozygous, All), {"--sex", fam_}))).records, haploid);
  // Without their sex they are two equal haplotypes.
  for (const auto& record : VcfLines(ImputedText(Files("homozygous", Men::kHomozygous, All))).records) {
    const std::string genotype = Field(record, 1, "GT");
    ASSERT_EQ(genotype.size(), 3u);
    EXPECT_TRUE(IsPar(std::stoll(record[kPos])) || genotype[0] == genotype[2]);
  }
  const ProgramResult result = Impute(With(Files("as-they-are", Men::kAsTheyAre, All), {"--sex", fam_}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("heterozygous genotypes of males outside the pseudo-autosomal regions"));
}

// The .fam of --pedigree has a column of sex, too. That of --sex goes before it.
TEST_F(SexChromosomeTest, APedigreeTellsTheSexes) {
  const auto files = Files("homozygous", Men::kHomozygous, All);
  const auto ploidies = [&](const std::vector<std::string>& options) {
    std::set<size_t> found;
    for (const auto& record : VcfLines(ImputedText(With(files, options))).records) {
      if (!IsPar(std::stoll(record[kPos]))) found.insert(Field(record, 1, "GT").size());
    }
    return found;
  };
  EXPECT_EQ(ploidies({"--pedigree", fam_}), std::set<size_t>{1});
  EXPECT_EQ(ploidies({"--pedigree", Write("unknown.fam", "f S0 0 0 0\nf S1 0 0 0\n")}), std::set<size_t>{3});
  const std::string women = Write("women.fam", "f S0 0 0 2 -9\nf S1 0 0 2 -9\n");
  EXPECT_EQ(ploidies({"--pedigree", fam_, "--sex", women}), std::set<size_t>{3});
  EXPECT_THAT(Impute(With(files, {"--pedigree", fam_})).err, HasSubstr("its column of sex tells who is male"));
  EXPECT_THAT(Impute(With(files, {"--pedigree", women})).err, testing::Not(HasSubstr("none of its samples is a male")));
  // A son of S0 and S2 who has an allele of neither's.
  const std::string trio = Write("trio.fam", "f S1 S2 S0 0 -9\n");
  EXPECT_THAT(RunProgram({"phase", "--ref", files[1], "--target", files[3], "--par", par_, "--pedigree", trio, "--out",
                          out_ / "trio.vcf"})
                  .err,
              testing::AnyOf(HasSubstr("where nothing tells who is male"), HasSubstr("is not the child of")));
}

TEST_F(SexChromosomeTest, MenMayHaveOneAlleleWhereTheyAreHomozygousInTheRegions) {
  const auto expected = VcfLines(ImputedText(Files("haploid", Men::kHaploid, All))).records;
  const std::vector<std::string> files = Files("merged", Men::kMerged, All);
  EXPECT_EQ(VcfLines(ImputedText(files)).records, expected);
  EXPECT_THAT(Impute(files).err,
              HasSubstr("of one allele in the pseudo-autosomal regions of X are read as homozygous"));
  std::vector<std::string> merged_panel = files, haploid_study = files;
  merged_panel[1] = Write("both.panel.vcf", TextOf(PanelVcf("X"), Men::kMerged, All));
  EXPECT_EQ(VcfLines(ImputedText(merged_panel)).records, expected);
  std::vector<std::string> check = files;
  check.insert(check.begin(), "check");
  EXPECT_THAT(RunProgram(check).out, HasSubstr("of one allele in the pseudo-autosomal regions of X"));
  // A study of haploid samples stays one.
  const std::string all_haploid =
      WithGenotypes(StudyVcf("X"), [](size_t, int64_t, const std::string& genotype) { return genotype.substr(0, 1); });
  haploid_study[3] = Write("all.vcf", all_haploid);
  const auto haploid = VcfLines(ImputedText(haploid_study)).records;
  EXPECT_TRUE(std::ranges::all_of(haploid, [](const auto& record) { return Field(record, 0, "GT").size() == 1; }));
}

TEST_F(SexChromosomeTest, WomenOfOneAlleleAreSaid) {
  std::vector<std::string> files = Files("haploid", Men::kHaploid, All);
  EXPECT_THAT(Impute(With(files, {"--sex", fam_})).err, testing::Not(HasSubstr("one allele on X")));
  files[3] = Write("all.vcf", WithGenotypes(StudyVcf("X"), [](size_t, int64_t, const std::string& genotype) {
                     return genotype.substr(0, 1);
                   }));
  files = With(files, {"--sex", fam_});
  EXPECT_THAT(Impute(files).err, AllOf(HasSubstr("1 female has one allele on X outside its pseudo-autosomal regions"),
                                       HasSubstr("haplospin check --sex")));
  files.insert(files.begin(), "check");
  EXPECT_THAT(RunProgram(files).out, HasSubstr("1 female has one allele on X"));
}

TEST_F(SexChromosomeTest, DosagesOfMenMayBeFromZeroToTwo) {
  const std::vector<std::string> files = Files("haploid", Men::kHaploid, All);
  const auto haploid = VcfLines(ImputedText(files)).records;
  const auto diploid = VcfLines(ImputedText(With(files, {"--male-dosage", "diploid"}))).records;
  ASSERT_EQ(diploid.size(), haploid.size());
  for (size_t r = 0; r < haploid.size(); ++r) {
    const bool is_par = IsPar(std::stoll(haploid[r][kPos]));
    for (size_t s = 0; s < 3; ++s) {
      const std::string genotype = Field(diploid[r], s, "GT");
      const double dosage = std::stod(Field(haploid[r], s, "DS"));
      ASSERT_EQ(genotype.size(), 3u);
      if (!is_par && IsMan(s)) {
        EXPECT_EQ(genotype[0], genotype[2]);
        EXPECT_NEAR(std::stod(Field(diploid[r], s, "DS")), 2 * dosage, 2e-3);
      } else {
        EXPECT_EQ(diploid[r][kFirstSample + s], haploid[r][kFirstSample + s]);
      }
    }
  }
}

TEST_F(SexChromosomeTest, MenMayHaveOneAlleleOfTwo) {
  const auto haploid = VcfLines(ImputedText(Files("haploid", Men::kHaploid, All))).records;
  const auto half_missing = With(Files("half-missing", Men::kHalfMissing, All), {"--sex", fam_});
  EXPECT_EQ(VcfLines(ImputedText(half_missing)).records, haploid);
  EXPECT_THAT(Impute(half_missing).err, testing::Not(HasSubstr("heterozygous genotypes of males")));
}

TEST_F(SexChromosomeTest, NamesOfMenMayBeginWithTheirFamily) {
  const std::vector<std::string> files = Files("homozygous", Men::kHomozygous, All);
  const auto expected = VcfLines(ImputedText(With(files, {"--sex", fam_}))).records;
  const std::string fam = Write("split.fam", "S 1 0 0 1 -9\n");
  std::string text = TextOf(StudyVcf("X"), Men::kHomozygous, All);
  text.replace(text.find("\tS1\t"), 4, "\tS_1\t");
  Write("homozygous.study.vcf", text);
  EXPECT_EQ(VcfLines(ImputedText(With(files, {"--sex", fam}))).records, expected);
  EXPECT_THAT(Impute(With(files, {"--sex", Write("other.fam", "f S9 0 0 1 -9\n")})).err,
              HasSubstr("none of its samples is a male of --sex"));
}

TEST_F(SexChromosomeTest, RegionsOfIt) {
  const auto whole = VcfLines(ImputedText(Files("whole", Men::kHaploid, All))).records;
  for (const auto& [region, first, last] :
       {std::tuple("X:1000000-1400000", 1000000, 1400000), std::tuple("X:700000-1700000", 700000, 1700000),
        std::tuple("X:1800000-", 1800000, 2400000)}) {
    std::vector<std::vector<std::string>> expected;
    for (const auto& record : whole) {
      if (first <= std::stoll(record[kPos]) && std::stoll(record[kPos]) <= last) expected.push_back(record);
    }
    EXPECT_EQ(VcfLines(ImputedText(With(Files("whole", Men::kHaploid, All), {"--region", region}))).records, expected);
  }
}

TEST_F(SexChromosomeTest, ASiteOfTheStudyMustBeInThePanel) {
  std::vector<std::string> files = Files("whole", Men::kHaploid, All);
  files[1] = Write("other.vcf", TextOf(PanelVcf("X"), Men::kHaploid, [](int64_t p) { return p == 20000; }));
  files[3] = Write("study.vcf", TextOf(StudyVcf("X"), Men::kHaploid, [](int64_t p) { return p > 20000 && IsPar(p); }));
  ExpectUserError(files, {"no typed site is shared"});
}

// A study that has no site in a part, and a panel that has none.
TEST_F(SexChromosomeTest, PartsThatOneOfTheFilesLacks) {
  const auto whole = VcfLines(ImputedText(Files("whole", Men::kHaploid, All))).records;
  const auto outside = [](int64_t p) { return !IsPar(p); };
  std::vector<std::vector<std::string>> expected;
  for (const auto& record : whole) {
    if (outside(std::stoll(record[kPos]))) expected.push_back(record);
  }
  const auto lacking = [&](const std::string& option, const VcfText& vcf) {
    const std::string path = Write("lacking.vcf", TextOf(vcf, Men::kHaploid, outside));
    std::vector<std::string> files = Files("whole", Men::kHaploid, All);
    files[option == "--ref" ? 1 : 3] = path;
    const ProgramResult result = Impute(files);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(VcfLines(ReadFile(imputed_path_)).records, expected);
    return result.err;
  };
  EXPECT_THAT(lacking("--ref", PanelVcf("X")), HasSubstr("does not have them: contigs X:0-800000, X:1600001-2400000"));
  lacking("--target", StudyVcf("X"));
}

TEST_F(SexChromosomeTest, PhaseAndCheck) {
  std::vector<std::string> phase =
      With(Files("whole", Men::kHomozygous, All), {"--sex", fam_, "--out", out_ / "phased.vcf"});
  phase.insert(phase.begin(), "phase");
  EXPECT_EQ(RunProgram(phase).exit_code, 0);
  const VcfLines phased(ReadFile(out_ / "phased.vcf"));
  const VcfLines expected(TextOf(StudyVcf("X"), Men::kHaploid, All));
  ASSERT_EQ(phased.records.size(), expected.records.size());
  for (size_t r = 0; r < phased.records.size(); ++r) {
    for (size_t s = 0; s < 3; ++s) EXPECT_EQ(Field(phased.records[r], s, "GT"), Field(expected.records[r], s, "GT"));
  }

  std::vector<std::string> check =
      With(Files("whole", Men::kHomozygous, All), {"--sex", fam_, "--fix", out_ / "fixed.vcf"});
  check.insert(check.begin(), "check");
  const ProgramResult result = RunProgram(check);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 diploid, 0 haploid, 1 of both"));
  EXPECT_EQ(VcfLines(ReadFile(out_ / "fixed.vcf")).records.size(), typed_.size());
}

// The panel as a panel file; and masked, imputed and evaluated in one file.
TEST_F(SexChromosomeTest, EveryCommandReadsItWithPar) {
  std::vector<std::string> files = Files("whole", Men::kHaploid, All);
  const auto whole = VcfLines(ImputedText(files)).records;
  const std::string panel = files[1], panel_file = in_ / "panel.hsp";
  const auto run = [](std::vector<std::string> arguments) {
    const ProgramResult result = RunProgram(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  };
  run({"panel", "build", "--panel", panel, "--par", par_, "--out", panel_file});
  files[1] = panel_file;
  EXPECT_EQ(VcfLines(ImputedText(files)).records, whole);
  EXPECT_EQ(VcfLines(ImputedText(With(files, {"--region", "X:700000-1700000"}))).records,
            VcfLines(ImputedText(With(Files("whole", Men::kHaploid, All), {"--region", "X:700000-1700000"}))).records);
  run({"panel", "view", "--panel", panel_file, "--out", out_ / "view.vcf"});
  const VcfLines viewed(ReadFile(out_ / "view.vcf")), built(ReadFile(panel));
  ASSERT_EQ(viewed.records.size(), built.records.size());
  for (size_t r = 0; r < built.records.size(); ++r)
    EXPECT_EQ(Field(viewed.records[r], 1, "GT"), Field(built.records[r], 1, "GT"));

  files.resize(4);
  EXPECT_THAT(Impute(files).err, AllOf(HasSubstr("panel.hsp: ploidy changes at X:"),
                                       HasSubstr("give the --par that the file was built with")));

  for (const std::string& source : {panel, panel_file}) {
    run({"mask", "--panel", source, "--par", par_, "--samples", "2", "--thin", "0.3", "--output-type", "v", "--out",
         out_ / "set"});
    run({"impute", "--ref", out_ / "set.ref.vcf", "--target", out_ / "set.target.vcf", "--par", par_, "--out",
         out_ / "set.imputed.vcf"});
    const std::vector<std::string> evaluate = {
        "evaluate",           "--truth", out_ / "set.truth.vcf", "--imputed", out_ / "set.imputed.vcf", "--ref",
        out_ / "set.ref.vcf", "--phase"};
    run(With(evaluate, {"--par", par_}));
    EXPECT_THAT(RunProgram(evaluate).err, HasSubstr("give --par with the genome build"));
  }
  EXPECT_THAT(RunProgram({"panel", "build", "--panel", panel, "--out", out_ / "none.hsp"}).err,
              HasSubstr("give --par with the genome build"));
}

// As of cattle.
TEST_F(SexChromosomeTest, AnAutosome23IsNotX) {
  const std::string study = Write("23.vcf", StudyVcf("23").text());
  const std::vector<std::string> files{"--ref", Write("panel.vcf", PanelVcf("23").text()), "--target", study};
  const ProgramResult result = Impute(With(files, {"--sex", fam_}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, testing::Not(HasSubstr("heterozygous genotypes of males")));
  const auto records = VcfLines(ReadFile(imputed_path_)).records;
  EXPECT_EQ(records, VcfLines(ImputedText(files)).records);
  std::vector<std::string> check = With(files, {"--sex", fam_});
  check.insert(check.begin(), "check");
  EXPECT_THAT(RunProgram(check).out, HasSubstr("3 diploid, 0 haploid, 0 of both"));

  const std::string human = Write("human.vcf", PanelVcf("X").text());
  EXPECT_THAT(Impute({"--ref", human, "--target", study, "--sex", fam_}).err,
              HasSubstr("heterozygous genotypes of males"));
}

TEST_F(SexChromosomeTest, WithoutTheBuildPloidyMustNotChange) {
  std::vector<std::string> files = Files("whole", Men::kHaploid, All);
  files.resize(4);
  ExpectUserError(files, {"give --par with the genome build"});
  files = Files("whole", Men::kHaploid, All);
  files[5] = Write("bad.txt", "X 300000 1\n");
  ExpectUserError(files, {"bad.txt: line 1: the last position is before the first"});
}

}  // namespace
}  // namespace haplospin
