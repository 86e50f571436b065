// haplospin impute, as a user runs it: what it writes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/impute_files.h"
#include "core/provenance.h"
#include "genotypes/imputation/mosaic_files.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// All but the line with the command, which names the threads and paths.
std::string WithoutCommand(const std::string& text) {
  const size_t begin = text.find("##haplospin_command=");
  return text.substr(0, begin) + text.substr(text.find('\n', begin));
}

// The numbers of INFO, by their names; flags are 1.
std::map<std::string, double> InfoNumbers(const std::vector<std::string>& record) {
  std::map<std::string, double> numbers;
  std::istringstream info(record[kInfo]);
  for (std::string entry; std::getline(info, entry, ';');) {
    const size_t at = entry.find('=');
    numbers[entry.substr(0, at)] = at == std::string::npos ? 1 : std::stod(entry.substr(at + 1));
  }
  return numbers;
}

class ImputeCommandTest : public ImputeFiles {
 protected:
  // Every panel marker once, in order; typed genotypes as given.
  void ExpectWhole(const VcfLines& vcf, const std::string& contig = "20") const {
    ASSERT_EQ(vcf.records.size(), mosaic_.markers.size());
    for (size_t m = 0; m < mosaic_.markers.size(); ++m) {
      const auto& record = vcf.records[m];
      ASSERT_EQ(record[0], contig);
      ASSERT_EQ(record[kPos], std::to_string(mosaic_.markers[m].position));
      ASSERT_EQ(record[kRef] + record[kAlt], mosaic_.markers[m].ref + mosaic_.markers[m].alt);
      const bool is_typed = std::ranges::binary_search(typed_, static_cast<uint32_t>(m));
      ASSERT_THAT(record[kInfo], testing::EndsWith(is_typed ? ";TYPED" : ";IMP"));
      for (size_t s = 0; s < 3; ++s) {
        ASSERT_THAT(Field(record, s, "GT"), testing::MatchesRegex("[01]\\|[01]"));
        ASSERT_TRUE(!is_typed || Field(record, s, "GT") == Genotype(m, s)) << "marker " << m;
      }
    }
  }

  // As the study has it.
  std::string Genotype(size_t marker, size_t sample) const {
    const auto allele = [&](size_t copy) {
      return std::to_string(int{mosaic_.alleles[40 + 2 * sample + copy][marker]});
    };
    return allele(0) + "|" + allele(1);
  }
};

TEST_F(ImputeCommandTest, WritesEveryPanelMarkerAndKeepsTypedGenotypes) {
  const ProgramResult result = Impute();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("haplospin: no --map: using 1 cM per Mb\n"));
  EXPECT_THAT(result.err,
              HasSubstr("imputed.vcf: 3 samples, " + std::to_string(120 - typed_.size()) + " markers imputed, " +
                        std::to_string(typed_.size()) + " typed, 0 study markers not in the panel\n"));
  EXPECT_EQ(out_.NumFiles(), 1u);
  const VcfLines vcf(ReadFile(imputed_path_));
  EXPECT_EQ(std::vector<std::string>(vcf.columns.begin() + kFirstSample, vcf.columns.end()), study_.names);
  ExpectWhole(vcf);
}

TEST_F(ImputeCommandTest, TheHeaderSaysHowItWasMade) {
  const VcfLines vcf(ImputedText());
  EXPECT_EQ(vcf.header.front().substr(0, 17), "##fileformat=VCFv");
  EXPECT_THAT(vcf.header, Contains(std::string("##source=haplospin ") + kVersion));
  EXPECT_THAT(vcf.header, Contains("##haplospin_model=sha256:" + Sha256OfFile(weights_path_)));
  EXPECT_THAT(vcf.header, Contains("##haplospin_command=haplospin impute --ref " + panel_path_ + " --target " +
                                   study_path_ + " --model " + weights_path_ + " --out " + imputed_path_));
  EXPECT_THAT(vcf.header, Contains(StartsWith("##contig=<ID=20,length=1000000>")));
}

TEST_F(ImputeCommandTest, QuietSaysNothing) {
  EXPECT_EQ(Impute({"--quiet"}).err, "");
  EXPECT_TRUE(std::filesystem::exists(imputed_path_));
}

TEST_F(ImputeCommandTest, TheThreadsDoNotMatter) {
  // Several blocks of several windows.
  const std::vector<std::string> options{"--window", "0.7", "--overlap", "0.3", "--format", "HDS"};
  const auto with_threads = [&](const std::string& threads) {
    std::vector<std::string> all = options;
    all.insert(all.end(), {"--threads", threads});
    return WithoutCommand(ImputedText(all));
  };
  const std::string one = with_threads("1");
  EXPECT_EQ(with_threads("2"), one);
  EXPECT_EQ(with_threads("5"), one);
}

