// Merging batches of samples: what follows from GT, HDS, AP1 and AP2 of other programs' files.
#include "genotypes/variant_io/joining/merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kFields =
    "##INFO=<ID=DR2,Number=A,Type=Float,Description=\"d\">\n##INFO=<ID=IMP,Number=0,Type=Flag,Description=\"i\">\n"
    "##INFO=<ID=TYPED,Number=0,Type=Flag,Description=\"t\">\n"
    "##INFO=<ID=NOT_IN_PANEL,Number=0,Type=Flag,Description=\"n\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"d\">\n"
    "##FORMAT=<ID=GP,Number=G,Type=Float,Description=\"p\">\n##FORMAT=<ID=HDS,Number=.,Type=Float,Description=\"h\">\n";

constexpr const char* kAlleleFields =
    "##FORMAT=<ID=AP1,Number=A,Type=Float,Description=\"a\">\n##FORMAT=<ID=AP2,Number=A,Type=Float,Description=\"a\">"
    "\n";

std::string Header(const std::string& samples, const std::string& fields = kFields) {
  return fmt::format(
      "##fileformat=VCFv4.2\n##contig=<ID=20>\n{}#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{}\n", fields,
      samples);
}

class MergeTest : public testing::Test {
 protected:
  std::string Make(const std::string& name, const std::string& samples, const std::string& records) const {
    WriteFile(folder_ / name, Header(samples) + records);
    return folder_ / name;
  }

  // Returns the records of the merged files.
  std::string Merge(const std::vector<std::string>& pieces) const {
    MergeSamples({.pieces = pieces, .out = folder_ / "out.vcf"});
    const std::string vcf = ReadFile(folder_ / "out.vcf");
    return vcf.substr(vcf.find('\n', vcf.find("#CHROM")) + 1);
  }

  const TemporaryFolder folder_;
};

TEST_F(MergeTest, MoreFilesThanTheSoftLimitAllows) {
  rlimit saved{};
  getrlimit(RLIMIT_NOFILE, &saved);
  const rlimit low{64, saved.rlim_max};
  std::vector<std::string> pieces;
  for (int k = 0; k < 80; ++k) {
    pieces.push_back(Make(fmt::format("{}.vcf", k), fmt::format("S{}", k),
                          "20\t100\t.\tA\tC\t.\t.\tIMP\tGT:DS:HDS\t0|1:0.9:0.1,0.8\n"));
  }
  setrlimit(RLIMIT_NOFILE, &low);
  const std::string merged = Merge(pieces);
  setrlimit(RLIMIT_NOFILE, &saved);
  EXPECT_EQ(std::ranges::count(merged, '\t'), 8 + 80);
}

// A site that is imputed, of two samples.
std::string Imputed(int64_t position, const std::string& format, const std::string& first, const std::string& second) {
  return fmt::format("20\t{}\t.\tA\tC\t.\t.\tIMP\t{}\t{}\t{}\n", position, format, first, second);
}

// bcftools norm -m- leaves the four HDS of two ALTs, +fixploidy the two of a man.
TEST_F(MergeTest, AnotherNumberOfProbabilitiesThanAllelesIsAnError) {
  const std::string other = Make("b.vcf", "c\td", Imputed(100, "GT:HDS", "0|1:0,1", "0|1:0,1"));
  const auto error = [&](const std::string& format, const std::string& genotype) {
    const std::string path = Make("a.vcf", "a\tb", Imputed(100, format, "0|1:0.1,0.9", genotype));
    return ErrorOf([&] { Merge({path, other}); });
  };
  EXPECT_THAT(error("GT:HDS", "1|0:0.9,0.05,0.3,0.65"),
              HasSubstr("a.vcf: 20:100: HDS has 4 values for the two alleles of sample b; bcftools norm -m-"));
  EXPECT_THAT(error("GT:HDS", "1|0:0.9"), HasSubstr("HDS has 1 values for the two alleles of sample b"));
  EXPECT_THAT(error("GT:HDS", "1:0.9,0.95"), HasSubstr("HDS has 2 values for the one allele of sample b"));
  EXPECT_EQ(error("GT:HDS", "1:0.9"), "");
}

