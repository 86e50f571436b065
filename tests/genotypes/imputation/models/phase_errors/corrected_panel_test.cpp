#include "genotypes/imputation/models/phase_errors/corrected_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/models/phasing/mosaic_phase.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Haploid and diploid samples, so that the haplotypes of some are in two words.
SampleTable MixedSamples(size_t count) {
  std::vector<int> ploidies(count);
  for (size_t s = 0; s < count; ++s) ploidies[s] = s % 7 == 3 ? 1 : 2;
  return MakeSamples("R", ploidies);
}

TEST(HaplotypeExchange, ExchangesTheAllelesOfTheSamples) {
  const SampleTable samples = MixedSamples(150);
  const Mosaic mosaic = SimulateMosaic({.haplotypes = samples.num_haplotypes(), .markers = 200});
  const HaplotypePanel panel = MakePanel(mosaic, samples);
  MutablePanel found("20", samples);
  HaplotypeExchange exchange(samples);
  std::vector<bool> is_exchanged(samples.num_samples());
  RandomStream random(1);
  size_t rare = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      if (samples.ploidy(s) != 2 || !random.Bernoulli(0.3)) continue;
      exchange.Toggle(s);
      is_exchanged[s] = !is_exchanged[s];
    }
    exchange.Append(panel, m, found);
    rare += found.is_rare(m) ? 1 : 0;
    EXPECT_EQ(found.marker(m).position, panel.marker(m).position);
    EXPECT_EQ(found.alt_count(m), panel.alt_count(m));
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      const size_t first = samples.first_haplotype[s], last = samples.first_haplotype[s + 1] - 1;
      ASSERT_EQ(found.allele(m, first), panel.allele(m, is_exchanged[s] ? last : first)) << m << ' ' << s;
      ASSERT_EQ(found.allele(m, last), panel.allele(m, is_exchanged[s] ? first : last)) << m << ' ' << s;
    }
  }
  EXPECT_GT(rare, 20u);
  EXPECT_LT(rare, 180u);
}

using testing::HasSubstr;

constexpr size_t kCorrectedSamples = 100;

// The markers of a contig.
struct ReadContig {
  std::string name;
  std::vector<int64_t> positions;
  std::vector<std::vector<uint8_t>> alleles;  // [haplotypes][markers]

  bool operator==(const ReadContig&) const = default;
};

// Reads the next contig, `step` bp at a time.
ReadContig Read(PanelReader& reader, int64_t step) {
  MutablePanel panel = reader.StartContig();
  for (bool has_more = true; has_more;) {
    const int64_t next = reader.NextPosition().value_or(0);
    has_more = reader.ReadUntil(next > INT64_MAX - step ? INT64_MAX : next + step, panel);
  }
  ReadContig contig{.name = panel.contig(), .positions = {}, .alleles = {}};
  for (size_t m = 0; m < panel.num_markers(); ++m) contig.positions.push_back(panel.marker(m).position);
  for (size_t h = 0; h < panel.num_haplotypes(); ++h) {
    contig.alleles.emplace_back();
    for (size_t m = 0; m < panel.num_markers(); ++m) contig.alleles[h].push_back(panel.allele(m, h) == 1);
  }
  return contig;
}

// Several windows on contigs 1 and 20, with a gap on the latter.
class CorrectedPanelTest : public testing::Test {
 protected:
  CorrectedPanelTest() {
    for (size_t m = 700; m < truth_.markers.size(); ++m) truth_.markers[m].position += 20'000'000;
    wrong_ = WithSwitchErrors(truth_, 0.002);
    VcfText vcf(DiploidSamples("R", kCorrectedSamples).names, {"1", "20"});
    for (const char* contig : {"1", "20"}) {
      AddMosaic(wrong_, DiploidSamples("R", kCorrectedSamples), 0, AllMarkers(wrong_), contig, vcf);
    }
    WriteVariants(path_, vcf, FileForm::kBgzip);
    IndexFile(path_);
  }