TEST_F(ImputeCommandTest, TheSecondRunWritesTheSameBytes) {
  for (const std::string name : {"imputed.vcf", "imputed.vcf.gz", "imputed.bcf"}) {
    const std::string path = out_ / name;
    ASSERT_EQ(Impute({"--out", path}).exit_code, 0);
    const std::string first = ReadFile(path);
    ASSERT_EQ(Impute({"--out", path}).exit_code, 0);  // over the first
    EXPECT_EQ(ReadFile(path), first) << name;
  }
}

TEST_F(ImputeCommandTest, FurtherFields) {
  const VcfLines vcf(ImputedText({"--format", "GP,HDS", "--format", "AP"}));
  ExpectWhole(vcf);
  for (const auto& record : vcf.records) {
    for (size_t s = 0; s < 3; ++s) {
      double gp[3], hds[2];
      ASSERT_EQ(std::sscanf(Field(record, s, "GP").c_str(), "%lf,%lf,%lf", &gp[0], &gp[1], &gp[2]), 3);
      ASSERT_EQ(std::sscanf(Field(record, s, "HDS").c_str(), "%lf,%lf", &hds[0], &hds[1]), 2);
      const double ds = std::stod(Field(record, s, "DS"));
      ASSERT_NEAR(gp[0] + gp[1] + gp[2], 1, 2e-4);
      ASSERT_NEAR(hds[0] + hds[1], ds, 1e-9);
      ASSERT_NEAR(gp[1] + 2 * gp[2], ds, 3e-4);
      ASSERT_NEAR(std::stod(Field(record, s, "AP1")), hds[0], 1e-9);
      ASSERT_NEAR(std::stod(Field(record, s, "AP2")), hds[1], 1e-9);
    }
  }
  EXPECT_EQ(VcfLines(ImputedText()).records[0][kFormat], "GT:DS");
}

TEST_F(ImputeCommandTest, TypesOfOutput) {
  if (!HasBcftools()) GTEST_SKIP() << "bcftools is not installed";
  const std::vector<std::vector<std::string>> records = VcfLines(ImputedText()).records;
  const std::string any = out_ / "any";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--out", out_ / "a.vcf.gz"}, "VCF\tcompressed"},
      {{"--out", out_ / "a.bcf"}, "BCF\tcompressed"},
      {{"--out", any, "--output-type", "v"}, "VCF\tuncompressed"},
      {{"--out", any, "--output-type", "z"}, "VCF\tcompressed"},
      {{"--out", any, "-O", "u"}, "BCF\tuncompressed"},
      {{"--out", any, "-O", "b"}, "BCF\tcompressed"}};
  for (const auto& [options, form] : cases) {
    ASSERT_EQ(Impute(options).exit_code, 0);
    const std::string bytes = ReadFile(options[1]);
    EXPECT_EQ(bytes.starts_with("##fileformat"), form == "VCF\tuncompressed") << form;
    const Printed printed = Bcftools("view --no-version '" + options[1] + "'");
    EXPECT_EQ(printed.errors, "");
    const VcfLines read(printed.output);
    ASSERT_EQ(read.records.size(), records.size());
    for (size_t m = 0; m < records.size(); ++m) {
      // HTSlib prints numbers below 0.0001 of a BCF file with an exponent.
      ASSERT_EQ(InfoNumbers(read.records[m]), InfoNumbers(records[m])) << form;
      std::vector<std::string> found = read.records[m];
      found[kInfo] = records[m][kInfo];
      ASSERT_EQ(found, records[m]) << form;
    }
  }
}

