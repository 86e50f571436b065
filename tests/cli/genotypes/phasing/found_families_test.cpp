// Families that impute and phase find by the genotypes of all contigs, as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

// Ten founders, and ten children of pairs of them, at 50 markers of each of 14 contigs of 100 cM.
class FoundFamiliesTest : public testing::Test {
 protected:
  static constexpr int kContigs = 14, kMarkers = 50, kFounders = 10;

  FoundFamiliesTest() {
    for (int c = 0; c < kContigs; ++c) MakeContig();
  }

  void MakeContig() {
    std::vector<std::vector<int>> haplotypes;  // [2 * samples][markers]
    for (int h = 0; h < 2 * kFounders; ++h) {
      for (std::vector<int>& haplotype = haplotypes.emplace_back(); haplotype.size() < kMarkers;) {
        haplotype.push_back(static_cast<int>(random_() % 2));
      }
    }
    for (int child = 0; child < kFounders; ++child) {
      haplotypes.push_back(Gamete(haplotypes, 2 * (child % 5)));
      haplotypes.push_back(Gamete(haplotypes, 2 * (5 + child % 5)));
    }
    contigs_.push_back(haplotypes);
  }

  std::vector<int> Gamete(const std::vector<std::vector<int>>& haplotypes, int first) {
    size_t from = random_() % 2;
    std::vector<int> gamete;
    for (size_t m = 0; m < kMarkers; ++m) {
      if (random_() % 50 == 0) from = 1 - from;
      gamete.push_back(haplotypes[static_cast<size_t>(first) + from][m]);
    }
    return gamete;
  }

  // The contigs from `first` to before `last`, written to a file; its path.
  std::string Write(int first, int last, const std::string& name) const {
    std::string text = "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n";
    for (int c = first; c < last; ++c) text += fmt::format("##contig=<ID={}>\n", c + 1);
    text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    for (int s = 0; s < 2 * kFounders; ++s) text += fmt::format("\tS{}", s);
    text += "\n";
    for (int c = first; c < last; ++c) {
      for (size_t m = 0; m < kMarkers; ++m) {
        text += fmt::format("{}\t{}\t.\tA\tC\t.\t.\t.\tGT", c + 1, 2'000'000 * (m + 1));
        for (size_t s = 0; s < 2 * kFounders; ++s) {
          const auto& contig = contigs_[static_cast<size_t>(c)];
          const int alts = contig[2 * s][m] + contig[2 * s + 1][m];
          text += alts == 0 ? "\t0/0" : alts == 1 ? "\t0/1" : "\t1/1";
        }
        text += "\n";
      }
    }
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }

  static ProgramResult Phase(std::vector<std::string> options) {
    options.insert(options.begin(), "phase");
    const ProgramResult result = RunProgram(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }

  // The records, without the header.
  static std::string Records(const std::string& vcf) { return vcf.substr(vcf.find("\n#CHROM")); }

  TemporaryFolder folder_;
  std::mt19937 random_{5};
  std::vector<std::vector<std::vector<int>>> contigs_;
};

TEST_F(FoundFamiliesTest, AreUsedAsIfAPedigreeHadThem) {
  const std::string study = Write(0, kContigs, "herd.vcf"), fam = folder_ / "herd.fam";
  const ProgramResult found = Phase({"--target", study, "--out", "-"});
  EXPECT_THAT(found.err, HasSubstr("herd.vcf: found 10 children with both parents and 0 with one, by the genotypes at "
                                   "700 markers of 14 contigs"));
  std::string pedigree;
  for (int child = 0; child < kFounders; ++child) {
    pedigree += fmt::format("S{} S{} S{}\n", kFounders + child, child % 5, 5 + child % 5);
  }
  std::ofstream(fam) << pedigree;
  EXPECT_EQ(Records(found.out), Records(Phase({"--target", study, "--out", "-", "--pedigree", fam}).out));
  const ProgramResult none = Phase({"--target", study, "--out", "-", "--pedigree", "none"});
  EXPECT_THAT(none.err, Not(HasSubstr("found")));
  EXPECT_NE(Records(found.out), Records(none.out));
}

// A pedigree of sires alone serves as one with the dams, whom the genotypes tell.
TEST_F(FoundFamiliesTest, TheParentThatAPedigreeLeavesOpen) {
  const std::string study = Write(0, kContigs, "herd.vcf");
  const auto phase = [&](const std::string& name, const auto& dam) {
    std::string text;
    for (int child = 0; child < kFounders; ++child) {
      text += fmt::format("S{} S{} {}\n", kFounders + child, child % 5, dam(child));
    }
    std::ofstream(folder_ / name) << text;
    return Phase({"--target", study, "--out", "-", "--pedigree", folder_ / name});
  };
  const ProgramResult both = phase("both.txt", [](int child) { return fmt::format("S{}", 5 + child % 5); });
  const ProgramResult sires = phase("sires.txt", [](int) { return std::string("0"); });
  EXPECT_THAT(both.err, Not(HasSubstr("found")));
  EXPECT_THAT(sires.err, HasSubstr("sires.txt: found 10 parents that it leaves open"));
  EXPECT_EQ(Records(sires.out), Records(both.out));
  const ProgramResult absent = phase("absent.txt", [](int child) { return fmt::format("dam{}", child); });
  EXPECT_THAT(absent.err, Not(HasSubstr("found")));
  EXPECT_NE(Records(absent.out), Records(both.out));
}

// A region, and a contig in a file of its own, are phased by the families that all contigs tell.
TEST_F(FoundFamiliesTest, DoNotDependOnThePartThatIsPhased) {
  const std::string study = Write(0, kContigs, "herd.vcf");
  const std::string whole = Phase({"--target", study, "--out", "-"}).out;
  const ProgramResult region = Phase({"--target", study, "--out", "-", "--region", "2"});
  EXPECT_THAT(region.err, HasSubstr("found 10 children"));
  const std::string records = region.out.substr(region.out.find("\n2\t"));
  EXPECT_THAT(whole, HasSubstr(records));
  for (int c = 0; c < kContigs; ++c) Write(c, c + 1, fmt::format("chr{}.vcf", c + 1));
  const std::string target = folder_ / "chr{contig}.vcf", out = folder_ / "out{contig}.vcf";
  EXPECT_THAT(Phase({"--target", target, "--out", out}).err, HasSubstr("found 10 children"));
  EXPECT_THAT(Contents(folder_ / "out2.vcf"), HasSubstr(records));
  EXPECT_THAT(Phase({"--target", target, "--out", out, "--resume"}).err, HasSubstr("out2.vcf: complete"));
  EXPECT_THAT(Phase({"--target", target, "--out", out, "--resume", "--pedigree", "none"}).err,
              Not(HasSubstr("out2.vcf: complete")));
}

// Jobs that have one contig each are given what check finds in all.
TEST_F(FoundFamiliesTest, AreReportedAndWrittenByCheck) {
  const std::string study = Write(0, kContigs, "herd.vcf"), fam = folder_ / "found.fam";
  const ProgramResult check = RunProgram({"check", "--target", study, "--pedigree-out", fam});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("10 samples with both parents, 0 with one"));
  EXPECT_THAT(Contents(fam), HasSubstr("0\tS0\t0\t0\t0\t-9\n"));
  EXPECT_THAT(Contents(fam), HasSubstr("0\tS12\tS2\tS7\t0\t-9\n"));
  EXPECT_THAT(RunProgram({"check", "--target", study, "--json", "-"}).out,
              testing::ContainsRegex("\"relatives\": \\{[^}]*\"with_both_parents\": 10,"));
  const std::string contig = Write(1, 2, "chr2.vcf");
  EXPECT_THAT(Phase({"--target", study, "--out", "-", "--region", "2"}).out,
              HasSubstr(Records(Phase({"--target", contig, "--out", "-", "--pedigree", fam}).out)));
  EXPECT_EQ(RunProgram({"check", "--target", study, "--pedigree-out", fam, "--contig", "2"}).exit_code, 2);
  EXPECT_THAT(RunProgram({"check", "--target", contig}).out, Not(HasSubstr("both parents")));
}

