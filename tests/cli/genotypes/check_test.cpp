// haplospin check as a user runs it: golden/panel.vcf against a study with known errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/golden.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Columns(const std::string& line) {
  std::vector<std::string> columns;
  std::istringstream text(line);
  for (std::string column; std::getline(text, column, '\t');) columns.push_back(column);
  return columns;
}

std::string Line(const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& column : columns) line += (line.empty() ? "" : "\t") + column;
  return line + "\n";
}

std::string Complement(const std::string& base) {
  return std::string(1, std::string("TGCA")[std::string("ACGT").find(base)]);
}

class CheckCommandTest : public testing::Test {
 protected:
  // The panel's own genotypes; of its sites one is swapped, one on the other strand, one repeated, one with a genotype
  // missing, and contig 20 is chr20.
  CheckCommandTest() {
    std::istringstream panel(Contents("panel.vcf"));
    std::string study;
    size_t site = 0;
    for (std::string line; std::getline(panel, line);) {
      if (line.starts_with("#")) {
        study += line.starts_with("##contig=<ID=20") ? "##contig=<ID=chr20,length=64444167>\n" : line + "\n";
        continue;
      }
      std::vector<std::string> columns = Columns(line);
      columns[0] = "chr" + columns[0];
      if (site == 1) {
        std::swap(columns[3], columns[4]);
        for (size_t s = 9; s < columns.size(); ++s) {
          for (char& c : columns[s]) c = c == '0' ? '1' : c == '1' ? '0' : c;
        }
      } else if (site == 2) {
        columns[3] = Complement(columns[3]);
        columns[4] = Complement(columns[4]);
      } else if (site == 3) {
        study += Line(columns);
      } else if (site == 4) {
        columns[9] = ".|.";
      }
      study += Line(columns);
      ++site;
    }
    study_ = WriteText("study.vcf", study);
  }