// plink2 leaves HDS out where a genotype is whole, and where both haplotypes have half of DS.
TEST_F(MergeTest, ProbabilitiesThatFollowFromTheGenotypeMayLack) {
  const std::string merged =
      Merge({Make("a.vcf", "a\tb",
                  Imputed(100, "GT:DS:HDS", "0|1", "1|0:0.9:0.8,0.1") + Imputed(200, "GT", "1|1", "0/0") +
                      Imputed(300, "GT:DS:HDS", ".|.:1.8", "0|0:0.1:.")),
             Make("b.vcf", "c\td",
                  Imputed(100, "GT:DS:HDS", "1", ".|.:0.5:0.2,0.3") + Imputed(200, "GT", "1", "0|0") +
                      Imputed(300, "GT:DS:HDS", "0:0.2", "0|0:0.1:.,."))});
  EXPECT_THAT(merged, HasSubstr("\tGT:DS:GP:HDS\t0|1:1:0,1,0:0,1\t1|0:0.9:0.18,0.74,0.08:0.8,0.1\t1:1:0,1:1\t"));
  EXPECT_THAT(merged, HasSubstr("\t1|1:2:0,0,1:1,1\t0|0:0:1,0,0:0,0\t1:1:0,1:1\t0|0:0:1,0,0:0,0\n"));
  EXPECT_THAT(merged, HasSubstr("\t.|.:1.8:0.01,0.18,0.81:0.9,0.9\t0|0:0.1:0.9025,0.095,0.0025:0.05,0.05\t0:0.2:"));
  // The phase of a heterozygote with a dosage does not follow from it.
  const std::string path = Make("a.vcf", "a\tb", Imputed(100, "GT:DS:HDS", "0|1:0.9", "0|1:1:0,1"));
  EXPECT_THAT(ErrorOf([&] {
                Merge({path, Make("b.vcf", "c\td", Imputed(100, "GT:HDS", "0|1:0,1", "0|1:0,1"))});
              }),
              HasSubstr("a.vcf: 20:100: sample a lacks a probability from 0 to 1"));
}

std::string Column(const std::string& record, size_t column) {
  std::istringstream in(record);
  std::string text;
  for (size_t c = 0; c <= column; ++c) std::getline(in, text, '\t');
  return text;
}

// bcftools concat --ligate exchanges GT of a sample, but not HDS. The alleles of GT are those of the output, and the
// probabilities follow them; AF is that of the same probabilities.
TEST_F(MergeTest, GenotypesStayAsTheyAre) {
  std::mt19937 random(11);
  for (const bool has_haplotypes : {true, false}) {
    std::array<std::string, 2> records;
    std::vector<std::array<std::string, 4>> expected;  // GT and HDS of the samples
    std::vector<double> frequencies;
    for (int64_t k = 0; k < 100; ++k) {
      expected.emplace_back();
      double sum = 0;
      for (size_t s = 0; s < 4; ++s) {
        const double p[2] = {static_cast<double>(random() % 101) / 100, static_cast<double>(random() % 101) / 100};
        const int first = p[0] > 0.5 ? 1 : 0, second = p[1] > 0.5 ? 1 : 0;
        const bool is_exchanged = s % 2 == 1 && k >= 50;
        if (s % 2 == 0)
          records[s / 2] += fmt::format("20\t{}\t.\tA\tC\t.\t.\tIMP\tGT:{}", k + 1, has_haplotypes ? "HDS" : "AP1:AP2");
        const std::string genotype =
            is_exchanged ? fmt::format("{}|{}", second, first) : fmt::format("{}|{}", first, second);
        records[s / 2] +=
            fmt::format("\t{}:{}{}{}{}", genotype, p[0], has_haplotypes ? ',' : ':', p[1], s % 2 == 1 ? "\n" : "");
        expected.back()[s] = genotype;
        sum += p[0] + p[1];
      }
      frequencies.push_back(sum / 8);
    }
    const std::string fields = has_haplotypes ? kFields : std::string(kFields) + kAlleleFields;
    WriteFile(folder_ / "a.vcf", Header("a\tb", fields) + records[0]);
    WriteFile(folder_ / "b.vcf", Header("c\td", fields) + records[1]);
    testing::internal::CaptureStderr();
    std::istringstream merged(Merge({folder_ / "a.vcf", folder_ / "b.vcf"}));
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("heterozygotes whose probabilities of haplotypes are in the other order than GT"));
    std::string record;
    for (size_t k = 0; std::getline(merged, record); ++k) {
      const std::string info = Column(record, 7);
      EXPECT_NEAR(std::stod(info.substr(3)), frequencies[k], 1e-5);
      for (size_t s = 0; s < 4; ++s) {
        const std::string column = Column(record, 9 + s);
        EXPECT_EQ(column.substr(0, 3), expected[k][s]);
        if (column[0] == column[2]) continue;
        const double first =
            std::stod(column.substr(column.rfind(':', has_haplotypes ? std::string::npos : column.rfind(':') - 1) + 1));
        EXPECT_TRUE(column[0] == '1' ? first >= 0.5 : first <= 0.5) << column;
      }
    }
  }
}

