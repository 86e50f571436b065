// Records with several ALTs that are kept whole, and INFO that describes records, from the panel to every output.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "cli/founder_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDeclared =
    "##INFO=<ID=RU,Number=1,Type=String,Description=\"Unit\">\n"
    "##INFO=<ID=BPDIFFS,Number=A,Type=Integer,Description=\"Bases longer than REF\">\n"
    "##INFO=<ID=SVTYPE,Number=1,Type=String,Description=\"Type\">\n"
    "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Count\">\n"
    "##ALT=<ID=DEL,Description=\"Deletion, of several bases\">\n";

std::vector<double> Numbers(const std::string& list) {
  std::vector<double> numbers;
  std::istringstream in(list);
  for (std::string number; std::getline(in, number, ',');) numbers.push_back(std::stod(number));
  return numbers;
}

std::string InfoValue(const std::vector<std::string>& record, const std::string& key) {
  const std::string info = ";" + record[kInfo] + ";";
  const size_t at = info.find(";" + key + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size() + 2;
  return info.substr(begin, info.find(';', begin) - begin);
}

// The first five SNVs tell the founder of each haplotype, and so the allele of a repeat.
class MultiallelicTest : public FounderFiles {
 protected:
  MultiallelicTest() {
    WritePanel({});
    WriteStudy({});
    with_repeat_ = Write("r.vcf", WithRepeat(ReadFile(in_ / "p.vcf")));
    truth_ = Write("t.vcf", WithRepeat(ReadFile(in_ / "s.vcf")));
  }

  static std::string WithRepeat(const std::string& text) {
    const VcfLines lines(text);
    std::string repeat =
        "20\t20500\ttr\tA\tAT,ATT,<DEL>,ATTTT\t.\tPASS\tRU=T;BPDIFFS=1,2,0,4;SVTYPE=TR;AC=1,1,1,1;END=20501\tGT";
    for (size_t c = kFirstSample; c < lines.columns.size(); ++c) {
      const auto allele = [&](size_t at) {
        size_t founder = 0;
        while (lines.records[founder][c][at] == '0') ++founder;
        return founder;
      };
      repeat += fmt::format("\t{}|{}", allele(0), allele(2));
    }
    std::string with = text;
    with.insert(with.find("20\t21000\t"), repeat + "\n");
    return with.insert(with.find("##contig"), kDeclared);
  }

  VcfLines ImputedRecords(std::vector<std::string> options, const std::string& out = "imputed.vcf") const {
    options.insert(options.end(), {"--ref", with_repeat_, "--target", in_ / "s.vcf", "--out", out_ / out});
    const ProgramResult result = Impute(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return VcfLines(ReadFile(out_ / out));
  }

  // What a command prints as VCF.
  static VcfLines Printed(const std::vector<std::string>& arguments) {
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return VcfLines(result.out);
  }

  std::string with_repeat_, truth_;
};

TEST_F(MultiallelicTest, ValuesAreThoseOfTheSplitRecords) {
  const std::vector<std::string> formats{"--format", "HDS,AP,GP"};
  const VcfLines split = ImputedRecords(formats);
  const VcfLines kept = ImputedRecords({"--format", "HDS,AP,GP", "--multiallelic", "keep"});
  ASSERT_EQ(split.records.size(), 44u);
  ASSERT_EQ(kept.records.size(), 41u);
  const auto& record = kept.At("20500");
  EXPECT_EQ(record[kAlt], "AT,ATT,<DEL>,ATTTT");
  const size_t first = 11;  // of the split records
  for (size_t a = 0; a < 4; ++a) {
    const auto& own = split.records[first + a];
    ASSERT_EQ(own[kPos], "20500");
    for (const char* key : {"AF", "DR2"}) {
      EXPECT_DOUBLE_EQ(Numbers(InfoValue(record, key))[a], Numbers(InfoValue(own, key))[0]);
    }
    for (size_t s = 0; s < kStudySamples; ++s) {
      for (const char* key : {"DS", "AP1", "AP2"}) {
        EXPECT_DOUBLE_EQ(Numbers(Field(record, s, key))[a], Numbers(Field(own, s, key))[0]);
      }
      const auto haplotypes = Numbers(Field(record, s, "HDS")), of_own = Numbers(Field(own, s, "HDS"));
      ASSERT_EQ(haplotypes.size(), 8u);
      EXPECT_EQ(haplotypes[2 * a], of_own[0]);
      EXPECT_EQ(haplotypes[2 * a + 1], of_own[1]);
    }
  }
}

TEST_F(MultiallelicTest, GenotypesAreThoseOfTheProbabilities) {
  const auto record = ImputedRecords({"--format", "AP,GP", "--multiallelic", "keep"}).At("20500");
  for (size_t s = 0; s < kStudySamples; ++s) {
    std::vector<std::vector<double>> haplotypes;
    for (const char* key : {"AP1", "AP2"}) {
      std::vector<double> alleles = Numbers(Field(record, s, key));
      double ref = 1;
      for (const double p : alleles) ref -= p;
      alleles.insert(alleles.begin(), ref);
      haplotypes.push_back(alleles);
    }
    const std::string genotype = Field(record, s, "GT");
    for (size_t i = 0; i < 2; ++i) {
      const auto called = static_cast<size_t>(genotype[2 * i] - '0');
      for (const double p : haplotypes[i]) EXPECT_GE(haplotypes[i][called], p - 1e-9) << genotype;
    }
    const std::vector<double> posteriors = Numbers(Field(record, s, "GP"));
    ASSERT_EQ(posteriors.size(), 15u);
    double sum = 0;
    size_t g = 0;
    for (size_t b = 0; b < 5; ++b) {
      for (size_t a = 0; a <= b; ++a, ++g) {
        const double one = haplotypes[0][a] * haplotypes[1][b], other = haplotypes[0][b] * haplotypes[1][a];
        EXPECT_NEAR(posteriors[g], a == b ? one : one + other, 1e-3);
        sum += posteriors[g];
      }
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST_F(MultiallelicTest, UncertainGenotypesAreMissing) {
  const auto record = ImputedRecords({"--format", "GP", "--multiallelic", "keep", "--min-gp", "0.9999"}).At("20500");
  size_t num_missing = 0;
  for (size_t s = 0; s < kStudySamples; ++s) {
    const bool is_missing = Field(record, s, "GT") == ".|.";
    const std::vector<double> posteriors = Numbers(Field(record, s, "GP"));
    EXPECT_EQ(is_missing, *std::ranges::max_element(posteriors) < 0.9999);
    num_missing += is_missing;
  }
  EXPECT_GT(num_missing, 0u);
}

TEST_F(MultiallelicTest, DescribingInfoIsInEveryOutput) {
  const std::string hsp = out_ / "panel.hsp", bcf = out_ / "panel.bcf";
  ASSERT_EQ(RunProgram({"panel", "build", "--panel", with_repeat_, "--out", hsp}).exit_code, 0);
  ASSERT_EQ(RunProgram({"panel", "view", "--panel", hsp, "--multiallelic", "keep", "--out", bcf}).exit_code, 0);
  for (const std::string& panel : {with_repeat_, hsp, bcf}) {
    const ProgramResult result = Impute({"--ref", panel, "--target", in_ / "s.vcf", "--multiallelic", "keep"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string text = ReadFile(imputed_path_);
    EXPECT_THAT(VcfLines(text).At("20500")[kInfo], HasSubstr(";RU=T;BPDIFFS=1,2,0,4;SVTYPE=TR;END=20501")) << panel;
    EXPECT_THAT(VcfLines(text).At("20500")[kInfo], Not(HasSubstr("AC=")));
    EXPECT_THAT(VcfLines(text).At("21000")[kInfo], Not(HasSubstr("RU=")));
    for (const char* line : {"##INFO=<ID=RU,", "##INFO=<ID=BPDIFFS,Number=A,", "##INFO=<ID=SVTYPE,",
                             "##ALT=<ID=DEL,Description=\"Deletion, of several bases\">\n"}) {
      EXPECT_THAT(text, HasSubstr(line)) << panel;
    }
  }
  const VcfLines phased = Printed({"phase", "--ref", hsp, "--target", truth_, "--out", "-"});
  EXPECT_THAT(phased.At("20500")[kInfo], HasSubstr(";RU=T;BPDIFFS=1;SVTYPE=TR;END=20501"));
}

TEST_F(MultiallelicTest, APanelFileKeepsRecords) {
  const std::string hsp = out_ / "panel.hsp";
  ASSERT_EQ(RunProgram({"panel", "build", "--panel", with_repeat_, "--out", hsp}).exit_code, 0);
  const VcfLines given(ReadFile(with_repeat_)),
      kept = Printed({"panel", "view", "--panel", hsp, "--multiallelic", "keep"});
  ASSERT_EQ(kept.records.size(), given.records.size());
  for (size_t r = 0; r < given.records.size(); ++r) {
    std::vector<std::string> record = kept.records[r];
    record[kInfo] = given.records[r][kInfo];
    EXPECT_EQ(record, given.records[r]);
  }
  const VcfLines split = Printed({"panel", "view", "--panel", hsp});
  ASSERT_EQ(split.records.size(), given.records.size() + 3);
  EXPECT_EQ(InfoValue(split.records[12], "BPDIFFS"), "2");
  EXPECT_EQ(InfoValue(kept.At("20500"), "AC"),
            fmt::format("{},{},{},{}", InfoValue(split.records[11], "AC"), InfoValue(split.records[12], "AC"),
                        InfoValue(split.records[13], "AC"), InfoValue(split.records[14], "AC")));
}

TEST_F(MultiallelicTest, BcfHasWhatVcfHas) {
  if (!HasBcftools()) GTEST_SKIP();
  const std::vector<std::string> options{"--format", "HDS,AP,GP", "--multiallelic", "keep"};
  const VcfLines vcf = ImputedRecords(options);
  ImputedRecords(options, "imputed.bcf");
  const VcfLines bcf(Bcftools("view --no-version " + (out_ / "imputed.bcf")).output);
  EXPECT_EQ(bcf.records, vcf.records);
}

TEST_F(MultiallelicTest, BatchesStayWhole) {
  const VcfLines whole = ImputedRecords({"--format", "HDS", "--multiallelic", "keep"});
  const std::string first = Write("first.txt", "S0\nS1\n"), rest = Write("rest.txt", "S0\nS1\n");
  ImputedRecords({"--format", "HDS", "--multiallelic", "keep", "--samples", first}, "a.vcf");
  ImputedRecords({"--format", "HDS", "--multiallelic", "keep", "--exclude-samples", rest}, "b.vcf");
  std::vector<std::string> merge{"merge", "--out", "-", out_ / "a.vcf", out_ / "b.vcf"};
  const VcfLines split = Printed(merge);
  EXPECT_EQ(split.records.size(), 44u);
  EXPECT_EQ(split.records[11][kAlt], "AT");
  merge.insert(merge.end(), {"--multiallelic", "keep"});
  const VcfLines merged = Printed(merge);
  ASSERT_EQ(merged.records.size(), whole.records.size());
  const auto &record = merged.At("20500"), &expected = whole.At("20500");
  EXPECT_EQ(record[kAlt], expected[kAlt]);
  EXPECT_EQ(InfoValue(record, "BPDIFFS"), "1,2,0,4");
  for (size_t s = 0; s < kStudySamples; ++s) {
    EXPECT_EQ(Field(record, s, "GT"), Field(expected, s, "GT"));
    const auto p = Numbers(Field(record, s, "HDS")), q = Numbers(Field(expected, s, "HDS"));
    ASSERT_EQ(p.size(), 8u);
    for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(p[i], q[i], 0.02);
  }
}

// The second panel lacks two ALTs of the repeat, and has the others in another order.
TEST_F(MultiallelicTest, SeveralPanelsStayWhole) {
  const std::string full = with_repeat_;
  VcfLines lines(ReadFile(full));
  std::string other;
  for (const std::string& line : lines.header) other += line + "\n";
  other += fmt::format("{}\n", fmt::join(lines.columns, "\t"));
  for (auto& record : lines.records) {
    if (record[kPos] == "20500") {
      record[kAlt] = "ATTTT,ATT";
      record[kInfo] = "RU=T;BPDIFFS=4,2";
      for (size_t c = kFirstSample; c < record.size(); ++c) {
        for (const size_t i : {0, 2}) record[c][i] = record[c][i] == '4' ? '1' : record[c][i] == '2' ? '2' : '0';
      }
    }
    other += fmt::format("{}\n", fmt::join(record, "\t"));
  }
  const std::vector<std::string> options{"--format", "HDS,GP", "--empirical-dosages", "--multiallelic", "keep"};
  const VcfLines first = ImputedRecords(options, "a.vcf");
  with_repeat_ = Write("other.vcf", other);
  const VcfLines second = ImputedRecords(options, "b.vcf");
  std::vector<std::string> meta{"merge", "--meta", "--out", "-", out_ / "a.vcf", out_ / "b.vcf"};
  const VcfLines split = Printed(meta);
  meta.insert(meta.end(), {"--multiallelic", "keep"});
  const VcfLines kept = Printed(meta);
  ASSERT_EQ(split.records.size(), 44u);
  ASSERT_EQ(kept.records.size(), 41u);
  const auto &record = kept.At("20500"), &a = first.At("20500"), &b = second.At("20500");
  EXPECT_EQ(record[kAlt], "AT,ATT,<DEL>,ATTTT");
  EXPECT_EQ(InfoValue(record, "BPDIFFS"), "1,2,0,4");
  for (size_t alt = 0; alt < 4; ++alt) {
    const auto& own = split.records[11 + alt];
    for (const char* key : {"AF", "DR2"}) {
      EXPECT_DOUBLE_EQ(Numbers(InfoValue(record, key))[alt], Numbers(InfoValue(own, key))[0]);
    }
  }
  for (size_t s = 0; s < kStudySamples; ++s) {
    const auto p = Numbers(Field(record, s, "HDS")), x = Numbers(Field(a, s, "HDS")), y = Numbers(Field(b, s, "HDS"));
    ASSERT_EQ(p.size(), 8u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_LE(p[i] + p[2 + i] + p[4 + i] + p[6 + i], 1.0003);
      const double of_second[] = {0, y[2 + i], 0, y[i]};
      for (size_t alt = 0; alt < 4; ++alt) {
        EXPECT_GE(p[2 * alt + i], std::min(x[2 * alt + i], of_second[alt]) - 1e-4);
        EXPECT_LE(p[2 * alt + i], std::max(x[2 * alt + i], of_second[alt]) + 1e-4);
        EXPECT_EQ(Numbers(Field(split.records[11 + alt], s, "HDS"))[i], p[2 * alt + i]);
      }
    }
  }
}

// What one file has as one record, and another as a record for each ALT, is one record.
TEST_F(MultiallelicTest, SplitRecordsOfAnotherPanelAreOfTheRecord) {
  const std::vector<std::string> options{"--format", "HDS", "--empirical-dosages"};
  ImputedRecords(options, "split.vcf");
  std::vector<std::string> keep = options;
  keep.insert(keep.end(), {"--multiallelic", "keep"});
  const VcfLines whole = ImputedRecords(keep, "whole.vcf");
  for (const bool is_first : {true, false}) {
    const VcfLines meta =
        Printed({"merge", "--meta", "--multiallelic", "keep", "--out", "-",
                 out_ / (is_first ? "whole.vcf" : "split.vcf"), out_ / (is_first ? "split.vcf" : "whole.vcf")});
    ASSERT_EQ(meta.records.size(), whole.records.size());
    const auto &record = meta.At("20500"), &expected = whole.At("20500");
    EXPECT_EQ(record[kAlt], expected[kAlt]);
    for (size_t s = 0; s < kStudySamples; ++s) EXPECT_EQ(Field(record, s, "HDS"), Field(expected, s, "HDS"));
  }
}

TEST_F(MultiallelicTest, APhasedStudyKeepsItsRecords) {
  const std::vector<std::string> phase{"phase", "--ref", with_repeat_, "--target", truth_, "--out", "-"};
  EXPECT_EQ(Printed(phase).records.size(), 44u);
  std::vector<std::string> keep = phase;
  keep.insert(keep.end(), {"--multiallelic", "keep"});
  const VcfLines kept = Printed(keep), given(ReadFile(truth_));
  ASSERT_EQ(kept.records.size(), given.records.size());
  const auto &record = kept.At("20500"), &expected = given.At("20500");
  EXPECT_EQ(std::vector(record.begin() + kFirstSample, record.end()),
            std::vector(expected.begin() + kFirstSample, expected.end()));
}

// The squared correlation of the sums of a sample's lengths.
double LengthR2(const std::vector<std::string>& truth, const std::vector<std::string>& imputed, size_t samples) {
  const double lengths[] = {1, 2, 3, 4, 5};
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (size_t s = 0; s < samples; ++s) {
    const std::string genotype = Field(truth, s, "GT");
    const double given = lengths[genotype[0] - '0'] + lengths[genotype[2] - '0'];
    double found = 2 * lengths[0];
    const std::vector<double> dosages = Numbers(Field(imputed, s, "DS"));
    for (size_t a = 0; a < 4; ++a) found += dosages[a] * (lengths[a + 1] - lengths[0]);
    n += 1, x += found, y += given, xx += found * found, yy += given * given, xy += found * given;
  }
  return std::pow(n * xy - x * y, 2) / ((n * xx - x * x) * (n * yy - y * y));
}

TEST_F(MultiallelicTest, EvaluateScoresTheLengthOfRepeats) {
  const auto with_bases = [&](const std::string& path) {
    std::string text = ReadFile(path);
    return Write("bases.vcf", text.replace(text.find(",<DEL>,"), 7, ",ATTT,"));
  };
  const std::string imputed = out_ / "imputed.vcf", panel = with_bases(with_repeat_);
  std::vector<std::string> evaluated;
  std::string truth;
  for (const std::string form : {"split", "keep"}) {
    with_repeat_ = Write("panel.vcf", ReadFile(panel));
    const VcfLines lines = ImputedRecords({"--multiallelic", form});
    truth = with_bases(truth_);
    const ProgramResult result =
        RunProgram({"evaluate", "--truth", truth, "--imputed", imputed, "--multiallelic", "keep"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    evaluated.push_back(result.out);
    if (form == "keep") {
      const double r2 = LengthR2(VcfLines(ReadFile(truth)).At("20500"), lines.At("20500"), kStudySamples);
      EXPECT_THAT(result.out, HasSubstr(fmt::format("length of repeats: mean r2 {:.4f}, 1 record\n", r2)));
    }
  }
  EXPECT_EQ(evaluated[0].substr(evaluated[0].find("length of")), evaluated[1].substr(evaluated[1].find("length of")));
  EXPECT_THAT(RunProgram({"evaluate", "--truth", truth, "--imputed", imputed}).out, Not(HasSubstr("repeats")));
}

// ExpansionHunter writes the number of units of an ALT, and that of REF in INFO.
TEST_F(MultiallelicTest, EvaluateScoresTheUnitsOfRepeats) {
  const auto r2 = [&](const std::string& alts, const std::string& info) {
    const auto with = [&](const std::string& name, const std::string& path) {
      std::string text = ReadFile(path);
      const std::string alleles = "A\tAT,ATT,<DEL>,ATTTT\t", repeat = "RU=T;BPDIFFS=1,2,0,4;SVTYPE=TR";
      text.replace(text.find(alleles), alleles.size(), "A\t" + alts + "\t");
      text.replace(text.find(repeat), repeat.size(), info);
      return Write(name, text.insert(text.find("##contig"),
                                     "##INFO=<ID=REF,Number=1,Type=Integer,Description=\"Units of REF\">\n"));
    };
    const std::string panel = with_repeat_, truth = with("truth.vcf", truth_);
    with_repeat_ = with("panel.vcf", panel);
    ImputedRecords({"--multiallelic", "keep"});
    with_repeat_ = panel;
    const std::string text =
        RunProgram({"evaluate", "--truth", truth, "--imputed", out_ / "imputed.vcf", "--multiallelic", "keep"}).out;
    return text.substr(text.find("length of repeats"));
  };
  const std::string expected = r2("AT,ATT,ATTT,ATTTT", "RU=T");
  EXPECT_THAT(expected, HasSubstr(", 1 record\n"));
  EXPECT_EQ(r2("<STR4>,<STR5>,<STR6>,<STR7>", "RU=T;REF=3"), expected);
}

TEST_F(MultiallelicTest, BgenIsRefused) {
  ExpectUserError({"--ref", with_repeat_, "--multiallelic", "keep", "--out", out_ / "x.bgen"},
                  {"--multiallelic keep needs VCF or BCF output"});
}

}  // namespace
}  // namespace haplospin
