// Joining pieces that overlap, beside bcftools concat --ligate.
#include "genotypes/variant_io/joining/ligation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/joining/concat.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// One record of three samples, the last one haploid: alleles of five haplotypes.
struct Site {
  int64_t position;
  std::array<int, 5> alleles;
};

// Which of the two diploid samples change places.
using Exchanged = std::array<bool, 2>;

class LigationTest : public testing::Test {
 protected:
  LigationTest() {
    std::mt19937 random(3);
    for (int64_t k = 0; k < 300; ++k) {
      Site site{100 + 10 * k, {}};
      for (int& allele : site.alleles) allele = static_cast<int>(random() % 2);
      sites_.push_back(site);
    }
  }

  static std::string Record(const Site& site, Exchanged exchanged, const std::string& contig = "20") {
    const bool has_two_alts = site.position % 30 == 0;
    std::string line = fmt::format("{}\t{}\t.\tA\t{}\t.\tPASS\t.\tGT:HDS:LDS:AP1:AP2", contig, site.position,
                                   has_two_alts ? "C,G" : "C");
    for (size_t s = 0; s < 2; ++s) {
      const int first = site.alleles[2 * s + exchanged[s]], second = site.alleles[2 * s + !exchanged[s]];
      const double ap1 = Probability(site, 2 * s + exchanged[s]), ap2 = Probability(site, 2 * s + !exchanged[s]);
      const bool has_left_out = site.position % 40 != 0;
      const auto other = [&](double p) { return has_two_alts ? fmt::format(",{}", 1 - p) : ""; };
      line +=
          fmt::format("\t{}|{}:{},{}{}{}:{}:{}{}:{}{}", first, second, ap1, ap2, other(ap1), other(ap2),
                      has_left_out ? fmt::format("{},{}", 1 - ap1, 1 - ap2) : ".", ap1, other(ap1), ap2, other(ap2));
    }
    const char* const both = has_two_alts ? "0.5,0.25" : "0.5";
    return line + fmt::format("\t{}:{}:0.25:{}:.\n", site.alleles[4], both, both);
  }

  // Of a haplotype at a site; every one differs.
  static double Probability(const Site& site, size_t haplotype) {
    return static_cast<double>((static_cast<size_t>(site.position) + haplotype) % 64) / 64;
  }

  static std::string Header() {
    return "##fileformat=VCFv4.2\n##contig=<ID=20,length=10000>\n##contig=<ID=21,length=10000>\n"
           "##FILTER=<ID=PASS,Description=\"All filters passed\">\n"
           "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n"
           "##FORMAT=<ID=HDS,Number=.,Type=Float,Description=\"h\">\n"
           "##FORMAT=<ID=LDS,Number=2,Type=Float,Description=\"l\">\n"
           "##FORMAT=<ID=AP1,Number=A,Type=Float,Description=\"a\">\n"
           "##FORMAT=<ID=AP2,Number=A,Type=Float,Description=\"a\">\n"
           "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n";
  }

  std::string Records(size_t begin, size_t end, Exchanged exchanged = {}, const std::string& contig = "20") const {
    std::string text;
    for (size_t k = begin; k < end; ++k) text += Record(sites_[k], exchanged, contig);
    return text;
  }

  // The records [begin, end) in a file.
  std::string Make(const std::string& name, size_t begin, size_t end, Exchanged exchanged = {}) const {
    return MakeText(name, Records(begin, end, exchanged));
  }

  std::string MakeText(const std::string& name, const std::string& records) const {
    const std::string path = folder_ / name;
    if (!name.ends_with(".bcf")) {
      WriteText(path, Header() + records, name.ends_with(".gz") ? FileForm::kBgzip : FileForm::kVcf);
      return path;
    }
    WriteText(path + ".vcf", Header() + records, FileForm::kVcf);
    Concat({.pieces = {path + ".vcf"}, .out = path, .header_lines = {}});
    return path;
  }

  static std::string WithoutHeader(const std::string& vcf) {
    return vcf.substr(vcf.find('\n', vcf.find("#CHROM")) + 1);
  }