  ProgramResult Check(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "check");
    return RunProgram(arguments);
  }

  nlohmann::json Json(const std::string& study) const {
    const ProgramResult result = Check({"--ref", "panel.vcf", "--target", study, "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  void ExpectUserError(const std::vector<std::string>& arguments, const std::string& message) {
    ExpectRefused(Check(arguments), {message});
    EXPECT_EQ(folder_.NumFiles(), num_files_) << message;
  }

  std::string WriteText(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    ++num_files_;
    return folder_ / name;
  }

  const GoldenFolder golden_;
  TemporaryFolder folder_;
  size_t num_files_ = 0;
  std::string study_;
};

TEST_F(CheckCommandTest, ReportsWhatIsWrongAndWhatToDo) {
  const ProgramResult result = Check({"--ref", "panel.vcf", "--target", study_, "--arrays", "array.txt"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("study GRCh38, panel GRCh38; positions agree"), HasSubstr("28 diploid, 0 haploid"),
                    HasSubstr("none of the lists matches the study"), HasSubstr("To fix\n"),
                    HasSubstr("  - contigs have other names in the panel: chr20 is 20\n"),
                    HasSubstr("  - 1 site has REF and ALT swapped; first: chr20:1250 T>C, panel has C>T\n"
                              "    --fix exchanges them and recodes the genotypes\n"),
                    HasSubstr("  - 1 site is on the other strand; first: chr20:1500 G>A, panel has C>T\n"),
                    HasSubstr("  - 1 site is a duplicate"), HasSubstr("; most: R1 "),
                    testing::EndsWith("\nVerdict: impute the copy that --fix writes\n")));
}

TEST_F(CheckCommandTest, ARowForMultiqc) {
  ASSERT_EQ(Check({"--ref", "panel.vcf", "--target", study_, "--multiqc", folder_ / "study.chr20"}).exit_code, 0);
  const auto section = nlohmann::json::parse(Contents(folder_ / "study.chr20.check_mqc.json"));
  const auto& row = section["data"]["study.chr20"];
  const nlohmann::json json = Json(study_);
  EXPECT_EQ(row["samples"], json["study"]["samples"]);
  EXPECT_EQ(row["sites"], json["sites"]["total"]);
  EXPECT_EQ(row["to_fix"], 2);
  EXPECT_EQ(row["verdict"], json["verdict"]["text"]);
  EXPECT_EQ(row.size(), section["headers"].size());
}

TEST_F(CheckCommandTest, SitesThatAreNotThePanels) {
  const std::string sites = folder_ / "sites.tsv";
  ASSERT_EQ(Check({"--ref", "panel.vcf", "--target", study_, "--sites", sites}).exit_code, 0);
  const std::string text = Contents(sites);
  EXPECT_THAT(text, testing::StartsWith("contig\tposition\tid\tref\talt\taction\treason\n"));
  EXPECT_THAT(text, HasSubstr("chr20\t1250\t"));
  EXPECT_THAT(text, HasSubstr("\tT\tC\tchanged\tREF and ALT are swapped"));
  EXPECT_THAT(text, HasSubstr("\tG\tA\tchanged\talleles of the other strand: complemented"));
  EXPECT_THAT(text, HasSubstr("\tdropped\trepeats another site\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  ++num_files_;
  ExpectUserError({"--target", study_, "--sites", folder_ / "x.tsv"}, "check: --sites needs --ref");
}

TEST_F(CheckCommandTest, OneContig) {
  std::string both = Contents(study_);
  both += "chr7\t100" + both.substr(both.rfind("\trs", both.size()));
  const std::string study = WriteText("both.vcf", both), fixed = folder_ / "fixed.vcf", alone = folder_ / "alone.vcf";
  const ProgramResult result =
      Check({"--ref", "panel.vcf", "--target", study, "--contig", "20", "--json", "-", "--fix", fixed});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out), expected = Json(study_);
  EXPECT_EQ(json["sites"], expected["sites"]);
  EXPECT_EQ(json["contigs"], expected["contigs"]);
  EXPECT_EQ(json["findings"], expected["findings"]);
  ASSERT_EQ(Check({"--ref", "panel.vcf", "--target", study_, "--fix", alone}).exit_code, 0);
  EXPECT_EQ(Contents(fixed), Contents(alone));
  num_files_ += 2;
  ExpectUserError({"--ref", "panel.vcf", "--target", study, "--contig", "8"}, "no records of contig 8");
}

TEST_F(CheckCommandTest, MendedStudyIsThePanelsAgain) {
  const std::string fixed = folder_ / "fixed.vcf";
  ASSERT_EQ(Check({"--ref", "panel.vcf", "--target", study_, "--fix", fixed}).exit_code, 0);
  const nlohmann::json before = Json(study_), after = Json(fixed);
  EXPECT_EQ(before["sites"]["swapped"], 1);
  EXPECT_EQ(before["sites"]["strand_flipped"], 1);
  EXPECT_EQ(before["sites"]["duplicate"], 1);
  for (const char* fault :
       {"swapped", "strand_flipped", "strand_flipped_and_swapped", "duplicate", "ambiguous_undecided"}) {
    EXPECT_EQ(after["sites"][fault], 0) << fault;
  }
  EXPECT_EQ(after["sites"]["total"], after["sites"]["same"]);
  EXPECT_EQ(after["sites"]["total"], before["sites"]["total"].get<int>() - 1);
  EXPECT_EQ(after["contigs"][0]["name"], "20");
  EXPECT_EQ(after["per_sample"][0]["missing"], 2);
  ASSERT_EQ(after["findings"].size(), 1u);
  EXPECT_EQ(after["findings"][0]["what"], "1 sample has more than 5 % missing genotypes");

  // But for the missing genotype, the columns up to ALT and the genotypes are the panel's.
  const auto records = [](const std::string& text) {
    std::vector<std::string> kept;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#")) continue;
      std::vector<std::string> columns = Columns(line);
      columns.erase(columns.begin() + 5, columns.begin() + 8);
      if (kept.size() == 4) columns[6] = ".|.";
      kept.push_back(Line(columns));
    }
    return kept;
  };
  EXPECT_EQ(records(Contents(fixed)), records(Contents("panel.vcf")));
}

// Ten samples are too few to tell the strand of A/T and C/G sites.
TEST_F(CheckCommandTest, SitesOfUnknownStrandAreRemovedOrKept) {
  std::string panel, study;
  size_t sites = 0, ambiguous = 0;
  std::istringstream lines(Contents("panel.vcf"));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> columns = Columns(line);
    if (!line.starts_with("#") && ++sites % 3 == 0 && columns[3].size() == 1) {
      columns[4] = Complement(columns[3]);
      ++ambiguous;
    }
    panel += Line(columns);
    if (columns.size() > 19) columns.resize(19);
    study += Line(columns);
  }
  ASSERT_GT(ambiguous, 0u);
  const std::vector<std::string> files = {"--ref", WriteText("panel.vcf", panel), "--target",
                                          WriteText("few.vcf", study)};
  const auto fixed_sites = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = files;
    arguments.insert(arguments.end(), {"--fix", folder_ / "fixed.vcf"});
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(Check(arguments).exit_code, 0);
    std::istringstream fixed(Contents(folder_ / "fixed.vcf"));
    size_t records = 0;
    for (std::string line; std::getline(fixed, line);) records += !line.starts_with("#");
    return records;
  };
  EXPECT_EQ(fixed_sites({}), sites - ambiguous);
  EXPECT_EQ(fixed_sites({"--keep-ambiguous"}), sites);
  EXPECT_THAT(Check({"--ref", "panel.vcf", "--target", study_, "--keep-ambiguous"}).err,
              HasSubstr("--keep-ambiguous needs --fix"));
}

