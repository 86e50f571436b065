// Options of haplospin impute for parts of study, panel and output, and its log.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/impute_files.h"
#include "core/provenance.h"
#include "genotypes/variant_io/bgen_file.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class ImputeOptionsTest : public ImputeFiles {};

// MAF is in files without genotypes only.
std::vector<std::string> WithoutMaf(std::vector<std::string> record) {
  const size_t begin = record[kInfo].find(";MAF="), end = record[kInfo].find(';', begin + 1);
  record[kInfo].erase(begin, end - begin);
  return record;
}

TEST_F(ImputeOptionsTest, SamplesAndMarkersThatAreLeftOut) {
  const std::vector<std::vector<std::string>> all = VcfLines(ImputedText()).records;
  const std::string excluded = Write("excluded.txt", "S1\n"),
                    panel = Write("panel.txt", "R0\nR3\nR4\nR5\nR6\nR7\nR8\n");
  const VcfLines fewer(ImputedText({"--exclude-samples", excluded}));
  EXPECT_THAT(std::vector(fewer.columns.begin() + kFirstSample, fewer.columns.end()), testing::ElementsAre("S0", "S2"));
  for (size_t r = 0; r < all.size(); ++r) {
    EXPECT_EQ(fewer.records[r][kFirstSample], all[r][kFirstSample]);
    EXPECT_EQ(fewer.records[r][kFirstSample + 1], all[r][kFirstSample + 2]);
  }

  EXPECT_EQ(VcfLines(ImputedText({"--samples", Write("chosen.txt", "S2\nS0\n")})).records, fewer.records);
  EXPECT_THAT(Impute({"--samples", Write("chosen.txt", "S0\nS9\n")}).err,
              HasSubstr("has no sample S9, which was chosen"));

  std::string part = PanelVcf().text();  // the same as a panel of these samples alone
  const VcfLines lines(part);
  part.resize(part.find("#CHROM"));
  const auto add = [&](const std::vector<std::string>& columns) {
    for (size_t c = 0; c < kFirstSample; ++c) part += columns[c] + '\t';
    for (const size_t s : {0, 3, 4, 5, 6, 7, 8}) part += columns[kFirstSample + s] + (s == 8 ? '\n' : '\t');
  };
  add(lines.columns);
  for (const auto& record : lines.records) add(record);
  EXPECT_EQ(VcfLines(ImputedText({"--panel-samples", panel})).records,
            VcfLines(ImputedText({"--ref", Write("part.vcf", part)})).records);

  const Marker& typed = mosaic_.markers[typed_[3]];
  const std::string position = std::to_string(typed.position);
  EXPECT_THAT(Impute({"--exclude-markers", Write("markers.txt", "20:1\nrs0\n")}).err,
              HasSubstr("has no marker for 2 lines of --exclude-markers: 20:1, rs0"));
  for (const std::string& line : {"chr20 " + position, "20:" + position, VcfLines(StudyVcf().text()).At(position)[2]}) {
    const VcfLines without(ImputedText({"--exclude-markers", Write("markers.txt", line + "\n")}));
    EXPECT_THAT(without.At(position)[kInfo], HasSubstr("IMP")) << line;
    EXPECT_EQ(without.records.size(), all.size());
  }
  EXPECT_THAT(Impute({"--exclude-samples", Write("all.txt", "S0\nS1\nS2\n")}).err,
              HasSubstr("all of its samples are excluded"));
  EXPECT_THAT(Impute({"--panel-samples", excluded}).err, HasSubstr("does not have 1 of the samples to use: S1"));
}

