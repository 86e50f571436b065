// Batches that are merged give what one run gives, on every kind of chromosome and with every output.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/impute_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr int64_t kPar1End = 800000;

bool IsMan(size_t sample) { return sample != 1; }

// The genotypes of men are haploid where `is_haploid` says so of the position.
template <typename IsHaploid>
std::string WithHaploidMen(const VcfText& vcf, const IsHaploid& is_haploid) {
  return WithGenotypes(vcf, [&](size_t sample, int64_t position, const std::string& genotype) {
    return is_haploid(sample, position) ? genotype.substr(0, 1) : genotype;
  });
}

class BatchesTest : public ImputeFiles {
 protected:
  std::vector<std::string> Files(const std::string& contig) const {
    const auto is_haploid = [&](size_t sample, int64_t position) {
      return contig == "Y" || (contig == "X" && IsMan(sample) && position > kPar1End);
    };
    return {"--ref",    Write("p.vcf", WithHaploidMen(PanelVcf(contig), is_haploid)),
            "--target", Write("s.vcf", WithHaploidMen(StudyVcf(contig), is_haploid)),
            "--par",    Write("par.txt", "X 0 800000\n")};
  }

  static std::vector<std::string> With(std::vector<std::string> options, const std::vector<std::string>& further) {
    options.insert(options.end(), further.begin(), further.end());
    return options;
  }

  // Imputes the samples of `names` into a file.
  std::string Batch(const std::string& file, const std::string& names, const std::vector<std::string>& options) const {
    const std::string path = out_ / file;
    const ProgramResult result = Impute(With(options, {"--samples", Write("names.txt", names), "--out", path}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return path;
  }
};

TEST_F(BatchesTest, AreWhatOneRunGives) {
  for (const std::string contig : {"20", "X", "Y"}) {
    for (const std::string dosage : {"haploid", "diploid"}) {
      for (const std::string format : {"HDS", "GP,AP"}) {
        const auto options = With(Files(contig), {"--format", format, "--male-dosage", dosage});
        const VcfLines whole(ImputedText(options));
        const ProgramResult result = RunProgram(
            {"merge", "--out", "-", Batch("a.bcf", "S0\n", options), Batch("b.vcf.gz", "S1\nS2\n", options)});
        ASSERT_EQ(result.exit_code, 0) << result.err;
        const VcfLines merged(result.out);
        ASSERT_EQ(merged.records.size(), whole.records.size());
        for (size_t r = 0; r < whole.records.size(); ++r) {
          const auto &record = merged.records[r], &expected = whole.records[r];
          for (const char* key : {"AF", "DR2"}) {
            const double value = InfoNumber(record[kInfo], key), expected_value = InfoNumber(expected[kInfo], key);
            if (!std::isnan(expected_value)) {
              EXPECT_NEAR(value, expected_value, 2e-3) << contig << " " << dosage << " " << format << " " << key;
            }
          }
          for (const size_t c : {0, 1, 2, 3, 4, 8, 9, 10, 11}) EXPECT_EQ(record[c], expected[c]) << contig << dosage;
        }
      }
    }
  }
}

// DS of men is 0 to 1 in one, and 0 to 2 in the other.
TEST_F(BatchesTest, MenMustBeCountedInOneWay) {
  const auto options = With(Files("X"), {"--format", "HDS"});
  const std::string first = Batch("a.bcf", "S0\nS1\n", options),
                    second = Batch("b.bcf", "S2\n", With(options, {"--male-dosage", "diploid"}));
  for (const auto& files : {std::vector{first, second}, std::vector{second, first}}) {
    ExpectRefused(RunProgram({"merge", "--out", out_ / "m.bcf", files[0], files[1]}),
                  {"impute all batches with the same --male-dosage"});
  }
}

class MergedTextTest : public ImputeFiles {
 protected:
  // Lines of records with blanks for tabs, without contig lines.
  std::string Batch(const std::string& sample, const std::string& fields, const std::string& records) const {
    std::string text = "##fileformat=VCFv4.2\n" + fields + "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n" +
                       "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT " + sample + "\n" + records;
    std::string header = text.substr(0, text.find("#CHROM")), rest = text.substr(header.size());
    std::ranges::replace(rest, ' ', '\t');
    return Write(sample + ".vcf", header + rest);
  }

  VcfLines Merged(const std::string& first, const std::string& second) const {
    const ProgramResult result = RunProgram({"merge", "--out", "-", first, second});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return VcfLines(result.out);
  }
};

TEST_F(MergedTextTest, RecordsOfAPositionMayBeInAnyOrder) {
  const std::string fields =
      "##contig=<ID=20>\n##INFO=<ID=IMP,Number=0,Type=Flag,Description=\"i\">\n##INFO=<ID=TYPED,Number=0,Type=Flag,"
      "Description=\"t\">\n##FORMAT=<ID=HDS,Number=.,Type=Float,Description=\"h\">\n";
  const std::string one = "20 5 . A C . . IMP GT:HDS 0|1:0.1,0.9\n", two = "20 5 . A G . . IMP GT:HDS 1|0:0.8,0.3\n",
                    named = "20 5 hla A G . . IMP GT:HDS 1|1:0.7,0.6\n", last = "20 9 . A G . . IMP GT:HDS 0|0:0,0.2\n";
  const auto merged = [&](const std::string& records) {
    return Merged(Batch("a", fields, one + two + named + last), Batch("b", fields, records)).records;
  };
  const auto expected = merged(one + two + named + last);
  ASSERT_EQ(expected.size(), 4u);
  EXPECT_EQ(merged(two + one + named + last), expected);
  EXPECT_EQ(merged(named + one + two + last), expected);
  ExpectRefused(
      RunProgram({"merge", "--out", "-", Batch("a", fields, one + two + last), Batch("b", fields, two + named + last)}),
      {"the files must have the same sites"});
}

// Beagle declares no contigs, and marks imputed markers by IMP and typed ones by nothing.
TEST_F(MergedTextTest, FilesOfBeagle) {
  const std::string fields =
      "##INFO=<ID=IMP,Number=0,Type=Flag,Description=\"i\">\n##FORMAT=<ID=AP1,Number=A,Type=Float,Description=\"a\">\n"
      "##FORMAT=<ID=AP2,Number=A,Type=Float,Description=\"a\">\n";
  const std::string records =
      "20 5 . A C . . . GT:AP1:AP2 0|1:0:1\n20 7 . A C . . IMP GT:AP1:AP2 0|1:0.2:0.9\n21 7 . A "
      "C . . IMP GT:AP1:AP2 0|1:0.2:0.9\n";
  const VcfLines merged = Merged(Batch("a", fields, records), Batch("b", fields, records));
  ASSERT_EQ(merged.records.size(), 3u);
  EXPECT_THAT(merged.header, testing::Contains("##contig=<ID=21>"));
  for (const std::string name : {"2<0", "[20"}) {
    const std::string damaged = Batch("c", fields, name + " 5 . A C . . . GT:AP1:AP2 0|1:0:1\n");
    ExpectRefused(RunProgram({"merge", "--out", "-", damaged, damaged}),
                  {"the contig name \"" + name + "\" is invalid"});
  }
  EXPECT_THAT(merged.records[0][kInfo], testing::Not(HasSubstr("IMP")));
  EXPECT_EQ(Field(merged.records[0], 1, "GT"), "0|1");
  EXPECT_THAT(merged.records[1][kInfo], HasSubstr("IMP"));
  EXPECT_EQ(InfoNumber(merged.records[1][kInfo], "AF"), 0.55);
}

}  // namespace
}  // namespace haplospin