TEST_F(ImputeCommandTest, AnIndexOfTheOutput) {
  const ProgramResult result = Impute({"--out", out_ / "a.vcf.gz", "--write-index"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ASSERT_TRUE(std::filesystem::exists(out_ / "a.vcf.gz.tbi"));
  if (!HasBcftools()) GTEST_SKIP() << "no bcftools here to read it by the index";
  const Printed printed = Bcftools("view -H -r 20:1000000-1200000 '" + out_ / "a.vcf.gz" + "'");
  EXPECT_EQ(printed.errors, "");
  EXPECT_EQ(std::ranges::count(printed.output, '\n'), 11);  // a marker every 20 kb
}

TEST_F(ImputeCommandTest, FromStandardInputToStandardOutput) {
  const std::string expected = WithoutCommand(ImputedText());
  std::filesystem::remove(imputed_path_);
  EXPECT_EQ(WithoutCommand(ImputedText({"--target", "-"}, StudyVcf().text())), expected);
  std::filesystem::remove(imputed_path_);
  const ProgramResult piped = Impute({"--target", "-", "--out", "-"}, StudyVcf().text());
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(WithoutCommand(piped.out), expected);
  EXPECT_EQ(out_.NumFiles(), 0u);
}

// In every format, with the same result.
TEST_F(ImputeCommandTest, FormsOfInput) {
  const std::string expected = WithoutCommand(ImputedText());
  for (const FileForm form : kAllForms) {
    WriteVariants(in_ / "panel", PanelVcf(), form);
    WriteVariants(in_ / "study", StudyVcf(), form);
    EXPECT_EQ(WithoutCommand(ImputedText({"--ref", in_ / "panel", "--target", in_ / "study"})), expected);
  }
}

TEST_F(ImputeCommandTest, ContigsNamedInAnotherWay) {
  Write("study.vcf", StudyVcf("chr20").text());
  const ProgramResult result = Impute();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("haplospin: warning: contig chr20 of the study is treated as 20 of the panel\n"));
  const VcfLines vcf(ReadFile(imputed_path_));
  ExpectWhole(vcf, "chr20");
  EXPECT_THAT(vcf.header, Contains(StartsWith("##contig=<ID=chr20,")));
  EXPECT_THAT(vcf.header, Not(Contains(StartsWith("##contig=<ID=20,"))));
}

TEST_F(ImputeCommandTest, AGeneticMap) {
  // Ten times as many centimorgans, in the two common forms.
  const std::string plink = Write("plink.map", "20 a 0 1\n20 b 30 3000000\n");
  const std::string shapeit = Write("shapeit.map", "pos chr cM\n1 20 0\n3000000 20 30\n");
  const std::string with_map = WithoutCommand(ImputedText({"--map", plink}));
  EXPECT_EQ(WithoutCommand(ImputedText({"--map", shapeit})), with_map);
  const ProgramResult result = Impute({"--map", plink});
  EXPECT_THAT(result.err, Not(HasSubstr("1 cM per Mb")));
  EXPECT_NE(WithoutCommand(ImputedText()), with_map);
}

TEST_F(ImputeCommandTest, StudySitesThatThePanelLacks) {
  VcfText study(study_.names, {"20"});
  study.Add("20", 7, "A", "T", "0|1 .|. 1|1");
  AddMosaic(mosaic_, study_, 40, typed_, "20", study);
  study.Add("20", 2'900'000, "G", ".", "0|0 0|0 0|0");
  Write("study.vcf", study.text());
  const VcfLines vcf(ImputedText());
  ASSERT_EQ(vcf.records.size(), 122u);
  EXPECT_THAT(vcf.records.front()[kInfo], HasSubstr("NOT_IN_PANEL"));
  EXPECT_EQ(Field(vcf.records.front(), 0, "GT"), "0|1");
  EXPECT_EQ(Field(vcf.records.front(), 1, "GT"), ".|.");
  EXPECT_EQ(Field(vcf.records.front(), 2, "GT"), "1|1");
  EXPECT_THAT(vcf.records.back()[kInfo], HasSubstr("NOT_IN_PANEL"));
  EXPECT_EQ(vcf.records.back()[kAlt], ".");
}

TEST_F(ImputeCommandTest, UnphasedSitesThatThePanelLacksAreSaid) {
  VcfText study(study_.names, {"20"});
  study.Add("20", 7, "A", "T", "0|1 0/1 1|1");
  study.Add("20", 8, "A", "T", "0|1 1|1 1|1");
  AddMosaic(mosaic_, study_, 40, typed_, "20", study);
  Write("study.vcf", study.text());
  EXPECT_THAT(Impute().err, HasSubstr("unphased genotypes (0/1) are kept at 1 study marker that"));
  EXPECT_EQ(Field(VcfLines(ReadFile(imputed_path_)).At("7"), 1, "GT"), "0/1");
  EXPECT_THAT(Impute({"--no-study-only"}).err, Not(HasSubstr("unphased genotypes")));
}

TEST_F(ImputeCommandTest, MissingTypedGenotypesAreImputed) {
  Mosaic mosaic = mosaic_;
  for (const uint32_t m : typed_) mosaic.alleles[42][m] = mosaic.alleles[43][m] = kMissingAllele;
  mosaic.alleles[40][typed_[5]] = kMissingAllele;  // one allele of two
  Write("study.vcf", MosaicVcf(mosaic, study_, 40, typed_).text());
  const VcfLines vcf(ImputedText({"--format", "HDS"}));
  for (const auto& record : vcf.records) {
    for (size_t s = 0; s < 3; ++s) ASSERT_THAT(Field(record, s, "GT"), testing::MatchesRegex("[01]\\|[01]"));
  }
  // Observed alleles are kept next to imputed ones.
  const auto& half = vcf.records[typed_[5]];
  EXPECT_THAT(half[kInfo], HasSubstr("TYPED"));
  EXPECT_EQ(Field(half, 0, "GT").substr(1), "|" + std::to_string(int{mosaic.alleles[41][typed_[5]]}));
  EXPECT_EQ(Field(half, 2, "GT"), Genotype(typed_[5], 2));
}

// One record of several ALTs is as many markers, joined per ALT whatever their order.
TEST_F(ImputeCommandTest, RecordsOfSeveralAlts) {
  const auto genotypes = [](size_t samples, const std::string& first, const std::string& others) {
    std::string text = first;
    for (size_t s = 1; s < samples; ++s) text += " " + others;
    return text;
  };
  VcfText panel(reference_.names, {"20"}), study(study_.names, {"20"});
  panel.Add("20", 100, "A", "C,G,T", genotypes(20, "1|2", "0|3"));
  AddMosaic(mosaic_, reference_, 0, AllMarkers(mosaic_), "20", panel);
  study.Add("20", 100, "A", "T,G", "0|1 2|2 1|1");
  AddMosaic(mosaic_, study_, 40, typed_, "20", study);
  Write("panel.vcf", panel.text());
  Write("study.vcf", study.text());
  const VcfLines vcf(ImputedText());
  ASSERT_EQ(vcf.records.size(), 123u);
  const std::vector<std::pair<std::string, std::string>> expected{{"C", ";IMP"}, {"G", ";TYPED"}, {"T", ";TYPED"}};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(vcf.records[k][kPos], "100");
    EXPECT_EQ(vcf.records[k][kAlt], expected[k].first);
    EXPECT_THAT(vcf.records[k][kInfo], testing::EndsWith(expected[k].second));
  }
  for (const auto& [k, sample, genotype] : {std::tuple(1, 0, "0|0"), {1, 1, "1|1"}, {2, 0, "0|1"}, {2, 2, "1|1"}}) {
    EXPECT_EQ(Field(vcf.records[k], sample, "GT"), genotype);
  }
}

