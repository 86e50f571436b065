// Animals of a pedigree without genotypes: haplospin impute --all-animals, as a user runs it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "cli/impute_files.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> Numbers(const std::string& list) {
  std::vector<double> numbers;
  std::istringstream text(list);
  for (std::string number; std::getline(text, number, ',');) numbers.push_back(std::stod(number));
  return numbers;
}

// Five sires and five dams, each pair of which has five calves, at 60 markers of a contig of 100 cM and ten of X. The
// study lacks the dams, and so does it the sire of the first dam.
class AllAnimalsTest : public testing::Test {
 protected:
  static constexpr size_t kMarkers = 60, kPairs = 5, kCalves = 5;

  AllAnimalsTest() {
    for (size_t h = 0; h < 4 * kPairs; ++h) {
      for (std::vector<int>& haplotype = haplotypes_.emplace_back(); haplotype.size() < kMarkers;) {
        haplotype.push_back(static_cast<int>(random_() % 2));
      }
    }
    for (size_t calf = 0; calf < kPairs * kCalves; ++calf) {
      haplotypes_.push_back(Gamete(2 * (calf % kPairs)));
      haplotypes_.push_back(Gamete(2 * (kPairs + calf % kPairs)));
    }
    std::string lines = "animal,sire,dam\n";
    for (size_t calf = 0; calf < kPairs * kCalves; ++calf) {
      lines += fmt::format("calf{},sire{},dam{}\n", calf, calf % kPairs, calf % kPairs);
    }
    for (size_t dam = kPairs; dam-- > 0;) lines += fmt::format("dam{},{},0\n", dam, dam == 0 ? "grandsire" : "0");
    std::ofstream(pedigree_) << lines + "lone,stranger,0\n";
    std::ofstream(study_) << Study();
  }

  std::vector<int> Gamete(size_t first) {
    size_t from = random_() % 2;
    std::vector<int> gamete;
    for (size_t m = 0; m < kMarkers; ++m) {
      if (random_() % 60 == 0) from = 1 - from;
      gamete.push_back(haplotypes_[first + from][m]);
    }
    return gamete;
  }

  int Alts(size_t person, size_t m) const { return haplotypes_[2 * person][m] + haplotypes_[2 * person + 1][m]; }

  std::string Study(bool has_dams_without_calls = false) const {
    std::vector<std::string> names;
    std::vector<size_t> people;
    for (size_t s = 0; s < 2 * kPairs + kPairs * kCalves; ++s) {
      const bool is_dam = s >= kPairs && s < 2 * kPairs;
      if (is_dam && !has_dams_without_calls) continue;
      people.push_back(s);
      names.push_back(s < kPairs ? fmt::format("sire{}", s)
                      : is_dam   ? fmt::format("dam{}", s - kPairs)
                                 : fmt::format("calf{}", s - 2 * kPairs));
    }
    VcfText vcf(names, {"1", "X"});
    for (const std::string contig : {"1", "X"}) {
      for (size_t m = 0; m < (contig == "X" ? 10 : kMarkers); ++m) {
        std::string genotypes;
        for (const size_t s : people) {
          const bool is_dam = s >= kPairs && s < 2 * kPairs;
          const int alts = Alts(s, m);
          genotypes += genotypes.empty() ? "" : " ";
          genotypes += is_dam ? "./." : alts == 0 ? "0/0" : alts == 1 ? "0/1" : "1/1";
        }
        vcf.Add(contig, static_cast<int64_t>(m + 1) * 1'600'000, "A", "C", genotypes);
      }
    }
    return vcf.text();
  }

  ProgramResult Impute(std::vector<std::string> options) const {
    options.insert(options.begin(), {"impute", "--target", study_, "--out", out_});
    return RunProgram(options);
  }