TEST_F(ImputeOptionsTest, RecordsThatAreLeftOut) {
  const auto all = VcfLines(ImputedText()).records;
  const auto dr2 = [](const std::vector<std::string>& record) {
    const size_t at = record[kInfo].find("DR2=");
    return at == std::string::npos ? 0 : std::stod(record[kInfo].substr(at + 4));
  };
  std::vector<std::vector<std::string>> expected;
  for (const auto& record : all) {
    if (record[kInfo].find("TYPED") != std::string::npos || dr2(record) >= 0.3) expected.push_back(record);
  }
  ASSERT_LT(expected.size(), all.size());
  EXPECT_EQ(VcfLines(ImputedText({"--min-r2", "0.3"})).records, expected);
  const ProgramResult bcf = Impute({"--min-r2", "0.3", "--out", out_ / "part.bcf"});
  EXPECT_THAT(bcf.err, HasSubstr(fmt::format("{} markers not written, as requested", all.size() - expected.size())));
  EXPECT_EQ(VcfLines(RunProgram({"concat", "--out", "-", out_ / "part.bcf"}).out).records.size(), expected.size());

  VcfText study = StudyVcf();
  study.Add("20", mosaic_.markers.back().position + 10, "G", "T", "0|1 1|1 0|0");
  const std::string larger = Write("larger.vcf", study.text());
  ASSERT_EQ(VcfLines(ImputedText({"--target", larger})).records.size(), all.size() + 1);
  EXPECT_EQ(VcfLines(ImputedText({"--target", larger, "--no-study-only"})).records, all);

  const VcfLines sites(ImputedText({"--sites-only"}));
  EXPECT_EQ(sites.columns.back(), "INFO");
  ASSERT_EQ(sites.records.size(), all.size());
  for (size_t r = 0; r < all.size(); ++r) {
    EXPECT_EQ(WithoutMaf(sites.records[r]), std::vector(all[r].begin(), all[r].begin() + kInfo + 1));
  }
}

TEST_F(ImputeOptionsTest, BgenHasTheDosagesOfVcf) {
  const VcfLines vcf(ImputedText());
  const std::string path = out_ / "imputed.bgen";
  const std::vector<std::vector<std::string>> forms = {
      {"--bgen-bits", "16"},
      {"--bgen-compression", "zstd"},
      {"--bgen-bits", "16", "--bgen-phased", "--bgen-compression", "none"}};
  for (size_t form = 0; form < forms.size(); ++form) {
    std::vector<std::string> options = {"--out", path};
    options.insert(options.end(), forms[form].begin(), forms[form].end());
    ASSERT_EQ(Impute(options).exit_code, 0);
    const BgenFile bgen = DecodeBgen(ReadFile(path));
    EXPECT_THAT(bgen.note, HasSubstr("##haplospin_model=sha256:"));
    EXPECT_THAT(bgen.samples, testing::ElementsAre("S0", "S1", "S2"));
    ASSERT_EQ(bgen.variants.size(), vcf.records.size());
    for (size_t r = 0; r < vcf.records.size(); ++r) {
      const BgenVariant& variant = bgen.variants[r];
      EXPECT_EQ(std::to_string(variant.position), vcf.records[r][kPos]);
      EXPECT_THAT(variant.alleles, testing::ElementsAre(vcf.records[r][kRef], vcf.records[r][kAlt]));
      EXPECT_EQ(variant.is_phased, form == 2);
      for (size_t s = 0; s < 3; ++s) {
        EXPECT_NEAR(variant.Dosage(s), std::stod(Field(vcf.records[r], s, "DS")), form == 1 ? 0.5 / 255 + 1e-4 : 1e-4);
      }
    }
  }
}

TEST_F(ImputeOptionsTest, WhatBgenCannotHave) {
  const std::string path = out_ / "imputed.bgen";
  ExpectUserError({"--out", path, "--format", "GP"}, {"--format needs VCF or BCF output"});
  ExpectUserError({"--out", path, "--sites-only"}, {"--sites-only needs VCF or BCF output"});
  ExpectUserError({"--bgen-bits", "8"}, {"--bgen-bits is for BGEN output", "end its name with .bgen"});
}

TEST_F(ImputeOptionsTest, SitesBesideTheDosages) {
  const std::string sites = out_ / "sites.vcf";
  const VcfLines whole(ImputedText({"--sites-out", sites, "--set-ids"})), alone(ReadFile(sites));
  ASSERT_EQ(alone.records.size(), whole.records.size());
  for (size_t r = 0; r < whole.records.size(); ++r) {
    auto expected = whole.records[r];
    expected.resize(8);
    EXPECT_EQ(WithoutMaf(alone.records[r]), expected);
    EXPECT_NE(expected[2], ".");
    const double af = InfoNumber(expected[kInfo], "AF");
    EXPECT_NEAR(InfoNumber(alone.records[r][kInfo], "MAF"), std::min(af, 1 - af), 1e-9);
  }
  // The same as BCF.
  const std::string bcf = out_ / "sites.bcf";
  ImputedText({"--sites-out", bcf, "--set-ids"});
  const VcfLines binary(RunProgram({"concat", "--out", "-", bcf}).out);
  ASSERT_EQ(binary.records.size(), alone.records.size());
  for (size_t r = 0; r < alone.records.size(); ++r) {
    EXPECT_NEAR(InfoNumber(binary.records[r][kInfo], "MAF"), InfoNumber(alone.records[r][kInfo], "MAF"), 1e-6);
  }
}

