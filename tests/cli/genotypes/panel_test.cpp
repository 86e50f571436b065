// haplospin panel, as a user runs it, on the small files in golden/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "cli/golden.h"
#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/mosaic_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The records without INFO.
std::string Records(const std::string& vcf) {
  constexpr int kInfo = 7;
  std::istringstream lines(vcf);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("##")) continue;
    std::istringstream columns(line);
    std::string column;
    for (int c = 0; std::getline(columns, column, '\t'); ++c) {
      if (c != kInfo) text += column + '\t';
    }
    text += '\n';
  }
  return text;
}

// Without the line that contains the version.
std::string WithoutSource(std::string text) {
  const size_t begin = text.find("##source=");
  return text.erase(begin, text.find('\n', begin) + 1 - begin);
}

class PanelCommandTest : public testing::Test {
 protected:
  static ProgramResult Panel(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "panel");
    return RunProgram(arguments);
  }

  void Build() const {
    const ProgramResult result = Panel({"build", "--panel", "panel.vcf", "--out", file_});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("haplospin: " + file_ + ": 14 markers of 28 samples, "));
  }

  // Expects exit code 2, one line that contains `message`, and no output.
  void ExpectUserError(const std::vector<std::string>& arguments, const std::string& message) const {
    const size_t num_files = folder_.NumFiles();
    ExpectRefused(Panel(arguments), {message});
    EXPECT_EQ(folder_.NumFiles(), num_files) << message;
  }

  const GoldenFolder golden_;
  const TemporaryFolder folder_;
  const std::string file_ = folder_ / "panel.hsp";
};

TEST_F(PanelCommandTest, BuildsToStandardOutput) {
  Build();
  const std::string piped = folder_ / "piped.hsp", errors = folder_ / "errors";
  for (const std::string out : {"-", "/dev/stdout"}) {
    const std::string command =
        ProgramPath() + " panel build --panel panel.vcf --out " + out + " 2> " + errors + " | cat > " + piped;
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_TRUE(Contents(piped) == Contents(file_)) << out;
    EXPECT_THAT(Contents(errors), StartsWith("haplospin: " + out + ": 14 markers of 28 samples, "));
  }
}