  std::string Ligate(const std::vector<std::string>& pieces, const std::string& out = "out.vcf") const {
    Concat({.pieces = pieces, .out = folder_ / out, .ligate = true, .header_lines = {}});
    if (out == "out.vcf") return WithoutHeader(ReadFile(folder_ / out));
    Concat({.pieces = {folder_ / out}, .out = folder_ / "out.vcf", .header_lines = {}});
    return WithoutHeader(ReadFile(folder_ / "out.vcf"));
  }

  std::string ErrorFor(const std::vector<std::string>& pieces) const {
    const size_t files = folder_.NumFiles();
    const std::string error =
        ErrorOf([&] { Concat({.pieces = pieces, .out = folder_ / "out.bcf", .ligate = true, .header_lines = {}}); });
    EXPECT_EQ(folder_.NumFiles(), files);
    return error;
  }

  const TemporaryFolder folder_;
  std::vector<Site> sites_;
};

TEST_F(LigationTest, PhaseGoesOnInEveryForm) {
  const std::string whole = Records(0, 300);
  for (const std::string form : {".vcf", ".vcf.gz", ".bcf"}) {
    const std::vector<std::string> pieces{Make("1" + form, 0, 110), Make("2" + form, 90, 190, {true, false}),
                                          Make("3" + form, 180, 300, {true, true})};
    for (const std::string out : {"out.vcf", "out.vcf.gz", "out.bcf"}) {
      EXPECT_EQ(Ligate(pieces, out), whole) << form << " " << out;
    }
    EXPECT_EQ(Ligate({pieces[1]}), Records(90, 190, {true, false}));
  }
}

TEST_F(LigationTest, AsBcftoolsDoes) {
  if (!HasBcftools()) GTEST_SKIP() << "bcftools is not installed";
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::vector<std::string> pieces;
    std::string names;
    for (size_t k = 0; k < 4; ++k) {
      const size_t begin = k == 0 ? 0 : 60 * k - random() % 30, end = k == 3 ? 300 : 60 * (k + 1) + random() % 30;
      const std::string path =
          Make(fmt::format("{}.{}.vcf.gz", repeat, k), begin, end, {random() % 2 == 0, random() % 2 == 0});
      IndexFile(path);
      pieces.push_back(path);
      names += " '" + path + "'";
    }
    Ligate(pieces);
    const std::string format = " -f '%POS[\\t%GT]\\n' ";
    const std::string ours = Bcftools("query" + format + "'" + (folder_ / "out.vcf") + "'").output;
    Bcftools("concat --ligate -Oz -o '" + (folder_ / "theirs.vcf.gz") + "'" + names);
    EXPECT_EQ(ours, Bcftools("query" + format + "'" + (folder_ / "theirs.vcf.gz") + "'").output);
    EXPECT_EQ(std::ranges::count(ours, '\n'), 300);
  }
}

TEST_F(LigationTest, TheMajorityOfHeterozygotesDecides) {
  // The second piece agrees at two of the five sites in common.
  std::vector<Site> sites(sites_.begin(), sites_.begin() + 20);
  for (Site& site : sites) site.alleles = {0, 1, 0, 1, 0};
  std::string first, second;
  for (size_t k = 0; k < 12; ++k) first += Record(sites[k], {});
  for (size_t k = 7; k < 20; ++k) second += Record(sites[k], {k != 8 && k != 9, false});
  const std::string joined = Ligate({MakeText("1.vcf", first), MakeText("2.vcf", second)});
  std::string expected;
  for (size_t k = 0; k < 20; ++k) expected += Record(sites[k], {});
  EXPECT_EQ(joined, expected);
}

TEST_F(LigationTest, SamplesThatCannotBeAlignedAreSaid) {
  std::vector<Site> sites(sites_.begin(), sites_.begin() + 20);
  for (Site& site : sites) site.alleles = {0, 1, 1, 1, 0};
  std::string first, second;
  for (size_t k = 0; k < 12; ++k) first += Record(sites[k], {});
  for (size_t k = 7; k < 20; ++k) second += Record(sites[k], {true, false});
  testing::internal::CaptureStderr();
  Ligate({MakeText("1.vcf", first), MakeText("2.vcf", second)});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("2.vcf: 1 of 2 diploid samples have no phased heterozygote in 20:170-210"));
}

