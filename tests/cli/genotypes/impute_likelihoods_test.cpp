// Studies whose genotypes are known by their likelihoods: haplospin impute and phase --likelihoods.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <sstream>

#include "cli/impute_files.h"
#include "core/random.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr size_t kPeople = 60;

// The reads of a person at a marker.
struct Reads {
  int ref = 0, alt = 0;
};

// Sixty people of whom reads are known, and 90 more haplotypes that may be a panel.
class LikelihoodsCommandTest : public ImputeFiles {
 protected:
  LikelihoodsCommandTest()
      : people_(SimulateMosaic(
            {.haplotypes = 2 * kPeople + 90, .markers = 150, .founders = 6, .rare_share = 0, .seed = 3})) {}

  int Alts(size_t s, size_t m) const { return people_.alleles[2 * s][m] + people_.alleles[2 * s + 1][m]; }

  // Writes a study; field(reads, number of ALT alleles) is what FORMAT has for a person.
  std::string Study(const std::string& name, const std::string& format,
                    const std::function<std::string(const Reads&, int)>& field, double missing = 0.3) const {
    VcfText vcf(DiploidSamples("P", kPeople).names, {"20"});
    RandomStream random(9);
    for (size_t m = 0; m < people_.markers.size(); ++m) {
      std::string fields;
      for (size_t s = 0; s < kPeople; ++s) {
        Reads reads;
        const size_t depth = random.Bernoulli(missing) ? 0 : 1 + static_cast<size_t>(random.UniformInt(4));
        for (size_t r = 0; r < depth; ++r) {
          ++(people_.alleles[2 * s + (random.Bernoulli(0.5) ? 1 : 0)][m] == 1 ? reads.alt : reads.ref);
        }
        fields += (s == 0 ? "" : " ") + field(reads, Alts(s, m));
      }
      const Marker& marker = people_.markers[m];
      vcf.Add("20", marker.position, marker.ref, marker.alt, fields, format);
    }
    return Write(name, vcf.text());
  }

  static std::string Phreds(const Reads& reads, int scale = 0) {
    const int n = reads.ref + reads.alt;
    std::array<int, 3> phred{23 * reads.alt, 3 * n, 23 * reads.ref};
    const int best = std::ranges::min(phred);
    for (int& value : phred) value += scale - best;
    return fmt::format("{}", fmt::join(phred, ","));
  }

  static std::string Call(const Reads& reads) {
    return reads.ref + reads.alt == 0 ? "./." : reads.alt == 0 ? "0/0" : reads.ref == 0 ? "1/1" : "0/1";
  }