// Strands are corrected before phasing.
TEST_F(CheckCommandTest, AnUnphasedStudyIsFixedUnphased) {
  std::string unphased = Contents(study_);
  std::ranges::replace(unphased, '|', '/');
  const std::string fixed = folder_ / "fixed.vcf";
  const ProgramResult result =
      Check({"--ref", "panel.vcf", "--target", WriteText("unphased.vcf", unphased), "--fix", fixed});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("genotypes are not phased"), HasSubstr("1 site has REF and ALT swapped")));
  ASSERT_EQ(Check({"--ref", "panel.vcf", "--target", study_, "--fix", folder_ / "phased.vcf"}).exit_code, 0);
  std::string expected = Contents(folder_ / "phased.vcf");
  for (const std::string heterozygote : {"0|1", "1|0"}) {  // of homozygotes the phase is known
    for (size_t at = 0; (at = expected.find(heterozygote, at)) != std::string::npos;) expected[at + 1] = '/';
  }
  EXPECT_EQ(Contents(fixed), expected);
}

// "|" without PS would be one set, so that the phase between the sets would be made up.
TEST_F(CheckCommandTest, PhaseSetsAreKept) {
  std::istringstream lines(Contents(study_));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#CHROM")) text += "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set\">\n";
    if (line.starts_with("#")) {
      text += line + "\n";
      continue;
    }
    std::vector<std::string> columns = Columns(line);
    columns[8] = "GT:PS";
    for (size_t s = 9; s < columns.size(); ++s) columns[s] += ":" + columns[1].substr(0, 1) + std::to_string(s);
    text += Line(columns);
  }
  const std::string study = WriteText("sets.vcf", text);
  const ProgramResult result = Check({"--ref", "panel.vcf", "--target", study, "--fix", folder_ / "fixed.vcf"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("phased in sets (PS)"));
  std::istringstream fixed(Contents(folder_ / "fixed.vcf"));
  size_t heterozygotes = 0;
  for (std::string line; std::getline(fixed, line);) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> columns = Columns(line);
    for (size_t s = 9; s < columns.size(); ++s) {
      if (columns[s].front() == columns[s][2] || columns[s].find('.') < 3) continue;
      EXPECT_EQ(columns[s].substr(3), ":" + columns[1].substr(0, 1) + std::to_string(s)) << line;
      ++heterozygotes;
    }
  }
  EXPECT_GT(heterozygotes, 5u);
  EXPECT_THAT(Contents(folder_ / "fixed.vcf"), HasSubstr("##FORMAT=<ID=PS,Number=1,Type=Integer"));
}

TEST_F(CheckCommandTest, ThePanelFitsItself) {
  EXPECT_THAT(Check({"--ref", "panel.vcf", "--target", "panel.vcf"}).out,
              HasSubstr("Nothing to fix\n\nVerdict: ready to impute\n"));
}

