// haplospin panel adapt, and what impute does with its result.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "cli/impute_files.h"
#include "core/file_contents.h"
#include "genotypes/imputation/mosaic_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

class PanelAdaptTest : public ImputeFiles {
 protected:
  PanelAdaptTest() {
    EXPECT_EQ(RunProgram({"panel", "build", "--panel", panel_path_, "--out", plain_}).exit_code, 0);
    std::string sites;
    for (const uint32_t m : typed_) sites += "20\t" + std::to_string(mosaic_.markers[m].position) + "\n";
    sites_ = Write("array.txt", sites);
  }

  ProgramResult Adapt(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"panel",   "adapt",       "--panel", plain_,   "--sites",  sites_,
                                          "--model", weights_path_, "--out",   adapted_, "--device", "cpu"};
    for (size_t k = 0; k < options.size(); k += 2) {
      const auto same = std::ranges::find(arguments, options[k]);
      if (same == arguments.end()) {
        arguments.insert(arguments.end(), {options[k], options[k + 1]});
      } else {
        *(same + 1) = options[k + 1];
      }
    }
    return RunProgram(arguments);
  }

  void ExpectAdaptError(const std::vector<std::string>& options, const std::string& message) const {
    ExpectRefused(Adapt(options), {message});
  }

  const std::string plain_ = in_ / "panel.hsp", adapted_ = in_ / "adapted.hsp";
  std::string sites_;
};

TEST_F(PanelAdaptTest, ImputeUsesItForTheArray) {
  const ProgramResult result = Adapt();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("adapted.hsp: adapted to array.txt ("));
  EXPECT_THAT(RunProgram({"panel", "info", "--panel", adapted_}).out,
              testing::AllOf(HasSubstr("\nversion  8\n"), HasSubstr("\narray    array.txt\n")));
  EXPECT_EQ(RunProgram({"panel", "view", "--panel", adapted_}).out,
            RunProgram({"panel", "view", "--panel", plain_}).out);

  const VcfLines plain(ImputedText({"--ref", plain_})), adapted(ImputedText({"--ref", adapted_}));
  EXPECT_THAT(plain.header, Not(testing::Contains(HasSubstr("ID=R2P"))));
  EXPECT_THAT(adapted.header, testing::Contains(HasSubstr("ID=R2P")));
  ASSERT_EQ(adapted.records.size(), plain.records.size());
  size_t with_r2 = 0, changed = 0;
  for (size_t r = 0; r < plain.records.size(); ++r) {
    const std::string& info = adapted.records[r][kInfo];
    EXPECT_TRUE(std::isnan(InfoNumber(plain.records[r][kInfo], "R2P")));
    const double r2 = InfoNumber(info, "R2P");
    if (info.find("TYPED") != std::string::npos) {
      EXPECT_TRUE(std::isnan(r2));
      EXPECT_EQ(adapted.records[r][kFirstSample], plain.records[r][kFirstSample]);
      const double er2 = InfoNumber(info, "ER2"), plain_er2 = InfoNumber(plain.records[r][kInfo], "ER2");
      EXPECT_TRUE((std::isnan(er2) && std::isnan(plain_er2)) || std::abs(er2 - plain_er2) < 0.02) << info;
      continue;
    }
    with_r2 += std::isnan(r2) ? 0 : 1;
    changed += adapted.records[r][kFirstSample] != plain.records[r][kFirstSample] ? 1 : 0;
    EXPECT_TRUE(std::isnan(r2) || (r2 >= 0 && r2 <= 1)) << info;
  }
  EXPECT_GT(with_r2, plain.records.size() / 2);
  EXPECT_GT(changed, 0u);
}

// Positions do not tell which alleles an array has, but a study does.
TEST_F(PanelAdaptTest, OtherAllelesOfAPositionAreNotTyped) {
  std::string text = ReadFile(panel_path_);
  const VcfLines lines(text);
  const auto& record = lines.At(std::to_string(mosaic_.markers[typed_[5]].position));
  std::string other;
  for (size_t c = 0; c < record.size(); ++c)
    other += (c == 0 ? "" : "\t") + (c == kAlt ? record[kRef] + "A" : record[c]);
  const size_t at = text.find(fmt::format("20\t{}\t", record[kPos]));
  text.insert(text.find('\n', at) + 1, other + '\n');
  const std::string panel = in_ / "two.hsp";
  ASSERT_EQ(RunProgram({"panel", "build", "--panel", Write("two.vcf", text), "--out", panel}).exit_code, 0);
  EXPECT_THAT(Adapt({"--panel", panel}).err, HasSubstr(fmt::format("array.txt ({} sites)", typed_.size() + 1)));
  EXPECT_THAT(Adapt({"--panel", panel, "--sites", study_path_}).err,
              HasSubstr(fmt::format("({} sites)", typed_.size())));
}