TEST_F(LigationTest, RecordsThatOneFileLacksAreWritten) {
  const auto without = [&](size_t begin, size_t end, const std::set<size_t>& absent, Exchanged exchanged) {
    std::string text;
    for (size_t k = begin; k < end; ++k) text += absent.contains(k) ? "" : Record(sites_[k], exchanged);
    return text;
  };
  for (const std::string form : {".vcf.gz", ".bcf"}) {
    const std::vector<std::string> pieces{MakeText("1" + form, without(0, 110, {20, 92, 108}, {})),
                                          MakeText("2" + form, without(90, 190, {91, 109, 181, 188}, {true, false})),
                                          MakeText("3" + form, without(100, 300, {105, 182, 189, 250}, {true, true}))};
    testing::internal::CaptureStderr();
    EXPECT_EQ(Ligate(pieces), without(0, 300, {20, 250}, {})) << form;
    const std::string warnings = testing::internal::GetCapturedStderr();
    EXPECT_THAT(warnings, HasSubstr("4 records in the overlap with " + pieces[0] +
                                    " that only one of them has (first: 20:1010): written as that file has them"));
    EXPECT_THAT(warnings, HasSubstr("6 records in the overlap with " + pieces[1]));
  }
}

// Records of one position are joined by their alleles and names, in whatever order.
TEST_F(LigationTest, SeveralRecordsOfAPosition) {
  const auto record = [&](size_t k, const std::string& alt, const std::string& id, Exchanged exchanged) {
    std::string line = Record(sites_[k], exchanged);
    return line.replace(line.find("\t.\tA\tC\t"), 7, "\t" + id + "\tA\t" + alt + "\t");
  };
  const Exchanged second{true, false};
  const std::string before = Records(0, 12), after = Records(13, 40, second);
  const std::string joined = Ligate(
      {MakeText("1.vcf", before + record(12, "G", ".", {}) + record(12, "C", "x", {}) + record(12, "C", "y", {})),
       MakeText("2.vcf", Records(5, 12, second) + record(12, "C", "y", second) + record(12, "T", ".", second) +
                             record(12, "C", "x", second) + after)});
  EXPECT_EQ(joined, before + record(12, "G", ".", {}) + record(12, "C", "x", {}) + record(12, "C", "y", {}) +
                        record(12, "T", ".", {}) + Records(13, 40));
}

TEST_F(LigationTest, SeveralContigs) {
  const std::vector<std::string> pieces{Make("1.vcf", 0, 20), Make("2.vcf", 10, 40, {true, true}),
                                        MakeText("3.vcf", Records(0, 30, {true, true}, "21"))};
  EXPECT_EQ(Ligate(pieces), Records(0, 40) + Records(0, 30, {true, true}, "21"));
}

// A file of one sample in whose pieces the phase sets have any borders, names and orientation.
class PhaseSetTest : public LigationTest {
 protected:
  // Records [begin, end) of sites of which all are 0|1, in sets of `length`; the orientation of each is drawn. Without
  // a length there is no PS.
  std::string Piece(const std::string& name, size_t begin, size_t end, size_t length) {
    std::string text =
        "##fileformat=VCFv4.2\n##contig=<ID=20>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n"
        "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"s\">\n"
        "##FORMAT=<ID=HDS,Number=.,Type=Float,Description=\"h\">\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n";
    bool is_exchanged = false;
    for (size_t k = begin; k < end; ++k) {
      const size_t first = length == 0 ? begin : k - (k - begin) % length;
      if (k == first) is_exchanged = random_() % 2 == 0;
      text += fmt::format("20\t{}\t.\tA\tC\t.\t.\t.\t{}\t{}:{}{}\n", 100 + 10 * k, length == 0 ? "GT:HDS" : "GT:HDS:PS",
                          is_exchanged ? "1|0" : "0|1", is_exchanged ? "0.75,0.25" : "0.25,0.75",
                          length == 0 ? "" : fmt::format(":{}", 100 + 10 * first));
    }
    WriteText(folder_ / name, text, FileForm::kVcf);
    return folder_ / name;
  }