// The calls of single reads are those of another population, but their likelihoods say how little they tell.
TEST_F(CheckCommandTest, CallsOfFewReadsAreNotJudged) {
  const auto study = [&](const std::string& homozygote) {
    const std::string text = Contents("panel.vcf");
    std::string changed = text.substr(0, text.find("#CHROM")) +
                          "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"likelihoods\">\n" +
                          text.substr(text.find("#CHROM"));
    for (const auto& [from, to] : {std::pair{"\tGT\t", std::string("\tGT:PL\t")},
                                   {"0|0", "0/0:" + homozygote},
                                   {"0|1", "0/0:" + homozygote},
                                   {"1|0", "./.:0,0,0"},
                                   {"1|1", "1/1:400,60,0"}}) {
      for (size_t at = changed.find("#CHROM"); (at = changed.find(from, at)) != std::string::npos; at += to.size()) {
        changed.replace(at, std::string_view(from).size(), to);
      }
    }
    const std::string path = folder_ / "reads.vcf";
    std::ofstream(path) << changed;
    return path;
  };
  const std::string few = Check({"--ref", "panel.vcf", "--target", study("0,3,40")}).out;
  EXPECT_THAT(few, HasSubstr("% of the genotypes are uncertain by their PL: they were called from few reads"));
  EXPECT_THAT(few, HasSubstr("'haplospin impute --likelihoods PL' uses what the reads tell"));
  for (const char* judged : {"another population", "allele frequency than", "% missing genotypes"}) {
    EXPECT_THAT(few, Not(HasSubstr(judged)));
  }
  EXPECT_THAT(Check({"--ref", "panel.vcf", "--target", study("0,60,400")}).out, Not(HasSubstr("few reads")));
}

TEST_F(CheckCommandTest, StudyFromStandardInput) {
  const ProgramResult result = RunProgram({"check", "--ref", "panel.vcf", "--target", "-"}, Contents(study_));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 site has REF and ALT swapped"));
}

TEST_F(CheckCommandTest, PageNeedsNothingBesideIt) {
  const std::string page = folder_ / "a&b<c>.html";
  ASSERT_EQ(Check({"--ref", "panel.vcf", "--target", study_, "--html", page}).exit_code, 0);
  const std::string html = Contents(page);
  EXPECT_THAT(html, AllOf(testing::StartsWith("<!DOCTYPE html>"), HasSubstr("T&gt;C, panel has C&gt;T"),
                          HasSubstr("<svg"), testing::EndsWith("</body></html>\n")));
  EXPECT_THAT(html,
              AllOf(Not(HasSubstr("T>C")), Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("src="))));
  EXPECT_LT(html.size(), 100000u);
}

TEST_F(CheckCommandTest, AStudyThatSharesNothingIsReported) {
  const std::string header = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n";
  const std::string other = WriteText("other.vcf", header + "7\t1000\t.\tA\tC\t.\t.\t.\tGT\t0|1\n");
  const ProgramResult result = Check({"--ref", "panel.vcf", "--target", other});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, AllOf(HasSubstr("study and panel have no position in common"),
                                HasSubstr("contigs not in the panel: 7 (it has 20)"),
                                testing::EndsWith("Verdict: do not impute this study: no site is within the panel\n")));
  EXPECT_EQ(result.err, "haplospin: error: " + other + ": do not impute this study: no site is within the panel\n");
}

// The positions of another genome build: every tenth is one of the panel's by chance, with other alleles for most.
TEST_F(CheckCommandTest, AStudyOfAnotherBuildIsRefused) {
  std::istringstream panel(Contents("panel.vcf"));
  std::string study;
  size_t site = 0;
  for (std::string line; std::getline(panel, line);) {
    if (line.starts_with("#")) {
      study += line + "\n";
      continue;
    }
    std::vector<std::string> columns = Columns(line);
    if (site++ % 20 != 0) columns[1] = std::to_string(std::stoll(columns[1]) + 7);
    study += Line(columns);
  }
  const std::string shifted = WriteText("shifted.vcf", study), fixed = folder_ / "fixed.vcf";
  const ProgramResult result = Check({"--ref", "panel.vcf", "--target", shifted, "--fix", fixed});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, testing::ContainsRegex("Verdict: do not impute this study: only [0-9]+ of the [0-9]+ sites "
                                                 "within the panel match it "));
  EXPECT_THAT(result.err, HasSubstr("; --fix writes no copy of it\n"));
  EXPECT_EQ(folder_.NumFiles(), num_files_);
  EXPECT_EQ(Check({"--ref", "panel.vcf", "--target", shifted, "--fix", fixed, "--min-ratio", "0"}).exit_code, 0);
  EXPECT_EQ(folder_.NumFiles(), num_files_ + 1);
}

