// haplospin merge: batches of samples are what one run gives.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/impute_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class MergeTest : public ImputeFiles {
 protected:
  // Two batches, of S0 and of S1 and S2, with further options of impute.
  std::vector<std::string> Batches(std::vector<std::string> options) {
    const std::string others = Write("others.txt", "S1\nS2\n"), first = Write("first.txt", "S0\n");
    const std::vector<std::string> paths{out_ / "a.bcf", out_ / "b.vcf.gz"};
    for (size_t b = 0; b < 2; ++b) {
      std::vector<std::string> all = options;
      all.insert(all.end(), {"--out", paths[b], "--exclude-samples", b == 0 ? others : first});
      EXPECT_EQ(Impute(all).exit_code, 0);
    }
    return paths;
  }
};

TEST_F(MergeTest, IsWhatOneRunGives) {
  const std::vector<std::string> options{"--format", "GP,HDS", "--empirical-dosages"};
  const auto batches = Batches(options);
  const VcfLines whole(ImputedText(options));
  const ProgramResult result = RunProgram({"merge", "--out", "-", batches[0], batches[1]});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VcfLines merged(result.out);
  EXPECT_EQ(merged.columns, whole.columns);
  ASSERT_EQ(merged.records.size(), whole.records.size());
  for (size_t r = 0; r < whole.records.size(); ++r) {
    const std::string &info = merged.records[r][kInfo], &expected = whole.records[r][kInfo];
    for (const char* key : {"AF", "DR2", "ER2"}) {
      const double value = InfoNumber(info, key), of_whole = InfoNumber(expected, key);
      EXPECT_EQ(std::isnan(value), std::isnan(of_whole)) << info << " " << expected;
      if (!std::isnan(value)) {
        EXPECT_NEAR(value, of_whole, 2e-3) << key;
      }
    }
    EXPECT_EQ(info.find("TYPED") == std::string::npos, expected.find("TYPED") == std::string::npos);
    for (const size_t c : {0, 1, 2, 3, 4, 6, 8, 9, 10, 11}) EXPECT_EQ(merged.records[r][c], whole.records[r][c]);
  }
}

TEST_F(MergeTest, KeepsR2pWhereAllBatchesHaveTheSame) {
  const std::string panel = in_ / "panel.hsp", adapted = in_ / "adapted.hsp";
  ASSERT_EQ(RunProgram({"panel", "build", "--panel", panel_path_, "--out", panel}).exit_code, 0);
  ASSERT_EQ(RunProgram({"panel", "adapt", "--panel", panel, "--sites", study_path_, "--model", weights_path_, "--out",
                        adapted, "--device", "cpu"})
                .exit_code,
            0);
  const std::vector<std::string> options{"--ref", adapted, "--format", "HDS"};
  const auto batches = Batches(options);
  const VcfLines whole(ImputedText(options));
  const VcfLines merged(RunProgram({"merge", "--out", "-", batches[0], batches[1]}).out);
  EXPECT_THAT(merged.header, testing::Contains(HasSubstr("ID=R2P")));
  ASSERT_EQ(merged.records.size(), whole.records.size());
  const std::string* changed = nullptr;  // the position of a marker with R2P
  for (size_t r = 0; r < whole.records.size(); ++r) {
    const std::string &info = merged.records[r][kInfo], &expected = whole.records[r][kInfo];
    EXPECT_TRUE(std::isnan(InfoNumber(expected, "R2P")) ? std::isnan(InfoNumber(info, "R2P"))
                                                        : InfoNumber(info, "R2P") == InfoNumber(expected, "R2P"));
    if (!std::isnan(InfoNumber(expected, "R2P"))) changed = &whole.records[r][kPos];
  }
  ASSERT_NE(changed, nullptr);

  // One marker's R2P is another in one batch, as if its array were another.
  std::string text = RunProgram({"concat", "--out", "-", batches[0]}).out;
  const size_t record = text.find("\n20\t" + *changed + "\t"), value = text.find("R2P=", record) + 4;
  text.replace(value, text.find(';', value) - value, "0.0123");
  const VcfLines mixed(RunProgram({"merge", "--out", "-", Write("other.vcf", text), batches[1]}).out);
  ASSERT_EQ(mixed.records.size(), whole.records.size());
  for (size_t r = 0; r < whole.records.size(); ++r) {
    const double r2 = InfoNumber(mixed.records[r][kInfo], "R2P");
    if (mixed.records[r][kPos] == *changed) {
      EXPECT_TRUE(std::isnan(r2));
    } else {
      EXPECT_EQ(std::isnan(r2), std::isnan(InfoNumber(merged.records[r][kInfo], "R2P")));
    }
  }
}