TEST_F(PanelCommandTest, ViewGivesBackWhatWasBuilt) {
  Build();
  const ProgramResult result = Panel({"view", "--panel", file_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Records(result.out), Records(Contents("panel.vcf")));
  EXPECT_THAT(result.out, HasSubstr("##contig=<ID=20,length=64444167>\n"));
  ExpectGolden(WithoutSource(result.out), "panel_view.vcf");
}

// Files of earlier versions, which have END and SVLEN as numbers, are still panels, and cannot be adapted.
TEST_F(PanelCommandTest, ViewOfOlderFiles) {
  const std::string seeds = SourceFolder() + "/tests/fuzz/seeds/panel_file/";
  const ProgramResult symbolic = Panel({"view", "--panel", seeds + "version5.hsp"});
  EXPECT_EQ(symbolic.exit_code, 0) << symbolic.err;
  EXPECT_THAT(symbolic.out,
              HasSubstr("\t200\tdel\tG\t<DEL>\t.\tPASS\tAC=1;AN=6;END=700;SVLEN=-500\tGT\t0|0\t0|1\t0|0\n"));
  EXPECT_THAT(symbolic.out, HasSubstr("\t300\tins\tT\t<INS>\t.\tPASS\tAC=2;AN=6;SVLEN=44\tGT\t1|0\t0|1\t0|0\n"));
  const ProgramResult adapted = Panel({"view", "--panel", seeds + "version7.hsp"});
  EXPECT_EQ(Records(adapted.out), Records(Panel({"view", "--panel", seeds + "adapted.hsp"}).out));
  ExpectRefused(
      Panel({"adapt", "--panel", seeds + "version5.hsp", "--sites", seeds + "../lists/sites", "--out", file_}),
      {"panel file of version 5, to which nothing can be added"});
}

TEST_F(PanelCommandTest, ViewOfARegionInEveryType) {
  Build();
  const ProgramResult text = Panel({"view", "--panel", file_, "--region", "chr20:2250-3000"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(std::ranges::count(Records(text.out), '\n'), 5);  // the names of the columns, and four records
  for (const auto& [type, name, index] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"v", "a.vcf", ""}, {"z", "a.vcf.gz", ".tbi"}, {"u", "u.bcf", ""}, {"b", "b.bcf", ".csi"}}) {
    const std::string path = folder_ / name;
    ASSERT_EQ(Panel({"view", "--panel", file_, "-r", "20:2250-3000", "-o", path, "-O", type}).exit_code, 0) << type;
    EXPECT_TRUE(std::filesystem::exists(path + index)) << type;
    ASSERT_EQ(Panel({"build", "--panel", path, "--out", folder_ / "part.hsp"}).exit_code, 0) << type;
    EXPECT_EQ(Panel({"view", "--panel", folder_ / "part.hsp"}).out, text.out) << type;
  }
}

TEST_F(PanelCommandTest, BuildsOneContig) {
  std::string text = Contents("panel.vcf");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) text += "21" + line.substr(2) + "\n";
  }
  const std::string both = folder_ / "both.vcf", map = folder_ / "21.map";
  std::ofstream(both) << text;
  std::ofstream(map) << "21 . 0 1\n21 . 1 1000000\n";
  Build();
  ASSERT_EQ(Panel({"build", "--panel", both, "--contig", "chr20", "--out", folder_ / "20.hsp"}).exit_code, 0);
  EXPECT_EQ(Panel({"view", "--panel", folder_ / "20.hsp"}).out, Panel({"view", "--panel", file_}).out);
  const ProgramResult corrected = Panel({"build", "--panel", both, "--contig", "21", "--out", folder_ / "21.hsp",
                                         "--correct-phase", "--map", map, "--quiet"});
  EXPECT_EQ(corrected.err, "");
  EXPECT_THAT(Panel({"info", "--panel", folder_ / "21.hsp"}).out,
              testing::AllOf(HasSubstr("\nmarkers  14\n"), HasSubstr("\n21 ")));
  ExpectUserError({"build", "--panel", both, "--contig", "7", "--out", folder_ / "7.hsp"}, "no records of contig 7");
}