// As impute refuses it: the first site of the panel, and one near its end that the panel does not have.
TEST_F(CheckCommandTest, AStudyOfASmallPartOfThePanelIsRefused) {
  std::string text = Contents("panel.vcf");
  const size_t first = text.find("\n20\t") + 1;
  std::vector<std::string> last = Columns(text.substr(text.rfind('\n', text.size() - 2) + 1));
  last[1] = std::to_string(std::stoll(last[1]) - 1);
  text.resize(text.find('\n', first) + 1);
  text += Line(last);
  const std::string part = WriteText("part.vcf", text);
  const ProgramResult result = Check({"--ref", "panel.vcf", "--target", part});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("Verdict: do not impute this study: its sites in the panel span only 0.031 % of "
                                    "the panel's contig 20; impute --region 20:1000-1000\n"));
  EXPECT_EQ(RunProgram({"impute", "--ref", "panel.vcf", "--target", part, "--out", folder_ / "x.vcf"}).exit_code, 2);
  EXPECT_EQ(Check({"--ref", "panel.vcf", "--target", part, "--min-ratio", "0"}).exit_code, 0);
}

TEST_F(CheckCommandTest, AStudyWithoutGenotypesIsRefused) {
  std::string missing = Contents("panel.vcf");
  for (const std::string genotype : {"0|0", "0|1", "1|0", "1|1"}) {
    for (size_t at = 0; (at = missing.find(genotype, at)) != std::string::npos;) missing.replace(at, 3, ".|.");
  }
  const ProgramResult result = Check({"--ref", "panel.vcf", "--target", WriteText("missing.vcf", missing)});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("Verdict: do not impute this study: all its genotypes are missing"));
}

TEST_F(CheckCommandTest, AStudyAloneIsNotComparedWithAPanel) {
  const ProgramResult result = Check({"--target", study_, "--html", folder_ / "check.html"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("panel         none\n"), HasSubstr("28 diploid, 0 haploid"),
            HasSubstr("  - 1 site is a duplicate"), HasSubstr("; most: R1 "), Not(HasSubstr("swapped")),
            Not(HasSubstr("not in the panel")), Not(HasSubstr("Allele frequencies")),
            testing::EndsWith("\nVerdict: not compared with a panel: check the study again with --ref before "
                              "imputation or, if there is none, let 'haplospin impute' without --ref impute the "
                              "0.2 % of its alleles that are missing from its other samples\n")));
  EXPECT_THAT(Contents(folder_ / "check.html"), Not(HasSubstr("Allele frequenc")));
  const nlohmann::json json = nlohmann::json::parse(Check({"--target", study_, "--json", "-"}).out);
  EXPECT_TRUE(json["panel"].is_null());
  EXPECT_EQ(json["verdict"]["code"], "not_compared");
  EXPECT_EQ(json["sites"]["duplicate"], 1);
  EXPECT_FALSE(json["sites"].contains("swapped"));
  EXPECT_EQ(json["sites"]["total"], Json(study_)["sites"]["total"]);
  EXPECT_EQ(json["sites"]["monomorphic"], Json(study_)["sites"]["monomorphic"]);
}

TEST_F(CheckCommandTest, BadInputIsNamed) {
  ExpectUserError({"--target", study_, "--fix", folder_ / "x.vcf"}, "check: --fix needs --ref");
  ExpectUserError({"--target", study_, "--min-ratio", "0.5"}, "check: --min-ratio needs --ref");
  ExpectUserError({"--ref", "panel.vcf"}, "check: --target is missing");
  ExpectUserError({"--ref", "absent.vcf", "--target", study_}, "absent.vcf: cannot open");
  ExpectUserError({"--ref", "panel.vcf", "--target", "array.txt"}, "array.txt: not a VCF or BCF file");
  ExpectUserError({"--ref", "panel.vcf", "--target", study_, "--arrays", "absent.txt"}, "absent.txt: cannot open");
  ExpectUserError({"--ref", "-", "--target", study_}, "-: is read twice, so it cannot be standard input or a pipe");
  ExpectUserError({"--ref", "panel.vcf", "--target", "-", "--fix", folder_ / "x.vcf"},
                  "-: is read twice, so it cannot be standard input or a pipe");
  ExpectUserError({"--ref", "panel.vcf", "--target", study_, "--json", "-", "--html", "-"},
                  "two of --json, --html, --sites, --fix and --pedigree-out are '-'");
  ExpectUserError({"--ref", "panel.vcf", "--target", study_, "--json", folder_ / "no/such.json"}, "no/such.json");
  ExpectUserError({"--ref", "panel.vcf", "--target", study_, "--fix", folder_ / "no/such.vcf"}, "no/such.vcf");
  const std::string header = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n";
  const std::string empty = WriteText("empty.vcf", header);
  ExpectUserError({"--ref", "panel.vcf", "--target", empty}, "empty.vcf: no record");
}

}  // namespace
}  // namespace haplospin
