#include "genotypes/imputation/hla/hla_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "core/threads.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr size_t kPeople = 60;
constexpr int64_t kFirst = 29'000'000, kGeneA = 29'800'050, kGeneB = 30'200'000;  // bp

// Chromosomes 1 and 6 of a panel, whose haplotypes at two genes have an allele for each haplotype of a few markers
// around them.
class HlaPanelTest : public testing::Test {
 protected:
  HlaPanelTest() {
    for (Marker& marker : mosaic_.markers) marker.position += kFirst;
    const SampleTable samples = DiploidSamples("R", kPeople);
    VcfText vcf(samples.names, {"1", "6", "20"});
    for (const char* contig : {"1", "6", "20"}) AddMosaic(mosaic_, samples, 0, AllMarkers(mosaic_), contig, vcf);
    WriteVariants(path_, vcf, FileForm::kBgzip);
    types_.genes = {MakeTypes("A", kGeneA), MakeTypes("B", kGeneB)};
  }

  // Common markers around a gene tell the alleles apart.
  size_t AlleleOf(size_t haplotype, int64_t position) const {
    size_t allele = 0, found = 0;
    for (size_t m = 0; m < mosaic_.markers.size() && found < 3; ++m) {
      if (mosaic_.markers[m].position < position) continue;
      size_t carriers = 0;
      for (const auto& alleles : mosaic_.alleles) carriers += alleles[m];
      if (carriers < 40 || carriers > 80) continue;
      allele = 2 * allele + mosaic_.alleles[haplotype][m];
      ++found;
    }
    return allele;
  }

  HlaGeneTypes MakeTypes(const std::string& gene, int64_t position) const {
    HlaGeneTypes types{gene, {}, {}};
    for (size_t a = 0; a < 8; ++a) types.alleles.push_back(gene + "*0" + std::to_string(a) + ":01");
    RandomStream random(1);
    for (size_t s = 0; s < kPeople; ++s) {
      std::array<HlaCandidates, 2> pair;
      for (size_t c = 0; c < 2; ++c) pair[c] = {static_cast<uint32_t>(AlleleOf(2 * s + c, position))};
      if (random.Bernoulli(0.5)) std::swap(pair[0], pair[1]);
      types.people.push_back(pair);
    }
    return types;
  }

  HlaPanel Open() const { return Open(types_); }
  HlaPanel Open(const HlaTypes& types) const { return {OpenPanel(path_), types, {{"A", kGeneA}, {"B", kGeneB}}, ""}; }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "panel.vcf.gz";
  Mosaic mosaic_ = SimulateMosaic(
      {.haplotypes = 2 * kPeople, .markers = 400, .founders = 12, .switches_per_cm = 0.5, .rare_share = 0.2});
  HlaTypes types_;
};

struct ReadMarkers {
  std::vector<std::string> names;
  std::vector<std::vector<int>> alleles;  // [markers][haplotypes]

  bool operator==(const ReadMarkers&) const = default;
};

// Reads the next contig, `step` bp at a time.
ReadMarkers Read(PanelReader& reader, int64_t step) {
  MutablePanel panel = reader.StartContig();
  for (bool has_more = true; has_more;) {
    const int64_t next = reader.NextPosition().value_or(0);
    has_more = reader.ReadUntil(next > INT64_MAX - step ? INT64_MAX : next + step, panel);
  }
  ReadMarkers markers;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    markers.names.push_back(std::to_string(panel.marker(m).position) + panel.marker(m).alt);
    markers.alleles.emplace_back();
    for (size_t h = 0; h < panel.num_haplotypes(); ++h) markers.alleles.back().push_back(panel.allele(m, h));
  }
  return markers;
}

TEST_F(HlaPanelTest, HasOneAlleleOfEachGeneOnEachHaplotype) {
  HlaPanel panel = Open();
  const ReadMarkers one = Read(panel, INT64_MAX);
  EXPECT_EQ(one.names.size(), mosaic_.markers.size());
  EXPECT_EQ(panel.NextContig(), "6");
  const ReadMarkers six = Read(panel, INT64_MAX);
  EXPECT_EQ(panel.NextContig(), "20");
  EXPECT_EQ(Read(panel, INT64_MAX), one);
  EXPECT_EQ(panel.NextContig(), std::nullopt);
  size_t right = 0;
  std::vector<int> alleles_of(2 * kPeople);
  for (size_t m = 0; m < six.names.size(); ++m) {
    if (six.names[m].find('<') == std::string::npos) continue;
    const bool is_a = six.names[m].find("HLA_A*0") != std::string::npos;
    const auto allele = static_cast<size_t>(six.names[m][six.names[m].find('*') + 2] - '0');
    for (size_t h = 0; h < 2 * kPeople; ++h) {
      alleles_of[h] += six.alleles[m][h];
      if (six.alleles[m][h] == 1 && AlleleOf(h, is_a ? kGeneA : kGeneB) == allele) ++right;
    }
  }
  EXPECT_EQ(alleles_of, std::vector<int>(2 * kPeople, 2));
  EXPECT_GT(right, size_t{4} * kPeople * 95 / 100);
  ASSERT_EQ(panel.added().size(), 2u);
  EXPECT_EQ(panel.added()[0].gene, "A");
  EXPECT_EQ(panel.added()[0].typed, kPeople);
  EXPECT_EQ(six.names.size(), mosaic_.markers.size() + panel.added()[0].alleles + panel.added()[1].alleles);
}

TEST_F(HlaPanelTest, IsTheSameInPiecesOfAnyLengthOnAnyThreads) {
  HlaPanel whole = Open();
  whole.SkipContig();
  const ReadMarkers expected = Read(whole, INT64_MAX);
  for (const int64_t step : {0, 3'000, 700'000}) {
    HlaPanel panel = Open();
    panel.SkipContig();
    EXPECT_EQ(Read(panel, step), expected) << step;
  }
}

TEST_F(HlaPanelTest, LacksGenesWithoutMarkersAround) {
  HlaPanel panel(OpenPanel(path_), types_, {{"A", kGeneA}, {"B", 40'000'000}}, "");
  panel.SkipContig();
  testing::internal::CaptureStderr();
  Read(panel, INT64_MAX);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("HLA-B is left out: the panel has fewer than"));
  EXPECT_EQ(panel.added().size(), 1u);
  HlaPanel nothing(OpenPanel(path_), types_, {{"A", 50'000'000}, {"B", 60'000'000}}, "");
  nothing.SkipContig();
  testing::internal::CaptureStderr();
  const std::string error = [&] {
    try {
      Read(nothing, INT64_MAX);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  }();
  testing::internal::GetCapturedStderr();
  EXPECT_THAT(error, HasSubstr("has no markers around the HLA genes (6:50000000-60000000)"));
}

TEST_F(HlaPanelTest, NeedsChromosome6) {
  VcfText vcf({"R0"}, {"20"});
  vcf.Add("20", 100, "A", "G", "0|1");
  WriteVariants(folder_ / "20.vcf.gz", vcf, FileForm::kBgzip);
  HlaPanel panel(OpenPanel(folder_ / "20.vcf.gz"), types_, {{"A", kGeneA}, {"B", kGeneB}}, "");
  panel.SkipContig();
  EXPECT_THAT(ErrorOf([&] { panel.NextContig(); }), HasSubstr("no records of chromosome 6"));
}

}  // namespace
}  // namespace haplospin