TEST_F(PanelCommandTest, InfoShowsWhatItHolds) {
  Build();
  const ProgramResult result = Panel({"info", "--panel", file_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("file     " + file_ + "\nversion  8\nbytes    "));
  EXPECT_THAT(result.out, HasSubstr("\nsamples  28\nmarkers  14\n"));
  EXPECT_THAT(result.out, testing::ContainsRegex("\n20 +1,000 +4,250 +56 +14 +[0-9.]+ % +1 +[0-9]+\n"));
}

TEST_F(PanelCommandTest, OtherCommandsTakeItAsThePanel) {
  Build();
  const auto masked = [&](const std::string& panel) {
    const ProgramResult result = RunProgram(
        {"mask", "--panel", panel, "--samples", "5", "--thin", "0.5", "--out", folder_ / "out", "--output-type", "v"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Contents(folder_ / "out.ref.vcf") + Contents(folder_ / "out.target.vcf");
  };
  EXPECT_EQ(masked(file_), masked("panel.vcf"));
  const auto imputed = [&](const std::string& panel) {
    const ProgramResult result = RunProgram({"impute", "--ref", panel, "--target", folder_ / "out.target.vcf", "--out",
                                             folder_ / "imputed.vcf", "--quiet"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Records(Contents(folder_ / "imputed.vcf"));
  };
  EXPECT_EQ(imputed(file_), imputed("panel.vcf"));
}

TEST_F(PanelCommandTest, RegionsCoverAContig) {
  Build();
  const ProgramResult one = Panel({"regions", "--panel", file_, "--contig", "chr20"});
  EXPECT_EQ(one.out, "chr20\t1-\n");
  ExpectUserError({"regions", "--panel", file_, "--contig", "20", "--size", "1", "--overlap", "1"},
                  "panel regions: --overlap is 1, expected less than --size (1)");
  ExpectUserError({"regions", "--panel", file_, "--contig", "7"}, "contig 7 is not in the panel (it has 20)");
  ExpectUserError({"regions", "--panel", "panel.vcf", "--contig", "20"}, "panel.vcf");
}

// A sample whose phase is wrong from the middle on.
TEST_F(PanelCommandTest, CorrectsThePhaseAlone) {
  constexpr size_t kSamples = 60;
  Mosaic mosaic = SimulateMosaic({.haplotypes = 2 * kSamples, .switches_per_cm = 0.5, .rare_share = 0.2});
  std::swap_ranges(mosaic.alleles[0].begin() + 200, mosaic.alleles[0].end(), mosaic.alleles[1].begin() + 200);
  const std::string panel = folder_ / "panel.vcf";
  std::ofstream(panel) << MosaicVcf(mosaic, DiploidSamples("R", kSamples), 0, AllMarkers(mosaic)).text();
  ASSERT_EQ(Panel({"build", "--panel", panel, "--out", file_}).exit_code, 0);
  const std::string corrected = folder_ / "corrected.hsp";
  const ProgramResult result = Panel({"build", "--panel", panel, "--out", corrected, "--correct-phase"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, StartsWith("haplospin: " + panel + ": 1 switch error was corrected (0."));
  const auto unphased = [](std::string text) {
    for (size_t at; (at = text.find("1|0")) != std::string::npos;) text.replace(at, 3, "0|1");
    return text;
  };
  const std::string before = Records(Panel({"view", "--panel", file_}).out);
  const std::string after = Records(Panel({"view", "--panel", corrected}).out);
  EXPECT_NE(after, before);
  EXPECT_EQ(unphased(after), unphased(before));
}

TEST_F(PanelCommandTest, CommandsAreListed) {
  const ProgramResult alone = Panel({});
  EXPECT_EQ(alone.exit_code, 0);
  for (const char* name : {"build", "info", "view"}) EXPECT_THAT(alone.out, HasSubstr(std::string("\n  ") + name));
  EXPECT_EQ(Panel({"--help"}).out, alone.out);
  ExpectUserError({"viwe"}, "panel: unknown command 'viwe'");
  EXPECT_THAT(Panel({"build", "--help"}).out, HasSubstr("A record with several"));
}

TEST_F(PanelCommandTest, WhatCannotServeIsNamed) {
  Build();
  ExpectUserError({"build", "--panel", "panel.vcf"}, "panel build: --out is missing");
  ExpectUserError({"build", "--panel", "absent.vcf", "--out", folder_ / "new.hsp"}, "absent.vcf: cannot open");
  ExpectUserError({"build", "--panel", "panel.vcf", "--out", folder_ / "no/new.hsp"}, "no/new.hsp");
  ExpectUserError({"build", "--panel", file_, "--out", file_}, "given as input and as output");
  ExpectUserError({"build", "--panel", file_, "--out", folder_ / "panel.bcf"}, "is not a .bcf file");
  ExpectUserError({"build", "--panel", "panel.vcf", "--out", folder_ / "new.hsp", "--level", "20"}, "--level is '20'");
  ExpectUserError({"build", "--panel", "panel.vcf", "--out", folder_ / "new.hsp", "--map", "any.map"},
                  "--map is for --correct-phase");
  ExpectUserError(
      {"build", "--panel", "panel.vcf", "--out", folder_ / "new.hsp", "--correct-phase", "--map", "any.map"},
      "any.map: cannot open");
  ExpectUserError({"info", "--panel", "panel.vcf"}, "panel.vcf: not a panel file; convert it with `panel build`");
  ExpectUserError({"view", "--panel", "panel.vcf"}, "panel.vcf: not a panel file; convert it with `panel build`");
  ExpectUserError({"view", "--panel", file_, "--region", "20:9-1"}, "region '20:9-1' is invalid");
  ExpectUserError({"view", "--panel", file_, "--region", "7"}, "no records of contig 7; it has records of 20");
  ExpectUserError({"view", "--panel", file_, "--region", "20:1-9"}, "no records in 20:1-9; give another region");
  std::string bytes = Contents(file_);
  bytes.resize(bytes.size() / 2);
  std::ofstream(folder_ / "cut.hsp", std::ios::binary) << bytes;
  ExpectUserError({"info", "--panel", folder_ / "cut.hsp"}, "cut.hsp: truncated: its end is missing");
}

}  // namespace
}  // namespace haplospin