  CorrectedPanel Open(const std::string& map = "") const { return {OpenPanel(path_), map}; }

  size_t CountErrors(const std::vector<std::vector<uint8_t>>& alleles) const {
    size_t errors = 0;
    for (size_t s = 0; s < kCorrectedSamples; ++s) {
      errors += CountSwitchErrors(truth_.alleles[2 * s], truth_.alleles[2 * s + 1],
                                  [&](size_t m) { return alleles[2 * s][m]; });
    }
    return errors;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "panel.vcf.gz";
  Mosaic truth_ = SimulateMosaic({.haplotypes = 2 * kCorrectedSamples,
                                  .markers = 1300,
                                  .founders = 20,
                                  .switches_per_cm = 0.5,
                                  .rare_share = 0.2,
                                  .seed = 5});
  Mosaic wrong_;
};

TEST_F(CorrectedPanelTest, HasFewerErrorsAndTheSameGenotypes) {
  CorrectedPanel panel = Open();
  for (const char* name : {"1", "20"}) {
    EXPECT_EQ(panel.NextContig(), name);
    const ReadContig contig = Read(panel, INT64_MAX);
    EXPECT_EQ(contig.name, name);
    EXPECT_LT(CountErrors(contig.alleles), CountErrors(wrong_.alleles) / 3);
    ASSERT_EQ(contig.positions.size(), wrong_.markers.size());
    for (size_t m = 0; m < wrong_.markers.size(); ++m) {
      EXPECT_EQ(contig.positions[m], wrong_.markers[m].position);
      for (size_t h = 0; h < 2 * kCorrectedSamples; h += 2) {
        ASSERT_EQ(contig.alleles[h][m] + contig.alleles[h + 1][m], wrong_.alleles[h][m] + wrong_.alleles[h + 1][m]);
      }
    }
  }
  EXPECT_EQ(panel.NextContig(), std::nullopt);
  EXPECT_GT(panel.counts().errors, 2 * CountErrors(wrong_.alleles) * 2 / 3);
  EXPECT_GT(panel.counts().hets, 50'000u);
}

TEST_F(CorrectedPanelTest, IsTheSameInPiecesOfAnyLength) {
  CorrectedPanel whole = Open();
  const ReadContig expected = Read(whole, INT64_MAX);
  for (const int64_t step : {1, 70'000, 3'000'000}) {
    CorrectedPanel panel = Open();
    EXPECT_TRUE(Read(panel, step) == expected) << step;
  }
}

TEST_F(CorrectedPanelTest, SkipsAndSeeks) {
  CorrectedPanel whole = Open();
  const ReadContig first = Read(whole, INT64_MAX), second = Read(whole, INT64_MAX);
  CorrectedPanel panel = Open();
  panel.SkipContig();  // a contig that was not started
  EXPECT_TRUE(Read(panel, 100'000) == second);
  panel.Seek({"1", 1, INT64_MAX});
  EXPECT_TRUE(Read(panel, 100'000) == first);
  panel.Seek({"1", 1, INT64_MAX});
  MutablePanel part = panel.StartContig();
  panel.ReadUntil(truth_.markers[3].position, part);
  EXPECT_EQ(part.num_markers(), 4u);
  EXPECT_EQ(panel.NextPosition(), truth_.markers[4].position);
  panel.SkipContig();                           // a contig with markers in memory
  EXPECT_EQ(panel.NextContig(), std::nullopt);  // the end of the region
}

TEST_F(CorrectedPanelTest, NeedsTheMapOfEachContig) {
  WriteFile(folder_ / "one.map", "1 . 0 1\n1 . 30 30000000\n");
  CorrectedPanel panel = Open(folder_ / "one.map");
  CorrectedPanel uniform = Open();
  EXPECT_TRUE(Read(panel, INT64_MAX) == Read(uniform, INT64_MAX));
  EXPECT_THAT(ErrorOf([&] { panel.StartContig(); }), HasSubstr("one.map"));
}

}  // namespace

}  // namespace haplospin