TEST_F(ImputeCommandTest, HaploidSamplesStayHaploid) {
  const std::vector<int> ploidies{2, 1, 2, 1};
  const SampleTable mixed = MakeSamples("S", ploidies);
  const SampleTable mixed_reference = MakeSamples("R", std::vector<int>{1, 2, 2, 1, 2, 2, 2, 2, 1, 2, 2, 2, 2});
  Write("panel.vcf", MosaicVcf(mosaic_, mixed_reference, 0, AllMarkers(mosaic_), "X").text());
  Write("study.vcf", MosaicVcf(mosaic_, mixed, 40, typed_, "X").text());
  const VcfLines vcf(ImputedText({"--format", "GP"}));
  ASSERT_EQ(vcf.records.size(), 120u);
  for (const auto& record : vcf.records) {
    for (size_t s = 0; s < 4; ++s) {
      ASSERT_EQ(Field(record, s, "GT").size(), ploidies[s] == 1 ? 1u : 3u);
      ASSERT_EQ(std::ranges::count(Field(record, s, "GP"), ','), ploidies[s]);
      ASSERT_LE(std::stod(Field(record, s, "DS")), ploidies[s]);
    }
  }
  for (const uint32_t m : typed_) {
    ASSERT_EQ(Field(vcf.records[m], 1, "GT"), std::to_string(int{mosaic_.alleles[42][m]}));
  }
}