// impute --min-gp leaves GT of uncertain genotypes missing, at typed markers too.
TEST_F(MergeTest, MissingGenotypesStayMissing) {
  const std::string typed = "20\t200\t.\tA\tC\t.\t.\tTYPED\tGT:DS:HDS\t.|.:1:0,1\t1|1:2:1,1\n";
  const std::string merged =
      Merge({Make("a.vcf", "a\tb", Imputed(100, "GT:DS:HDS", ".|.:1.7:0.9,0.8", "0|1:1:0.1,0.9") + typed),
             Make("b.vcf", "c\td", Imputed(100, "GT:DS:HDS", ".:0.7:0.7", ".|.:0.2:0.1,0.1") + typed)});
  EXPECT_THAT(merged, HasSubstr("\t.|.:1.7:0.02,0.26,0.72:0.9,0.8\t0|1:1:0.09,0.82,0.09:0.1,0.9\t"
                                ".:0.7:0.3,0.7:0.7\t.|.:0.2:0.81,0.18,0.01:0.1,0.1\n"));
  EXPECT_THAT(merged, HasSubstr("\t.|.:1:0,1,0:0,1\t1|1:2:0,0,1:1,1\t.|.:1:"));
}

// A batch in which no genotype is missing at a marker that the panel lacks keeps them; another one imputes those.
TEST_F(MergeTest, MarkersThatOneBatchAloneImputesAreNamed) {
  const std::string imputed = Make("a.vcf", "a\tb", Imputed(100, "GT:DS:HDS", "0|1:1:0,1", "0|1:1:0,1"));
  const std::string kept = Make("b.vcf", "c\td", "20\t100\t.\tA\tC\t.\t.\tNOT_IN_PANEL\tGT:DS:HDS\t0|1:.:.\t0|0:.:.\n");
  EXPECT_THAT(ErrorOf([&] {
                Merge({imputed, kept});
              }),
              AllOf(HasSubstr("b.vcf: 20:100: A>C is NOT_IN_PANEL here, but imputed in "), HasSubstr("a.vcf; impute"),
                    HasSubstr("with --no-study-only")));
  EXPECT_THAT(ErrorOf([&] {
                Merge({kept, imputed});
              }),
              HasSubstr("a.vcf: 20:100: A>C is imputed here, but NOT_IN_PANEL in "));
}

// bcftools norm -c s and liftovers exchange GT alone.
TEST_F(MergeTest, FieldsThatContradictEachOtherAreCounted) {
  const auto warnings = [&](const std::string& format, const std::string& genotype) {
    testing::internal::CaptureStderr();
    Merge({Make("a.vcf", "a\tb", Imputed(100, format, genotype, genotype)),
           Make("b.vcf", "c\td", Imputed(100, "GT:HDS", "0|1:0,1", "0|1:0,1"))});
    return testing::internal::GetCapturedStderr();
  };
  for (const char* genotype : {"0|0:1.9:0,0.1,0.9:0.95,0.95", "1|1:0.1:0.9,0.1,0:0.05,0.05", "0|1:0.3:0.1,0.9,0:0,1",
                               "0|1:1:0.7,0.1,0:0,1", "0|1:1:0.9,0.1,0:0,1"}) {
    EXPECT_THAT(warnings("GT:DS:GP:HDS", genotype),
                HasSubstr("a.vcf: 2 genotypes whose GT, DS and GP do not follow from the probabilities of haplotypes "
                          "(first: 20:100, sample a): GT is kept"))
        << genotype;
  }
  for (const char* genotype : {"0|1:1:0,1,0:0,1", "0|1:1.1:0.2025,0.495,0.3025:0.55,0.55",
                               "1|1:1.5:0.06,0.38,0.56:0.75,0.75", "0|1:.:.:0,1", "0|1:1.01:0.01,0.99,0:0.02,0.98"}) {
    EXPECT_THAT(warnings("GT:DS:GP:HDS", genotype), testing::Not(HasSubstr("do not follow"))) << genotype;
  }
}

}  // namespace
}  // namespace haplospin
