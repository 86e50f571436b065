// Missing genotypes of a study that are imputed from its own samples: haplospin impute without --ref.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/impute_files.h"
#include "core/random.h"
#include "genotypes/imputation/mosaic_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

// The numbers of a field with commas between them.
std::vector<double> Numbers(const std::string& field) {
  std::vector<double> numbers;
  std::istringstream text(field);
  for (std::string number; std::getline(text, number, ',');) numbers.push_back(std::stod(number));
  return numbers;
}

// Sixty people, the first one phased. Nothing tells the alleles of three markers. A fifth of the genotypes, all of
// the person `empty` and all of the marker at `empty_position` are missing.
class WithoutPanelTest : public ImputeFiles {
 protected:
  WithoutPanelTest()
      : people_(SimulateMosaic({.haplotypes = 180, .markers = 150, .founders = 6, .rare_share = 0, .seed = 3})) {
    RandomStream random(4);
    for (std::vector<uint8_t>& haplotype : people_.alleles) {
      for (const size_t m : {50, 75, 100}) haplotype[m] = random.Bernoulli(0.5) ? 1 : 0;
    }
  }

  std::string Study(size_t people = 60, size_t empty = SIZE_MAX, int64_t empty_position = 0) const {
    const SampleTable samples = DiploidSamples("P", people);
    VcfText vcf(samples.names, {"20"});
    RandomStream random(9);
    for (size_t m = 0; m < people_.markers.size(); ++m) {
      const Marker& marker = people_.markers[m];
      std::string genotypes;
      for (size_t s = 0; s < people; ++s) {
        const bool is_missing = random.Bernoulli(0.2) || s == empty || marker.position == empty_position;
        const int first = people_.alleles[2 * s][m], second = people_.alleles[2 * s + 1][m];
        genotypes += s == 0 ? "" : " ";
        genotypes += is_missing ? "./."
                     : s == 0   ? std::to_string(first) + "|" + std::to_string(second)
                              : std::to_string(std::min(first, second)) + "/" + std::to_string(std::max(first, second));
      }
      vcf.Add("20", marker.position, marker.ref, marker.alt, genotypes);
    }
    return vcf.text();
  }

  ProgramResult Run(const std::string& study, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"impute", "--target", study, "--out", imputed_path_});
    return RunProgram(options);
  }

  Mosaic people_;
};