  // The genotypes of each set of the output, by their PS.
  std::map<std::string, std::set<std::string>> Sets(const std::string& records) const {
    std::map<std::string, std::set<std::string>> sets;
    std::istringstream in(records);
    for (std::string line; std::getline(in, line);) {
      const std::string format = line.substr(line.find("GT:HDS"), 9), sample = line.substr(line.rfind('\t') + 1);
      const bool has_set = format == "GT:HDS:PS";
      const std::string genotype = has_set ? sample.substr(0, sample.rfind(':')) : sample;
      sets[has_set ? sample.substr(sample.rfind(':') + 1) : "."].insert(genotype);
    }
    return sets;
  }

  std::mt19937 random_{13};
};

TEST_F(PhaseSetTest, OneSetHasOneName) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto sets =
        Sets(Ligate({Piece("1.vcf", 0, 110, 300), Piece("2.vcf", 90, 190, 300), Piece("3.vcf", 180, 300, 300)}));
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets.begin()->first, "100");
    EXPECT_EQ(sets.begin()->second.size(), 1u);  // 0|1:0.25,0.75 or 1|0:0.75,0.25 throughout
  }
}

// Whatever the sets of the pieces are, those of the output are in one orientation throughout, and sets that have
// heterozygotes in common are one.
TEST_F(PhaseSetTest, EachSetIsAlignedByItself) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto length = [&] { return size_t{1} + random_() % 60; };
    const auto sets = Sets(Ligate(
        {Piece("1.vcf", 0, 110, length()), Piece("2.vcf", 90, 190, length()), Piece("3.vcf", 180, 300, length())}));
    for (const auto& [name, genotypes] : sets) EXPECT_EQ(genotypes.size(), 1u) << name;
  }
}

TEST_F(PhaseSetTest, PiecesWithoutPsGoOnInASet) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto sets = Sets(Ligate({Piece("1.vcf", 0, 110, 300), Piece("2.vcf", 90, 190, 0)}));
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets.begin()->first, "100");
    EXPECT_EQ(sets.begin()->second.size(), 1u);
    const auto without = Sets(Ligate({Piece("1.vcf", 0, 110, 0), Piece("2.vcf", 90, 190, 300)}));
    ASSERT_EQ(without.size(), 1u);
    EXPECT_EQ(without.begin()->first, ".");
    EXPECT_EQ(without.begin()->second.size(), 1u);
  }
}

TEST_F(LigationTest, PiecesThatCannotBeLigated) {
  const std::string first = Make("1.vcf.gz", 0, 100);
  EXPECT_THAT(ErrorFor({first, Make("after.vcf.gz", 100, 200)}),
              HasSubstr("after.vcf.gz: has no record in common with " + first + ", so their phase cannot be aligned"));
  EXPECT_THAT(ErrorFor({Make("later.vcf.gz", 90, 200), first}), HasSubstr("1.vcf.gz: 20:100-1090 is not after"));
  EXPECT_THAT(ErrorFor({first, Make("inside.vcf.gz", 20, 50)}), HasSubstr("inside.vcf.gz: 20:300-590 is not after"));
  EXPECT_THAT(ErrorFor({first, MakeText("two.vcf.gz", Records(90, 120) + Records(0, 5, {}, "21"))}),
              HasSubstr("two.vcf.gz: has records of 2 contigs; to ligate, give files of one contig each"));
  EXPECT_THAT(ErrorFor({first, MakeText("other.vcf.gz", Records(0, 5, {}, "21")), Make("again.vcf.gz", 90, 120)}),
              HasSubstr("again.vcf.gz: contig 20 ended before"));
  EXPECT_THAT(ErrorFor({first, MakeText("unsorted.vcf.gz", Records(95, 120) + Records(97, 99))}),
              HasSubstr("unsorted.vcf.gz: 20:1070 comes after 20:1290"));
  EXPECT_THAT(ErrorFor({first, MakeText("empty.vcf.gz", "")}), HasSubstr("empty.vcf.gz: has records of 0 contigs"));
}

}  // namespace
}  // namespace haplospin