  std::string Records(const std::string& study, std::vector<std::string> options = {},
                      const std::string& command = "impute") const {
    options.insert(options.begin(), {command, "--target", study, "--out", imputed_path_});
    const ProgramResult result = RunProgram(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return WithoutHeader(ReadFile(imputed_path_));
  }

  static std::string WithoutHeader(const std::string& vcf) { return vcf.substr(vcf.find("#CHROM")); }

  size_t NumWrong(const std::string& records) const {
    const VcfLines imputed(records);
    EXPECT_EQ(imputed.records.size(), people_.markers.size());
    size_t wrong = 0;
    for (size_t m = 0; m < imputed.records.size(); ++m) {
      for (size_t s = 0; s < kPeople; ++s) {
        const std::string genotype = Field(imputed.records[m], s, "GT");
        wrong += genotype[0] + genotype[2] - 2 * '0' != Alts(s, m) ? 1 : 0;
      }
    }
    return wrong;
  }

  std::string Panel() const {
    VcfText vcf(DiploidSamples("R", 45).names, {"20"});
    for (size_t m = 0; m < people_.markers.size(); ++m) {
      std::string genotypes;
      for (size_t h = 2 * kPeople; h < people_.alleles.size(); h += 2) {
        genotypes +=
            fmt::format("{}{}|{}", h == 2 * kPeople ? "" : " ", people_.alleles[h][m], people_.alleles[h + 1][m]);
      }
      const Marker& marker = people_.markers[m];
      vcf.Add("20", marker.position, marker.ref, marker.alt, genotypes);
    }
    return Write("panel.vcf", vcf.text());
  }

  const Mosaic people_;
};

std::string WithCall(const std::string& call, const std::string& values) { return call + ":" + values; }

TEST_F(LikelihoodsCommandTest, FewReadsAreNotTrusted) {
  const std::string study =
      Study("pl.vcf", "GT:PL", [](const Reads& reads, int) { return WithCall(Call(reads), Phreds(reads)); });
  const size_t called = NumWrong(Records(study));
  const std::string records = Records(study, {"--likelihoods", "PL", "--format", "GP"});
  EXPECT_LT(2 * NumWrong(records), called);
  EXPECT_EQ(Records(study, {"--likelihoods", "PL", "--format", "GP", "--threads", "1"}), records);
  EXPECT_LT(2 * NumWrong(Records(study, {"--likelihoods", "PL"}, "phase")), called);
}

TEST_F(LikelihoodsCommandTest, LikelihoodsThatAreNotUsedAreSaid) {
  const auto error = [&](const std::string& study, const std::vector<std::string>& options) {
    std::vector<std::string> all{"impute", "--target", study, "--out", imputed_path_};
    all.insert(all.end(), options.begin(), options.end());
    return RunProgram(all).err;
  };
  const std::string pl =
      Study("pl.vcf", "GT:PL", [](const Reads& reads, int) { return WithCall(Call(reads), Phreds(reads)); });
  EXPECT_THAT(error(pl, {}), HasSubstr("% of its genotypes are uncertain by PL, as from few reads"));
  EXPECT_THAT(error(pl, {}), HasSubstr("give --likelihoods PL"));
  EXPECT_THAT(error(pl, {"--likelihoods", "PL"}), Not(HasSubstr("are uncertain")));
  const std::string ad = Study("ad.vcf", "GT:AD", [](const Reads& reads, int) {
    return WithCall(Call(reads), fmt::format("{},{}", reads.ref, reads.alt));
  });
  EXPECT_THAT(error(ad, {}), HasSubstr("give --likelihoods AD"));
  const std::string certain = Study("certain.vcf", "GT:AD", [](const Reads& reads, int) {
    return WithCall(Call(reads), fmt::format("{},{}", 20 * reads.ref, 20 * reads.alt));
  });
  EXPECT_THAT(error(certain, {}), Not(HasSubstr("are uncertain")));
  const std::string damaged =
      Study("damaged.vcf", "GT:PL", [](const Reads& reads, int) { return WithCall(Call(reads), "x"); });
  EXPECT_THAT(error(damaged, {}), Not(HasSubstr("in PL")));
}

TEST_F(LikelihoodsCommandTest, PseudoHaploidGenotypesAreReads) {
  const std::string study = Study("pseudo.vcf", "GT", [](const Reads& reads, int) -> std::string {
    return reads.ref + reads.alt == 0 ? "./." : reads.alt >= reads.ref ? "1/1" : "0/0";
  });
  const std::string panel = Panel();
  const auto err = [&](const std::vector<std::string>& options, const std::string& target) {
    std::vector<std::string> all{"impute", "--target", target, "--ref", panel, "--out", imputed_path_};
    all.insert(all.end(), options.begin(), options.end());
    const ProgramResult result = RunProgram(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string taken = "each is taken as one read (--likelihoods GT)";
  EXPECT_THAT(err({}, study), testing::AllOf(HasSubstr(taken), Not(HasSubstr("another population"))));
  EXPECT_EQ(Records(study, {"--ref", panel, "--likelihoods", "GT"}), Records(study, {"--ref", panel}));
  const size_t wrong = NumWrong(Records(study, {"--ref", panel}));
  const std::vector<std::string> as_called{"--likelihoods", "none", "--model", weights_path_};
  EXPECT_THAT(err(as_called, study), Not(HasSubstr("no sample has a heterozygote")));
  EXPECT_LT(2 * wrong, NumWrong(WithoutHeader(ReadFile(imputed_path_))));
  EXPECT_THAT(err({"--model", weights_path_}, study), HasSubstr("because of --model"));
  const std::string called = Study("called.vcf", "GT", [](const Reads& reads, int) { return Call(reads); });
  EXPECT_THAT(err({"--model", weights_path_}, called), Not(HasSubstr("no sample has a heterozygote")));
  EXPECT_THAT(RunProgram({"check", "--ref", panel, "--target", study}).out,
              testing::AllOf(HasSubstr("pseudo-haploid genotypes"), Not(HasSubstr("another population"))));
}

// GLnexus writes 0/0 without PL.
TEST_F(LikelihoodsCommandTest, CallsWithoutLikelihoodsAreNotCertain) {
  const auto study = [&](const std::string& name, bool has_all) {
    return Study(name, "GT:PL", [=](const Reads& reads, int) {
      const std::string call = Call(reads);
      return WithCall(call, call == "0/0" && !has_all ? "." : Phreds(reads));
    });
  };
  const std::string all = study("all.vcf", true), some = study("some.vcf", false), panel = Panel();
  const size_t called = NumWrong(Records(all, {"--ref", panel}));
  EXPECT_LT(2 * NumWrong(Records(some, {"--ref", panel, "--likelihoods", "PL"})), called);
  const ProgramResult result =
      RunProgram({"impute", "--target", some, "--ref", panel, "--likelihoods", "PL", "--out", imputed_path_});
  EXPECT_THAT(result.err,
              testing::ContainsRegex("called without PL; they are not taken as certain, but weighed: [0-9]+ "
                                     "by the likelihoods that other calls"));
}

TEST_F(LikelihoodsCommandTest, WithAPanel) {
  const std::string study = Study(
      "pl.vcf", "PL", [](const Reads& reads, int) { return Phreds(reads); }, 0.5);
  const size_t without = NumWrong(Records(study, {"--likelihoods", "PL"}));
  const std::string records = Records(study, {"--likelihoods", "PL", "--ref", Panel()});
  EXPECT_LT(NumWrong(records), without);
  EXPECT_EQ(Records(study, {"--likelihoods", "PL", "--ref", Panel(), "--threads", "1"}), records);
}

// bcftools call -C alleles writes sites where no read shows ALT so, unless -A is given.
TEST_F(LikelihoodsCommandTest, CallsWithoutAltNameTheOptionThatKeepsThem) {
  VcfText vcf({"P"}, {"20"});
  for (size_t m = 0; m < people_.markers.size(); ++m) {
    const Marker& marker = people_.markers[m];
    m % 10 == 0 ? vcf.Add("20", marker.position, marker.ref, marker.alt, "0/0:0,6,40", "GT:PL")
                : vcf.Add("20", marker.position, marker.ref, ".", "0/0");
  }
  const ProgramResult result = RunProgram({"impute", "--ref", Panel(), "--target", Write("call.vcf", vcf.text()),
                                           "--out", imputed_path_, "--likelihoods", "PL"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, testing::AllOf(HasSubstr("call again with -A"), testing::Not(HasSubstr("--min-ratio 0"))));
}

// Likelihoods have no scale, and PL, GL and AD say the same.
TEST_F(LikelihoodsCommandTest, TheScaleDoesNotMatter) {
  const auto of = [&](int scale) {
    return Records(Study("pl.vcf", "PL", [&](const Reads& reads, int) { return Phreds(reads, scale); }),
                   {"--likelihoods", "PL"});
  };
  const std::string records = of(0);
  EXPECT_EQ(of(7), records);
  const std::string of_gl = Study("gl.vcf", "GL", [](const Reads& reads, int) {
    return fmt::format("{},{},{}", -2.3 * reads.alt, -0.3 * (reads.ref + reads.alt), -2.3 * reads.ref);
  });
  EXPECT_EQ(Records(of_gl, {"--likelihoods", "GL"}), records);
  const std::string of_ad =
      Study("ad.vcf", "AD", [](const Reads& reads, int) { return fmt::format("{},{}", reads.ref, reads.alt); });
  EXPECT_EQ(Records(of_ad, {"--likelihoods", "AD"}), records);
}

// Likelihoods between which there is no doubt are as good as calls, and equal ones are missing genotypes. They are
// phased by the plan of likelihoods, so that the bytes differ.
TEST_F(LikelihoodsCommandTest, SharpAndFlatLikelihoodsAreCallsAndMissing) {
  const auto study = [&](const std::string& name, bool has_calls) {
    return Study(name, has_calls ? "GT" : "PL", [&](const Reads& reads, int alts) -> std::string {
      const bool is_missing = reads.ref + reads.alt == 0;
      if (has_calls) return is_missing ? "./." : std::array{"0/0", "0/1", "1/1"}[static_cast<size_t>(alts)];
      return is_missing ? "0,0,0" : std::array{"0,60,200", "90,0,90", "200,60,0"}[static_cast<size_t>(alts)];
    });
  };
  const std::string calls = study("calls.vcf", true), likelihoods = study("pl.vcf", false);
  for (const std::string command : {"impute", "phase"}) {
    const size_t wrong = NumWrong(Records(likelihoods, {"--likelihoods", "PL"}, command));
    EXPECT_LE(wrong, NumWrong(Records(calls, {}, command)) * 11 / 10) << command;
  }
}

TEST_F(LikelihoodsCommandTest, InvalidInput) {
  const auto expect = [&](const std::string& study, const std::vector<std::string>& options, const std::string& part) {
    std::vector<std::string> all{"impute", "--target", study, "--out", imputed_path_};
    all.insert(all.end(), options.begin(), options.end());
    ExpectRefused(RunProgram(all), {part});
    EXPECT_FALSE(std::filesystem::exists(imputed_path_));
  };
  const std::string study =
      Study("pl.vcf", "GT:PL", [](const Reads& reads, int) { return WithCall(Call(reads), Phreds(reads)); });
  expect(study, {"--likelihoods", "GL"}, "no record has FORMAT GL");
  expect(study, {"--likelihoods", "GP"}, "--likelihoods");
  expect(study, {"--likelihoods", "PL", "--ref", Panel(), "--model", weights_path_},
         "--model is for genotypes that are called");
  expect(study, {"--likelihoods", "PL", "--ref", Panel(), "--format", "PPH"}, "--format PPH is for genotypes that are");
  expect(study, {"--likelihoods", "PL", "--ref", Panel(), "--memory", "20"}, "more than the 20 MiB");
  expect(study, {"--likelihoods", "PL", "--pedigree", study}, "--pedigree phases genotypes that are called");
  expect(Study("text.vcf", "PL", [](const Reads&, int) { return "0,x,3"; }), {"--likelihoods", "PL"},
         "text.vcf: 20:5000: sample P0 has \"x\" in PL");
  expect(Study("four.vcf", "PL", [](const Reads&, int) { return "0,3,3,3"; }), {"--likelihoods", "PL"},
         "4 values in PL");
  expect(Study("flat.vcf", "PL", [](const Reads&, int) { return "0,0,0"; }), {"--likelihoods", "PL"},
         "all genotypes of contig 20 are missing");
}

TEST_F(LikelihoodsCommandTest, HiddenReadsAreComparedWithWhatIsImputed) {
  const std::string study =
      Study("s.vcf", "GT:PL", [](const Reads& reads, int) { return WithCall(Call(reads), Phreds(reads)); });
  const std::vector<std::string> options{"--likelihoods", "PL", "--ref", Panel()};
  const std::string plain = Records(study, options), table = out_ / "table.tsv";
  std::vector<std::string> tested{"impute", "--target", study, "--out", imputed_path_, "--self-test", table};
  tested.insert(tested.end(), options.begin(), options.end());
  const ProgramResult result = RunProgram(tested);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(WithoutHeader(ReadFile(imputed_path_)), plain);
  const std::string told = "imputed from the likelihoods";
  EXPECT_EQ(result.err.find(told), result.err.rfind(told));  // once, though the study is imputed twice

  std::istringstream rows(ReadFile(table));
  size_t hidden = 0, people = 0;
  double mismatch = 0;
  for (std::string line; std::getline(rows, line);) {
    std::vector<std::string> columns;
    std::istringstream row(line);
    for (std::string column; std::getline(row, column, '\t');) columns.push_back(column);
    ASSERT_EQ(columns.size(), 11u);
    if (columns[1] != "0" || columns[2] != "0.5") continue;
    hidden += std::stoul(columns[9]);
    if (columns[10] == ".") continue;
    mismatch += std::stod(columns[10]);
    ++people;
  }
  const double with_reads = 0.7 * kPeople * static_cast<double>(people_.markers.size());
  EXPECT_NEAR(static_cast<double>(hidden) / with_reads, 0.1, 0.03);
  EXPECT_GT(people, kPeople - 5);
  EXPECT_LT(mismatch / static_cast<double>(people), 0.3);
}

}  // namespace
}  // namespace haplospin