  VcfLines Imputed(std::vector<std::string> options = {"--all-animals"}, std::string* messages = nullptr) const {
    options.insert(options.end(), {"--pedigree", pedigree_, "--format", "GP"});
    const ProgramResult result = Impute(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    if (messages != nullptr) *messages = result.err;
    return VcfLines(ReadFile(out_));
  }

  void ExpectError(const std::vector<std::string>& options, const std::string& message) const {
    ExpectRefused(Impute(options), {message});
  }

  // Expects calls that are the most probable genotypes, most of them right, as GP says, of dams in these columns.
  void ExpectCalibrated(const VcfLines& imputed, const std::function<size_t(size_t dam)>& column) const {
    double right = 0, expected = 0;
    for (size_t m = 0; m < kMarkers; ++m) {
      for (size_t dam = 0; dam < kPairs; ++dam) {
        const std::vector<double> gp = Numbers(Field(imputed.records[m], column(dam), "GP"));
        ASSERT_EQ(gp.size(), 3u);
        EXPECT_NEAR(gp[0] + gp[1] + gp[2], 1, 2e-4);
        const std::string call = Field(imputed.records[m], column(dam), "GT");
        const int alts = call[0] + call[2] - 2 * '0';
        EXPECT_NEAR(gp[static_cast<size_t>(alts)], *std::ranges::max_element(gp), 2e-4);
        EXPECT_NEAR(std::stod(Field(imputed.records[m], column(dam), "DS")), gp[1] + 2 * gp[2], 3e-4);
        right += alts == Alts(kPairs + dam, m) ? 1 : 0;
        expected += gp[static_cast<size_t>(alts)];
      }
    }
    EXPECT_GT(right / (kPairs * kMarkers), 0.85);
    EXPECT_NEAR(right, expected, 0.08 * kPairs * kMarkers);  // whole stretches of five dams are right or wrong
  }

  const TemporaryFolder folder_;
  const std::string study_ = folder_ / "herd.vcf", pedigree_ = folder_ / "herd.csv", out_ = folder_ / "out.vcf";
  std::mt19937 random_{11};
  std::vector<std::vector<int>> haplotypes_;
};

TEST_F(AllAnimalsTest, AreWrittenAfterTheSamples) {
  std::string messages;
  const VcfLines imputed = Imputed({"--all-animals"}, &messages), without = Imputed({});
  const size_t samples = kPairs + kPairs * kCalves;
  EXPECT_THAT(messages, HasSubstr("herd.csv: 6 animals without genotypes, written after the samples of the study; 2 "
                                  "others left out, as no relative has genotypes"));
  EXPECT_THAT(messages, HasSubstr("herd.csv: animals without genotypes are missing on X"));
  ASSERT_EQ(imputed.columns.size(), kFirstSample + samples + 6);
  EXPECT_THAT(std::vector<std::string>(imputed.columns.end() - 6, imputed.columns.end()),
              ElementsAre("dam4", "dam3", "dam2", "dam1", "dam0", "grandsire"));
  ASSERT_EQ(imputed.records.size(), kMarkers + 10);
  for (size_t r = 0; r < imputed.records.size(); ++r) {
    EXPECT_TRUE(std::equal(without.records[r].begin(), without.records[r].end(), imputed.records[r].begin()));
  }
  for (size_t a = 0; a < 6; ++a) {
    EXPECT_EQ(Field(imputed.records[kMarkers], samples + a, "GT"), ".|.");
    EXPECT_EQ(Field(imputed.records[kMarkers], samples + a, "GP"), ".");
  }
  ExpectCalibrated(imputed, [&](size_t dam) { return samples + kPairs - 1 - dam; });
}

TEST_F(AllAnimalsTest, SamplesWithoutCallsStayAtTheirPlace) {
  std::ofstream(study_) << Study(/*has_dams_without_calls=*/true);
  const VcfLines imputed = Imputed();
  ASSERT_EQ(imputed.columns.size(), kFirstSample + 2 * kPairs + kPairs * kCalves + 1);
  EXPECT_EQ(imputed.columns.back(), "grandsire");
  ExpectCalibrated(imputed, [&](size_t dam) { return kPairs + dam; });
}

TEST_F(AllAnimalsTest, OtherFormats) {
  const VcfLines text = Imputed({"--all-animals", "--min-gp", "0.9"});
  for (const char* name : {"out.bcf", "out.bgen"}) {
    const ProgramResult result =
        RunProgram({"impute", "--target", study_, "--pedigree", pedigree_, "--all-animals", "--out", folder_ / name});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_THAT(ReadFile(folder_ / "out.sample"), testing::EndsWith("dam0 dam0 0\ngrandsire grandsire 0\n"));
  if (HasBcftools()) {
    const VcfLines binary(Bcftools("view " + (folder_ / "out.bcf")).output);
    EXPECT_EQ(binary.columns, text.columns);
    for (size_t s = 0; s < text.columns.size() - kFirstSample; ++s) {
      EXPECT_EQ(Field(binary.records[3], s, "DS"), Field(text.records[3], s, "DS"));
    }
  }
  bool has_uncertain = false;
  for (const auto& record : text.records)
    has_uncertain |= Field(record, text.columns.size() - kFirstSample - 1, "GT") == ".|.";
  EXPECT_TRUE(has_uncertain);
}

TEST_F(AllAnimalsTest, WrongUse) {
  ExpectError({"--all-animals"}, "impute: --all-animals writes the animals of a pedigree; give it with --pedigree");
  ExpectError({"--all-animals", "--pedigree", "none"}, "give it with --pedigree");
  ExpectError({"--all-animals", "--pedigree", pedigree_, "--sites-only"},
              "impute: --all-animals and --sites-only cannot be given together");
  std::ofstream(pedigree_) << "calf0,sire0,dam0\ndam0,0,0\ndam0,0,0\n";
  ExpectError({"--all-animals", "--pedigree", pedigree_}, "line 3: dam0 occurs twice");
  std::ofstream(pedigree_) << "calf0,sire0,dam0\ndam0,0,dam0\n";
  ExpectError({"--all-animals", "--pedigree", pedigree_}, "line 2: dam0 is its own parent");
  std::ofstream(pedigree_) << "A,calf0,sire0,dam0\nB,calf1,sire1,dam0\nB,x,sire1,B_dam0\n";
  ExpectError({"--all-animals", "--pedigree", pedigree_}, "two animals would have the name B_dam0 in the output");
  std::ofstream(pedigree_) << "calf0,sire0,0\n";
  const ProgramResult nobody = Impute({"--all-animals", "--pedigree", pedigree_});
  EXPECT_EQ(nobody.exit_code, 0) << nobody.err;
  EXPECT_THAT(nobody.err, HasSubstr("--all-animals adds nobody: its animals have genotypes"));
}

}  // namespace
}  // namespace haplospin
