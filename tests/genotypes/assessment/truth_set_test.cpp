#include "genotypes/assessment/truth_set.h"

#include "genotypes/assessment/evaluation_files.h"

namespace haplospin {
namespace {

std::optional<size_t> Site(const std::optional<TruthSet::Found>& found) {
  return found ? std::optional(found->site) : std::nullopt;
}

// Cattle have both, whereas 23 is X where there is no X.
TEST_F(EvaluationTest, ContigsXAnd23AreToldApart) {
  const std::vector<std::string> records{"23 10 . A C . . . GT 0|1", "23 20 . A C . . . GT 0|1",
                                         "X 10 . A C . . . GT 0|0"};
  const TruthSet cattle(DosageReader(Write("cattle.vcf", {"a"}, records)));
  const Marker marker{10, ".", "A", "C"};
  EXPECT_EQ(Site(cattle.Find("chr23", marker)), 0u);
  EXPECT_EQ(Site(cattle.Find("X", marker)), 2u);
  const TruthSet human(DosageReader(Write("human.vcf", {"a"}, {records[2]})));
  EXPECT_EQ(Site(human.Find("23", marker)), 0u);
}

TEST_F(EvaluationTest, SitesAreFoundByTheirVariant) {
  const TruthSet truth(DosageReader(Write(
      "truth.vcf", {"a"},
      {"6 98 del GGCA GGC . . . GT 0|1", "6 100 A*01 A T . . . GT 0|1", "6 100 A*02 A T . . . GT 0|0",
       "6 100 sv A <DEL> . . END=150 GT 0|0", "6 100 sv2 A <DEL> . . END=900 GT 0|0", "6 100 A*02 A T . . . GT 0|0"})));
  EXPECT_EQ(truth.num_sites(), 5u);
  EXPECT_EQ(Site(truth.Find("6", {100, ".", "CA", "C"})), 0u);
  EXPECT_EQ(Site(truth.Find("6", {100, ".", "C", "CA"})), std::nullopt);
  EXPECT_EQ(Site(truth.Find("6", {100, "A*02", "A", "T"})), 2u);
  EXPECT_EQ(Site(truth.Find("6", {100, "A*03", "A", "T"})), std::nullopt);
  EXPECT_EQ(Site(truth.Find("6", {100, ".", "A", "T"})), 1u);
  EXPECT_EQ(Site(truth.Find("6", {.position = 100, .id = ".", .ref = "A", .alt = "<DEL>", .info = "SVLEN=-800"})), 4u);
  EXPECT_EQ(Site(truth.Find("6", {.position = 100, .id = ".", .ref = "A", .alt = "<DEL>"})), std::nullopt);
}

// BGEN files have no INFO.
TEST_F(EvaluationTest, ASymbolicAltWithoutLengthIsTheOnlyOne) {
  const TruthSet truth(DosageReader(
      Write("truth.vcf", {"a"}, {"6 100 . A <DEL> . . END=150 GT 0|1", "6 100 . A <DUP> . . END=900 GT 0|0"})));
  EXPECT_EQ(Site(truth.Find("6", {.position = 100, .id = ".", .ref = "A", .alt = "<DUP>"})), 1u);
  EXPECT_EQ(Site(truth.Find("6", {.position = 100, .id = ".", .ref = "A", .alt = "<DUP>", .info = "END=800"})),
            std::nullopt);
}

// Callers of repeats have records that overlap, and some of their ALTs are one variant.
TEST_F(EvaluationTest, RepeatsOfSeveralRecordsAreSitesOfTheirOwn) {
  const std::vector<std::string> records{"21 98 . GGCA GGC . . RU=A GT 0|1", "21 98 . GGCACA GGCCA . . RU=CA GT 0|0",
                                         "21 100 . CA C . . RU=A GT 1|1"};
  const auto find = [&](const std::string& name, const std::string& key) {
    const std::string path = Write(name, {"a"}, records);
    std::string text = ReadFile(path);
    text.insert(text.find("##contig"), "##INFO=<ID=" + key + ",Number=1,Type=String,Description=\"Unit\">\n");
    WriteFile(path, text);
    const TruthSet truth{DosageReader(path)};
    EXPECT_EQ(truth.num_sites(), key == "RU" ? 3u : 1u);
    return std::vector{*Site(truth.Find("21", {98, ".", "GGCA", "GGC"})),
                       *Site(truth.Find("21", {98, ".", "GGCACA", "GGCCA"})),
                       *Site(truth.Find("21", {100, ".", "CA", "C"})), *Site(truth.Find("21", {99, ".", "GCA", "GC"}))};
  };
  EXPECT_EQ(find("repeats.vcf", "RU"), (std::vector<size_t>{0, 1, 2, 2}));
  EXPECT_EQ(find("others.vcf", "SVTYPE"), (std::vector<size_t>{0, 0, 0, 0}));
}

// plink2 writes men with one allele where they are homozygous there, after --merge-par.
TEST_F(EvaluationTest, OneAlleleInAPseudoAutosomalRegionIsHomozygous) {
  const auto genotypes = [](const TruthSet& truth) {
    std::vector<int8_t> all;
    for (size_t site = 0; site < truth.num_sites(); ++site) {
      std::vector<int8_t> row(truth.sample_names().size());
      truth.CopyGenotypes(site, row);
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  };
  const auto load = [&](const std::string& name, const std::vector<std::string>& men) {
    std::vector<std::string> records;
    for (size_t i = 0; i < men.size(); ++i) {
      records.push_back("X " + std::to_string(10 * (i + 1)) + " . A C . . . GT " + men[i]);
    }
    return TruthSet(DosageReader(Write(name, {"a", "b", "c", "d", "e"}, records)), PloidyRegions({{"X", 1, 100}}));
  };
  const TruthSet merged = load("merged.vcf", {"0 1 . 1 0", "0 . 1 0 0/1", "1 0/1 0 . 1"});
  EXPECT_EQ(genotypes(merged),
            genotypes(load("diploid.vcf", {"0/0 1/1 ./. 1/1 0/0", "0/0 ./. 1/1 0/0 0/1", "1/1 0/1 0/0 ./. 1/1"})));
  EXPECT_EQ(merged.ploidy(0)[0], 2);
  EXPECT_EQ(merged.alt_frequency(0), 0.5);
  EXPECT_EQ(merged.alt_frequency(2), 0.625);
  EXPECT_EQ(load("haploid.vcf", {"0 1 . 1 0", "0 . 1 0 1"}).ploidy(0)[0], 1);
}

}  // namespace
}  // namespace haplospin