// The father of S10 is known, and not a sample; that of S11 is, and the mother is found.
TEST_F(FoundFamiliesTest, KnownParentsAndSexesAreKept) {
  const std::string study = Write(0, kContigs, "herd.vcf"), fam = folder_ / "found.fam", sexes = folder_ / "known.fam";
  std::ofstream(sexes) << "f1 S0 0 0 2 -9\nf1 S10 old 0 1 -9\nf2 S11 S6 0 0 -9\n";
  const ProgramResult check = RunProgram({"check", "--target", study, "--sex", sexes, "--pedigree-out", fam});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(Contents(fam), HasSubstr("0\tS0\t0\t0\t2\t-9\n"));
  EXPECT_THAT(Contents(fam), HasSubstr("0\tS10\told\t0\t1\t-9\n"));
  EXPECT_THAT(Contents(fam), HasSubstr("0\tS11\tS6\tS1\t0\t-9\n"));
  EXPECT_THAT(Contents(fam), HasSubstr("0\tS12\tS2\tS7\t0\t-9\n"));
}

TEST_F(FoundFamiliesTest, CheckNamesDuplicates) {
  for (auto& contig : contigs_) {
    for (size_t h = 0; h < 2; ++h) contig[2 * 13 + h] = contig[2 * 4 + h];
  }
  const std::string study = Write(0, kContigs, "herd.vcf"),
                    named = "1 pair of samples has the same genotypes: S4 and S13";
  EXPECT_THAT(RunProgram({"check", "--target", study}).out, HasSubstr(named));
  std::string phased = Contents(study);
  std::ranges::replace(phased, '/', '|');
  std::ofstream(folder_ / "panel.vcf") << phased;
  EXPECT_THAT(RunProgram({"check", "--target", study, "--ref", folder_ / "panel.vcf"}).out, HasSubstr(named));
  const std::string short_study = Write(0, 1, "short.vcf");
  const std::string text = RunProgram({"check", "--target", short_study}).out;
  EXPECT_THAT(text, Not(HasSubstr(named)));
  EXPECT_THAT(text, HasSubstr("the sites span 98 cM, too short to tell parents and children"));
  EXPECT_THAT(text, HasSubstr("the sites span 98 cM, too short to tell them from full sibs"));
  EXPECT_THAT(text, Not(HasSubstr("no parents and children")));
}

TEST_F(FoundFamiliesTest, AreNotFoundInAShortGenome) {
  const ProgramResult result = Phase({"--target", Write(0, 4, "short.vcf"), "--out", "-"});
  EXPECT_THAT(result.err, Not(HasSubstr("found")));
  EXPECT_THAT(result.err, HasSubstr("seem to have a parent, child or full sib among the others, but its 392 cM are too "
                                    "short to tell which; give the pedigree if you know it (--pedigree)"));
}

}  // namespace
}  // namespace haplospin