TEST_F(MergeTest, BatchesThatCannotBeMerged) {
  const auto batches = Batches({"--format", "HDS"});
  const auto error = [&](const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"merge", "--out", out_ / "merged.bcf"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(out_ / "merged.bcf"));
    return result.err;
  };
  EXPECT_THAT(error({batches[0]}), HasSubstr("give two files or more"));
  EXPECT_THAT(error({batches[0], batches[0]}), HasSubstr("has sample S0, which"));
  Batches({});
  EXPECT_THAT(error({batches[0], batches[1]}), HasSubstr("neither HDS nor AP1 and AP2"));
  Batches({"--format", "HDS"});
  const std::string first = Write("first.txt", "S0\n");
  ASSERT_EQ(Impute({"--format", "HDS", "--min-r2", "0.9", "--out", batches[1], "--exclude-samples", first}).exit_code,
            0);
  EXPECT_THAT(error({batches[0], batches[1]}), HasSubstr("the files must have the same sites"));
  const std::string text = RunProgram({"concat", "--out", "-", batches[0]}).out;
  const std::string cut = Write("cut.vcf", text.substr(0, text.find("\n20\t")) + "\n20\t30\n");
  EXPECT_THAT(error({cut, batches[1]}), HasSubstr("cut.vcf: 20:30 is damaged"));
}

// Imputations of the study from two halves of the panel; the second has no markers that are monomorphic in it.
class MetaImputationTest : public MergeTest {
 protected:
  static constexpr size_t kHalf = 10;  // samples of the panel

  std::vector<std::string> Panels(const std::vector<std::string>& options = {"--format", "HDS",
                                                                             "--empirical-dosages"}) {
    std::vector<std::string> paths{out_ / "a.bcf", out_ / "b.vcf.gz"};
    for (size_t half = 0; half < 2; ++half) {
      std::string names;
      for (size_t s = 0; s < kHalf; ++s) names += reference_.names[half * kHalf + s] + "\n";
      std::vector<std::string> all = options;
      all.insert(all.end(), {"--out", paths[half], "--panel-samples", Write("half.txt", names)});
      EXPECT_EQ(Impute(all).exit_code, 0);
    }
    return paths;
  }

  std::string Error(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"merge", "--meta", "--out", out_ / "meta.bcf"});
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(out_ / "meta.bcf"));
    return result.err;
  }

  // A sample's column with REF and ALT exchanged: of GT, DS, HDS and LDS.
  static std::string Mirrored(std::string format, std::string column) {
    std::string mirrored;
    std::istringstream keys(format), values(column);
    for (std::string key, value; std::getline(keys, key, ':') && std::getline(values, value, ':');) {
      if (!mirrored.empty()) mirrored += ':';
      if (key == "GT") {
        for (char& c : value) c = c == '0' ? '1' : c == '1' ? '0' : c;
        mirrored += value;
        continue;
      }
      std::istringstream numbers(value);
      std::string list;
      for (std::string number; std::getline(numbers, number, ',');) {
        list += (list.empty() ? "" : ",") + fmt::format("{:.4f}", (key == "DS" ? 2 : 1) - std::stod(number));
      }
      mirrored += list;
    }
    return mirrored;
  }

  static double Hds(const std::vector<std::string>& record, size_t sample, size_t haplotype) {
    const std::string field = Field(record, sample, "HDS");
    return std::stod(haplotype == 0 ? field : field.substr(field.find(',') + 1));
  }
};