// The same bytes with any number of threads, in BCF as in VCF, and of a part of the contig.
TEST_F(PanelAdaptTest, ResultsDoNotDependOnThreadsOrRegions) {
  ASSERT_EQ(Adapt({"--threads", "1"}).exit_code, 0);
  const std::string bytes = Contents(adapted_);
  ASSERT_EQ(Adapt({"--threads", "3"}).exit_code, 0);
  EXPECT_TRUE(Contents(adapted_) == bytes);
  const VcfLines whole(ImputedText({"--ref", adapted_, "--threads", "1"}));
  EXPECT_EQ(VcfLines(ImputedText({"--ref", adapted_, "--threads", "3"})).records, whole.records);
  const std::string middle = whole.records[whole.records.size() / 2][kPos];
  const VcfLines part(ImputedText({"--ref", adapted_, "--region", "20:" + middle + "-"}));
  ASSERT_FALSE(part.records.empty());
  for (const auto& record : part.records) EXPECT_EQ(record, whole.At(record[kPos]));
}

TEST_F(PanelAdaptTest, ItIsNotUsedForAnotherArrayOrPartOfThePanel) {
  const std::string other =
      Write("other.txt", "20\t" + std::to_string(mosaic_.markers[typed_[0] + 1].position) + "\n20\t" +
                             std::to_string(mosaic_.markers[typed_[5] + 1].position) + "\n");
  ASSERT_EQ(Adapt({"--sites", other}).exit_code, 0);
  const VcfLines plain(ImputedText({"--ref", plain_}));
  const ProgramResult result = Impute({"--ref", adapted_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err,
              HasSubstr("adapted.hsp: adapted to another array, other.txt (the study has 0 of its 2 sites"));
  EXPECT_EQ(VcfLines(Contents(imputed_path_)).records, plain.records);

  ASSERT_EQ(Adapt().exit_code, 0);
  std::string names;
  for (const std::string& name : reference_.names) names += name + "\n";
  const std::string samples = Write("samples.txt", names);
  const ProgramResult part = Impute({"--ref", adapted_, "--panel-samples", samples});
  EXPECT_THAT(part.err, HasSubstr("adapted.hsp: adapted to the array array.txt, which is not used with some of its"));
  EXPECT_EQ(VcfLines(Contents(imputed_path_)).records, plain.records);
}

// A study of 2,000 people, and of one less.
TEST_F(PanelAdaptTest, ImputeTellsLargeStudiesOfIt) {
  constexpr const char* kAdvice = "panel.hsp: not adapted to the array of the study; haplospin panel adapt does this";
  const VcfLines study(Contents(study_path_));
  const auto large = [&](size_t samples) {
    std::string text;
    for (const std::string& line : study.header) text += line + "\n";
    const auto append = [&](const std::vector<std::string>& columns, bool is_header) {
      for (size_t c = 0; c < kFirstSample; ++c) text += (c == 0 ? "" : "\t") + columns[c];
      for (size_t s = 0; s < samples; ++s) {
        text += "\t" + (is_header ? "P" + std::to_string(s) : columns[kFirstSample + s % 3]);
      }
      text += "\n";
    };
    append(study.columns, true);
    for (const auto& record : study.records) append(record, false);
    return Impute({"--ref", plain_, "--target", Write("large.vcf", text)});
  };
  const ProgramResult result = large(2000);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr(kAdvice));
  EXPECT_THAT(large(1999).err, Not(HasSubstr(kAdvice)));
}

TEST_F(PanelAdaptTest, WrongInput) {
  ExpectAdaptError({"--panel", panel_path_}, "not a panel file; convert it with `panel build`");
  ExpectAdaptError({"--sites", Write("none.txt", "")}, "none.txt: ");
  ExpectAdaptError(
      {"--sites", Write("far.txt", "20\t7\n21\t9\n")},
      "far.txt: has 2 sites, but none in " + plain_ + ": contigs 20, 21 against 20; give the array's sites");
  ExpectAdaptError({"--out", in_ / "adapted.bcf"}, "end its name with .hsp");
  const std::string few = in_ / "few.hsp";
  const std::string vcf = Write("few.vcf", MosaicVcf(mosaic_, DiploidSamples("R", 19), 0, AllMarkers(mosaic_)).text());
  ASSERT_EQ(RunProgram({"panel", "build", "--panel", vcf, "--out", few}).exit_code, 0);
  ExpectAdaptError({"--panel", few}, "19 samples, but adapting needs at least 20");
  EXPECT_FALSE(std::filesystem::exists(adapted_));
}

}  // namespace
}  // namespace haplospin