TEST_F(WithoutPanelTest, ImputesMissingGenotypesFromTheStudy) {
  const std::string study = Write("gaps.vcf", Study());
  const ProgramResult result = Run(study, {"--format", "GP,HDS"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no --ref"));
  const std::string text = ReadFile(imputed_path_);
  const VcfLines imputed(text), given(Study());
  ASSERT_EQ(imputed.records.size(), people_.markers.size());
  size_t wrong = 0, missing = 0, other_calls = 0;
  for (size_t m = 0; m < imputed.records.size(); ++m) {
    EXPECT_THAT(imputed.records[m][kInfo], HasSubstr("DR2="));
    for (size_t s = 0; s < 60; ++s) {
      const std::string before = given.records[m][kFirstSample + s];
      const std::string genotype = Field(imputed.records[m], s, "GT");
      ASSERT_THAT(genotype, testing::MatchesRegex("[01]\\|[01]"));
      const int alts = genotype[0] + genotype[2] - 2 * '0';
      const bool is_wrong = alts != people_.alleles[2 * s][m] + people_.alleles[2 * s + 1][m];
      if (before == "./.") {
        ++missing;
        wrong += is_wrong ? 1 : 0;
        const std::vector<double> gp = Numbers(Field(imputed.records[m], s, "GP"));
        ASSERT_EQ(gp.size(), 3u);
        EXPECT_GE(gp[static_cast<size_t>(alts)], *std::ranges::max_element(gp) - 0.001);  // rounded
        const std::vector<double> hds = Numbers(Field(imputed.records[m], s, "HDS"));
        other_calls += (hds[0] > 0.5) + (hds[1] > 0.5) != alts ? 1 : 0;
      } else {
        EXPECT_FALSE(is_wrong);
        EXPECT_EQ(Field(imputed.records[m], s, "DS"), std::to_string(alts));
      }
      if (before[1] != '|') continue;
      EXPECT_EQ(genotype, before);
    }
  }
  EXPECT_LT(20 * wrong, missing);
  EXPECT_GT(other_calls, 0u);  // not the more probable alleles
  ASSERT_EQ(Run(study, {"--format", "GP,HDS", "--threads", "1"}).exit_code, 0);
  const auto records = [](const std::string& vcf) { return vcf.substr(vcf.find("\n#CHROM")); };
  EXPECT_EQ(records(ReadFile(imputed_path_)), records(text));
}

// Thirty other people, the panel, lack every third marker; the study has all of them.
TEST_F(WithoutPanelTest, ImputesMarkersThatThePanelLacks) {
  std::vector<uint32_t> of_panel;
  for (uint32_t m = 0; m < people_.markers.size(); ++m) {
    if (m % 3 != 0) of_panel.push_back(m);
  }
  const std::string panel = Write("panel.vcf", MosaicVcf(people_, DiploidSamples("R", 30), 120, of_panel).text());
  const std::string study = Write("gaps.vcf", Study());
  const ProgramResult result = Run(study, {"--ref", panel, "--model", weights_path_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const VcfLines imputed(ReadFile(imputed_path_)), given(Study());
  ASSERT_EQ(imputed.records.size(), people_.markers.size());
  size_t wrong = 0, missing = 0;
  for (size_t m = 0; m < imputed.records.size(); m += 3) {
    EXPECT_THAT(imputed.records[m][kInfo], HasSubstr("DR2="));
    for (size_t s = 0; s < 60; ++s) {
      const std::string genotype = Field(imputed.records[m], s, "GT");
      ASSERT_THAT(genotype, testing::MatchesRegex("[01]\\|[01]"));
      const int alts = genotype[0] + genotype[2] - 2 * '0';
      const bool is_wrong = alts != people_.alleles[2 * s][m] + people_.alleles[2 * s + 1][m];
      const bool is_missing = given.records[m][kFirstSample + s] == "./.";
      EXPECT_TRUE(is_missing || !is_wrong);
      missing += is_missing;
      wrong += is_wrong;
    }
  }
  EXPECT_LT(20 * wrong, missing);
  ASSERT_EQ(Run(study, {"--ref", panel, "--model", weights_path_, "--no-study-only"}).exit_code, 0);
  EXPECT_EQ(VcfLines(ReadFile(imputed_path_)).records.size(), of_panel.size());
  const ProgramResult few = Run(Write("few.vcf", Study(19)), {"--ref", panel, "--model", weights_path_});
  ASSERT_EQ(few.exit_code, 0) << few.err;
  EXPECT_THAT(few.err, HasSubstr("that the panel lacks are left missing; at least 20 samples impute them"));
  EXPECT_THAT(VcfLines(ReadFile(imputed_path_)).records[0], testing::Contains(".|.:."));
}

// Markers at position 0 are written, and change nothing: neither those on the same contig nor a contig of their own.
TEST_F(WithoutPanelTest, UnmappedMarkersAreWrittenAsTheyAre) {
  const std::string study = Study();
  const auto with = [&](const std::string& contig) {
    std::string records = study.substr(study.find('\n', study.find("#CHROM")) + 1), unmapped;
    for (int i = 0; i < 3; ++i) {
      std::string line = records.substr(0, records.find('\n') + 1);
      records.erase(0, line.size());
      const size_t id = line.find('\t', line.find('\t') + 1);
      unmapped += contig + "\t0" + line.substr(id);
    }
    return std::pair{study.substr(0, study.find('\n', study.find("#CHROM")) + 1), std::pair{unmapped, records}};
  };
  for (const std::string contig : {"20", "0"}) {
    const auto [header, parts] = with(contig);
    ASSERT_EQ(Run(Write("mapped.vcf", header + parts.second)).exit_code, 0);
    const auto expected = VcfLines(ReadFile(imputed_path_)).records;
    const ProgramResult result = Run(Write("unmapped.vcf", header + parts.first + parts.second));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("3 markers at position 0, as unmapped: written as they are"));
    const auto records = VcfLines(ReadFile(imputed_path_)).records;
    const VcfLines given(header + parts.first);
    ASSERT_EQ(records.size(), expected.size() + 3);
    for (size_t r = 0; r < records.size(); ++r) {
      if (r >= 3) {
        EXPECT_EQ(records[r], expected[r - 3]);
        continue;
      }
      EXPECT_EQ(records[r][kPos], "0");
      for (size_t s = 0; s < 60; ++s) {
        const std::string genotype = Field(records[r], s, "GT"), before = Field(given.records[r], s, "GT");
        EXPECT_EQ(genotype[0], before[0]);
        EXPECT_EQ(genotype[2], before[2]);
      }
    }
  }
  const auto [header, parts] = with("0");
  ExpectRefused(Run(Write("none.vcf", header + parts.first)), {"all markers are at position 0"});
}

TEST_F(WithoutPanelTest, WarnsOfPeopleAndMarkersWithoutAnyGenotype) {
  const std::string study = Write("empty.vcf", Study(60, 7, people_.markers[40].position));
  const ProgramResult result = Run(study);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 sample without any genotype (P7); what is imputed for them is no more than the "
                                    "frequencies of the others"));
  EXPECT_THAT(result.err, HasSubstr("1 marker without any genotype, the first at 20:" +
                                    std::to_string(people_.markers[40].position)));
  const VcfLines imputed(ReadFile(imputed_path_));
  EXPECT_THAT(imputed.records[40][kInfo], HasSubstr("DR2=0;"));
  EXPECT_THAT(Run(Write("gaps.vcf", Study())).err, Not(HasSubstr("without any genotype")));
}

TEST_F(WithoutPanelTest, InvalidInput) {
  const auto expect = [&](const std::string& study, const std::vector<std::string>& options, const std::string& part) {
    ExpectRefused(Run(study, options), {part});
  };
  const std::string study = Write("gaps.vcf", Study());
  expect(study, {"--model", weights_path_}, "--model needs a panel; give --ref");
  expect(study, {"--memory", "20"}, "phasing its 120 haplotypes takes at least 49 MiB, more than the 20 MiB");
  expect(study, {"--empirical-dosages"}, "--empirical-dosages needs a panel");
  expect(study, {"--format", "PPH"}, "--format PPH needs a panel");
  expect(Write("one.vcf", Study(1)), {}, "a single sample cannot be phased without other haplotypes");
  VcfText empty({"A", "B"}, {"20"});
  empty.Add("20", 100, "A", "C", "./. ./.").Add("20", 200, "A", "C", "./. ./.");
  expect(Write("empty.vcf", empty.text()), {}, "all genotypes of contig 20 are missing");
}

}  // namespace
}  // namespace haplospin