TEST_F(MetaImputationTest, IsBetweenThePanelsAndHasTheMarkersOfBoth) {
  const auto panels = Panels();
  const VcfLines first(RunProgram({"concat", "--out", "-", panels[0]}).out);
  const VcfLines second(RunProgram({"concat", "--out", "-", panels[1]}).out);
  // The second file lacks every fifth imputed marker.
  std::string text;
  for (const std::string& line : second.header) text += line + "\n";
  const auto row = [](const std::vector<std::string>& columns) {
    std::string line = columns[0];
    for (size_t c = 1; c < columns.size(); ++c) line += "\t" + columns[c];
    return line + "\n";
  };
  text += row(second.columns);
  std::vector<bool> is_left_out;
  for (size_t r = 0; r < second.records.size(); ++r) {
    is_left_out.push_back(r % 5 == 0 && second.records[r][kInfo].find("IMP") != std::string::npos);
    if (!is_left_out[r]) text += row(second.records[r]);
  }
  const std::string thinned = Write("thinned.vcf", text);
  const ProgramResult result = RunProgram({"merge", "--meta", "--out", "-", panels[0], thinned});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VcfLines meta(result.out);
  EXPECT_EQ(meta.columns, first.columns);
  ASSERT_EQ(meta.records.size(), first.records.size());
  size_t num_between = 0, num_alone = 0, num_er2 = 0;
  for (size_t r = 0; r < meta.records.size(); ++r) {
    const auto &record = meta.records[r], &a = first.records[r], &b = second.records[r];
    EXPECT_EQ(record[kPos], a[kPos]);
    double mean = 0;
    for (size_t s = 0; s < 3; ++s) {
      for (size_t i = 0; i < 2; ++i) {
        const double p = Hds(record, s, i), pa = Hds(a, s, i), pb = is_left_out[r] ? pa : Hds(b, s, i);
        mean += p / 6;
        EXPECT_GE(p, std::min(pa, pb) - 1e-4);
        EXPECT_LE(p, std::max(pa, pb) + 1e-4);
        num_between += p > std::min(pa, pb) + 1e-3 && p < std::max(pa, pb) - 1e-3;
      }
      if (a[kInfo].find("TYPED") != std::string::npos) {
        EXPECT_EQ(Field(record, s, "GT"), Field(a, s, "GT"));
      }
    }
    EXPECT_NEAR(InfoNumber(record[kInfo], "AF"), mean, 2e-4);
    num_alone += is_left_out[r];
    num_er2 += !std::isnan(InfoNumber(record[kInfo], "ER2"));
  }
  EXPECT_GT(num_between, 10U);
  EXPECT_GT(num_alone, 5U);
  EXPECT_GT(num_er2, 5U);
}

TEST_F(MetaImputationTest, OneFileTwiceIsThatFile) {
  const auto panels = Panels();
  const VcfLines one(RunProgram({"concat", "--out", "-", panels[0]}).out);
  const VcfLines meta(RunProgram({"merge", "--meta", "--out", "-", panels[0], panels[0]}).out);
  ASSERT_EQ(meta.records.size(), one.records.size());
  for (size_t r = 0; r < one.records.size(); ++r) {
    for (const size_t c : {0, 1, 2, 3, 4, 6, 8, 9, 10, 11}) EXPECT_EQ(meta.records[r][c], one.records[r][c]);
  }
}

// Minimac4 writes the leave-one-out probabilities to a file of their own.
TEST_F(MetaImputationTest, EmpiricalFilesAreTheSame) {
  const auto panels = Panels();
  const std::string expected = RunProgram({"merge", "--meta", "--out", "-", panels[0], panels[1]}).out;
  const ProgramResult result = RunProgram(
      {"merge", "--meta", "--out", "-", "--empirical", panels[0], "--empirical", panels[1], panels[0], panels[1]});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(VcfLines(result.out).records, VcfLines(expected).records);
}