TEST_F(ImputeOptionsTest, SitesAreNoBgenAndCsiIsAnIndex) {
  ExpectUserError({"--sites-out", out_ / "sites.bgen"}, {"only 'haplospin impute' writes BGEN"});
  ExpectUserError({"--csi"}, {"--csi needs --write-index"});
}

// A line end would break the header.
TEST_F(ImputeOptionsTest, NamesWithLineEnds) {
  const std::string path = out_ / "two\nlines.vcf.gz";
  ASSERT_EQ(Impute({"--out", path}).exit_code, 0);
  const VcfLines vcf(RunProgram({"concat", "--out", "-", path}).out);
  EXPECT_EQ(vcf.records.size(), 120u);
  EXPECT_THAT(vcf.header, testing::Contains(HasSubstr("two\\x0alines.vcf.gz'")));
}

// It has what is needed to run the command again.
TEST_F(ImputeOptionsTest, ALogOfVersionsSettingsAndCounts) {
  const std::string log = out_ / "impute.log";
  EXPECT_EQ(Impute({"--log", log, "--quiet"}).err, "");
  EXPECT_THAT(ReadFile(log),
              testing::AllOf(HasSubstr(std::string("haplospin ") + kVersion), HasSubstr("command: haplospin impute "),
                             HasSubstr("--ref " + panel_path_ + "\n"), HasSubstr("--min-ratio 0.1 (default)\n"),
                             HasSubstr("sha256:" + Sha256OfFile(weights_path_)), HasSubstr("3 samples, "),
                             testing::ContainsRegex(" s wall time, [0-9.]+ s CPU time, [0-9]+ MiB peak memory\n$")));
  const ProgramResult failed = Impute({"--log", log, "--map", in_ / "absent.map"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(ReadFile(log), HasSubstr("error: " + (in_ / "absent.map")));
  EXPECT_THAT(ReadFile(log), HasSubstr("MiB peak memory\n"));
  EXPECT_THAT(failed.err, testing::EndsWith("absent.map: cannot open: No such file or directory\n"));
  EXPECT_THAT(Impute({"--log", panel_path_}).err, HasSubstr("given as input and as output"));
  const std::string both = out_ / "both.vcf";
  EXPECT_THAT(Impute({"--log", both, "--out", both}).err, HasSubstr("both.vcf: given as --log and as output"));
  const ProgramResult full = Impute({"--log", "/dev/full"});
  EXPECT_EQ(full.exit_code, 0);
  EXPECT_THAT(full.err, HasSubstr("haplospin: warning: /dev/full is incomplete"));
}

TEST_F(ImputeOptionsTest, MemoryHasAUnit) {
  const auto error = [&](const std::string& size) { return Impute({"--memory", size}).err; };
  for (const char* size : {"4G", "4GiB", "4096", "4096M", "0.5g", "2T"}) {
    EXPECT_EQ(Impute({"--memory", size}).exit_code, 0) << size;
  }
  for (const char* size : {"4X", "G", "4 G", "1K", "17T", "-1G", "4GG", "nanG"}) {
    EXPECT_THAT(error(size), HasSubstr(fmt::format("--memory is '{}', but must be a size from 16M to 16T", size)));
  }
}

TEST_F(ImputeOptionsTest, TheLastLineHasTimeAndMemory) {
  EXPECT_THAT(
      Impute({}).report,
      testing::MatchesRegex("haplospin: [0-9.]+ s wall time, [0-9.]+ s CPU time, [1-9][0-9]* MiB peak memory\n"));
  EXPECT_EQ(Impute({"--quiet"}).report, "");
}

}  // namespace
}  // namespace haplospin