// A study site that is swapped or on the other strand is the panel's, and imputed there; one with a single allele is
// used.
TEST_F(ImputeCommandTest, EverySiteIsWrittenOnce) {
  const VcfLines study(StudyVcf().text());
  std::string text = StudyVcf().text();
  text.resize(text.find('\n', text.find("#CHROM")) + 1);
  for (size_t r = 0; r < study.records.size(); ++r) {
    std::vector<std::string> columns = study.records[r];
    if (r == 3) std::swap(columns[kRef], columns[kAlt]);
    if (r == 4 || r == 5) {
      if (r == 5) columns[kRef] = columns[kAlt];
      columns[kAlt] = ".";
      for (size_t s = kFirstSample; s < columns.size(); ++s) columns[s] = "0|0";
    }
    for (size_t c = 0; c < columns.size(); ++c) text += columns[c] + (c + 1 < columns.size() ? '\t' : '\n');
  }
  const ProgramResult result = Impute({"--target", Write("single.vcf", text)});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr(fmt::format("{} markers imputed, {} typed, 0 study markers not in the panel, 1 "
                                                "swapped, on the other strand or undecided\n",
                                                121 - study.records.size(), study.records.size() - 1)));
  const VcfLines imputed(ReadFile(imputed_path_));
  ASSERT_EQ(imputed.records.size(), 120u);
  const auto info = [&](size_t r) { return imputed.At(study.records[r][kPos])[kInfo]; };
  EXPECT_THAT(info(3), HasSubstr("IMP"));
  EXPECT_THAT(info(4), testing::AllOf(HasSubstr("AF=0;"), HasSubstr("TYPED")));
  EXPECT_THAT(info(5), testing::AllOf(HasSubstr("AF=1;"), HasSubstr("TYPED")));
}

// VCF writes the end of a telomere as position 0.
TEST_F(ImputeCommandTest, PositionZero) {
  std::string panel = PanelVcf().text(), study = StudyVcf().text();
  const std::string first = "\n20\t" + std::to_string(mosaic_.markers[0].position) + "\t";
  for (std::string* text : {&panel, &study}) {
    const size_t at = text->find(first);
    if (at != std::string::npos) text->replace(at, first.size(), "\n20\t0\t");
  }
  const std::vector<std::string> options{"--ref", Write("zero.vcf", panel), "--target", Write("study0.vcf", study)};
  const VcfLines imputed(ImputedText(options));
  EXPECT_EQ(imputed.records.size(), 120u);
  EXPECT_EQ(imputed.records[0][kPos], "0");
}

TEST_F(ImputeCommandTest, ARegion) {
  const VcfLines whole(ImputedText());
  const VcfLines region(ImputedText({"--region", "20:1000000-1200000"}));
  ASSERT_EQ(region.records.size(), 11u);
  for (const auto& record : region.records) EXPECT_EQ(record, whole.At(record[kPos]));
}

TEST_F(ImputeCommandTest, WarnsOfSamplesInBoth) {
  SampleTable study = study_;
  study.names[1] = "R7";
  Write("study.vcf", MosaicVcf(mosaic_, study, 40, typed_).text());
  const ProgramResult result = Impute();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err,
              HasSubstr("haplospin: warning: " + study_path_ + ": 1 of 3 study samples are also in the panel (R7)"));
}

TEST_F(ImputeCommandTest, WarnsOfSwappedAndFlippedSites) {
  Mosaic mosaic = mosaic_;
  size_t swapped = 0, flipped = 0;
  for (size_t j = 0; j < typed_.size(); j += 4) {
    Marker& marker = mosaic.markers[typed_[j]];
    if (j % 8 == 0) {
      std::swap(marker.ref, marker.alt);
      ++swapped;
    } else if (marker.ref == "A") {  // A>G on the other strand
      marker.ref = "T";
      marker.alt = "C";
      ++flipped;
    }
  }
  Write("study.vcf", MosaicVcf(mosaic, study_, 40, typed_).text());
  const ProgramResult result = Impute();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("haplospin: warning: " + study_path_ + ": " + std::to_string(swapped) + " of the " +
                                    std::to_string(typed_.size()) +
                                    " study sites at panel positions have REF and ALT swapped and " +
                                    std::to_string(flipped) + " are on the other strand (20:"));
}

TEST_F(ImputeCommandTest, WarnsOfWindowsWithFewTypedSites) {
  std::vector<uint32_t> typed = typed_;
  std::erase_if(typed, [](uint32_t m) { return m > 20 && m < 100; });
  Write("study.vcf", MosaicVcf(mosaic_, study_, 40, typed).text());
  const ProgramResult result = Impute({"--window", "0.3", "--overlap", "0.05"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err,
              HasSubstr(" windows have fewer than 2 typed sites (the first: 0 typed sites of the panel in 20:"));
  EXPECT_EQ(VcfLines(ReadFile(imputed_path_)).records.size(), 120u);
}

TEST_F(ImputeCommandTest, HelpShowsDefaultsAndAnExample) {
  const ProgramResult result = RunProgram({"impute", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Example: haplospin impute --ref"));
  EXPECT_THAT(result.out, testing::ContainsRegex("--window CM.*\\[[0-9]+\\]"));
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace haplospin