// The panels would have each other's weights.
TEST_F(MetaImputationTest, EmpiricalFilesInAnotherOrderAreAnError) {
  const auto panels = Panels();
  EXPECT_THAT(Error({"--empirical", panels[1], "--empirical", panels[0], panels[0], panels[1]}),
              testing::AllOf(HasSubstr("--empirical " + panels[1] + " is not of " + panels[0]),
                             HasSubstr("are those of " + panels[0])));
}

TEST_F(MetaImputationTest, FilesThatCannotBeCombined) {
  const auto panels = Panels();
  EXPECT_THAT(Error({"--empirical", panels[0], panels[0], panels[1]}), HasSubstr("1 --empirical for 2 files"));
  const auto batches = Batches({"--format", "HDS", "--empirical-dosages"});
  EXPECT_THAT(Error({batches[0], batches[1]}), HasSubstr("other samples than"));
  const auto without = Panels({"--format", "HDS"});
  EXPECT_THAT(Error({without[0], without[1]}), HasSubstr("no typed markers with leave-one-out probabilities"));
}

// Haplotypes of a study that was phased twice must not be averaged.
TEST_F(MetaImputationTest, OtherPhaseIsAnError) {
  const auto panels = Panels();
  VcfLines swapped(RunProgram({"concat", "--out", "-", panels[1]}).out);
  std::string text;
  for (const std::string& line : swapped.header) text += line + "\n";
  for (size_t c = 0; c < swapped.columns.size(); ++c) text += (c == 0 ? "" : "\t") + swapped.columns[c];
  for (auto& record : swapped.records) {
    const std::string gt = Field(record, 0, "GT");
    std::string hds = Field(record, 0, "HDS");
    const size_t comma = hds.find(',');
    std::string& sample = record[kFirstSample];
    const size_t at = sample.find(hds);
    sample.replace(at, hds.size(), hds.substr(comma + 1) + "," + hds.substr(0, comma));
    sample.replace(0, 3, std::string{gt[2], '|', gt[0]});
    text += "\n" + record[0];
    for (size_t c = 1; c < record.size(); ++c) text += "\t" + record[c];
  }
  const std::string other = Write("other.vcf", text + "\n");
  EXPECT_THAT(Error({panels[0], other}), HasSubstr("sample S0: its typed haplotypes differ"));
}

// Panels may differ in which allele of an SNV is REF.
TEST_F(MetaImputationTest, ExchangedAllelesAreTheSameMarker) {
  const auto panels = Panels();
  const std::string expected = RunProgram({"merge", "--meta", "--out", "-", panels[0], panels[1]}).out;
  VcfLines second(RunProgram({"concat", "--out", "-", panels[1]}).out);
  std::string text;
  for (const std::string& line : second.header) text += line + "\n";
  for (size_t c = 0; c < second.columns.size(); ++c) text += (c == 0 ? "" : "\t") + second.columns[c];
  size_t num_exchanged = 0;
  for (size_t r = 0; r < second.records.size(); ++r) {
    auto& record = second.records[r];
    if (r % 3 == 0 && record[kRef].size() == 1 && record[kAlt].size() == 1) {
      std::swap(record[kRef], record[kAlt]);
      for (size_t c = kFirstSample; c < record.size(); ++c) record[c] = Mirrored(record[kFormat], record[c]);
      ++num_exchanged;
    }
    for (size_t c = 0; c < record.size(); ++c) text += (c == 0 ? "\n" : "\t") + record[c];
  }
  ASSERT_GT(num_exchanged, 20U);
  const ProgramResult result =
      RunProgram({"merge", "--meta", "--out", "-", panels[0], Write("exchanged.vcf", text + "\n")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(VcfLines(result.out).records, VcfLines(expected).records);
}

}  // namespace
}  // namespace haplospin
