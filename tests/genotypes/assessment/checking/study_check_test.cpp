// Checking and fixing a study (study_fix.h), on studies with known errors.
#include "genotypes/assessment/checking/study_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/assessment/checking/study_fix.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kPanelSamples = 60, kStudySamples = 30, kMarkers = 600, kFounders = 6;
constexpr int64_t kSpacing = 4000;

// The panel's samples followed by the study's, all of them mosaics of a few founders.
struct Sites {
  std::vector<Marker> markers;
  std::vector<std::vector<uint8_t>> alleles;  // [markers][haplotypes]
};

Sites DrawSites(uint64_t seed) {
  RandomStream random(seed);
  const char* const kAlleles[] = {"AC", "GA", "TC", "GT", "AT", "TA", "CG", "GC"};
  Sites sites;
  std::vector<size_t> founder(2 * (kPanelSamples + kStudySamples));
  for (size_t& f : founder) f = static_cast<size_t>(random.Uniform() * kFounders);
  for (size_t m = 0; m < kMarkers; ++m) {
    const std::string letters = kAlleles[static_cast<size_t>(random.Uniform() * 8)];
    sites.markers.push_back({static_cast<int64_t>(m + 1) * kSpacing, ".", letters.substr(0, 1), letters.substr(1, 1)});
    std::vector<uint8_t> of_founder(kFounders);
    for (uint8_t& allele : of_founder) allele = random.Bernoulli(0.35);
    of_founder[m % kFounders] = 1;
    of_founder[(m + 1) % kFounders] = 0;
    std::vector<uint8_t>& alleles = sites.alleles.emplace_back();
    for (size_t& f : founder) {
      if (random.Bernoulli(0.02)) f = static_cast<size_t>(random.Uniform() * kFounders);
      alleles.push_back(of_founder[f] ^ static_cast<uint8_t>(random.Bernoulli(0.01)));
    }
  }
  return sites;
}

std::string Genotypes(const std::vector<uint8_t>& alleles, size_t first, size_t last, bool invert = false) {
  std::string text;
  for (size_t h = first; h < last; ++h) {
    text += std::to_string(alleles[h] ^ static_cast<int>(invert));
    text += h % 2 == 0 ? "|" : " ";
  }
  return text;
}

constexpr size_t kPanelEnd = 2 * kPanelSamples, kStudyEnd = 2 * (kPanelSamples + kStudySamples);

class StudyCheckTest : public testing::Test {
 protected:
  void WritePanel(const Sites& sites, FileForm form = FileForm::kBgzip) {
    VcfText vcf(SampleNames(kPanelSamples));
    for (size_t m = 0; m < sites.markers.size(); ++m) {
      vcf.Add("20", sites.markers[m].position, sites.markers[m].ref, sites.markers[m].alt,
              Genotypes(sites.alleles[m], 0, kPanelEnd));
    }
    WriteVariants(panel_, vcf, form);
  }

  StudyCheck Check(const std::string& study) const { return CheckStudy({.panel = panel_, .study = study}); }

  StudyCheck CheckText(const VcfText& study, const VcfText& panel) const {
    WriteVariants(panel_, panel, FileForm::kVcf);
    WriteVariants(study_, study, FileForm::kVcf);
    return Check(study_);
  }

  TemporaryFolder folder_;
  const std::string panel_ = folder_ / "panel.vcf.gz";
  const std::string study_ = folder_ / "study.vcf.gz";
  const std::string fixed_ = folder_ / "fixed.vcf.gz";
};

// Every combination of swap and strand at random: found, corrected, and not found again.
TEST_F(StudyCheckTest, FindsAndMendsSwapsAndFlips) {
  for (const uint64_t seed : {1, 2, 3}) {
    const Sites sites = DrawSites(seed);
    WritePanel(sites);
    RandomStream random(seed + 100);
    std::vector<SiteRelation> truth;
    std::vector<bool> is_ambiguous;
    VcfText study(SampleNames(kStudySamples));
    for (size_t m = 0; m < kMarkers; ++m) {
      Marker marker = sites.markers[m];
      const bool swap = random.Bernoulli(0.3), flip = random.Bernoulli(0.3);
      if (flip) marker = {marker.position, ".", ReverseComplement(marker.ref), ReverseComplement(marker.alt)};
      if (swap) std::swap(marker.ref, marker.alt);
      study.Add("20", marker.position, marker.ref, marker.alt, Genotypes(sites.alleles[m], kPanelEnd, kStudyEnd, swap));
      truth.push_back(flip   ? swap ? SiteRelation::kFlippedAndSwapped : SiteRelation::kFlipped
                      : swap ? SiteRelation::kSwapped
                             : SiteRelation::kSame);
      is_ambiguous.push_back(IsStrandAmbiguous(marker));
    }
    WriteVariants(study_, study, FileForm::kBgzip);
    const StudyCheck check = Check(study_);

    ASSERT_EQ(check.site_relations.size(), kMarkers);
    size_t undecided = 0, ambiguous = 0;
    for (size_t m = 0; m < kMarkers; ++m) {
      ambiguous += is_ambiguous[m];
      if (is_ambiguous[m] && check.site_relations[m] == SiteRelation::kUndecided) {
        ++undecided;
      } else {
        ASSERT_EQ(check.site_relations[m], truth[m]) << "marker " << m << (is_ambiguous[m] ? ", ambiguous" : "");
      }
    }
    EXPECT_EQ(check.ambiguous, ambiguous);
    EXPECT_EQ(check.ambiguous - check.ambiguous_same_strand - check.ambiguous_other_strand, undecided);
    EXPECT_EQ(check.Count(SiteRelation::kUndecided), undecided);
    EXPECT_GT(ambiguous, kMarkers / 3);
    EXPECT_LT(undecided, ambiguous / 10) << "linkage tells nearly all";
    EXPECT_EQ(check.frequencies.sites, kMarkers - undecided);
    EXPECT_GT(check.frequencies.correlation, 0.9);

    FixStudy(check, {.path = fixed_});
    const StudyCheck again = Check(fixed_);
    EXPECT_EQ(again.sites, kMarkers - undecided);
    EXPECT_EQ(again.Count(SiteRelation::kSame), again.sites);

    StudyReader reader(fixed_);
    StudyGenotypes fixed = reader.StartContig();
    reader.ReadUntil(INT64_MAX, fixed);
    size_t next = 0;
    for (size_t m = 0; m < kMarkers; ++m) {
      if (check.site_relations[m] == SiteRelation::kUndecided) continue;
      const auto& [marker, row] = fixed.markers[next++];
      ASSERT_TRUE(SameVariant(marker, sites.markers[m]));
      ASSERT_EQ(marker.position, sites.markers[m].position);
      const std::vector<uint8_t> expected(sites.alleles[m].begin() + kPanelEnd, sites.alleles[m].end());
      ASSERT_EQ(row.alleles, expected);
    }
    EXPECT_EQ(next, fixed.markers.size());
  }
}

// As on arrays of cattle: there is no unambiguous neighbor, but sites of clear frequency decide the others.
TEST_F(StudyCheckTest, DecidesAmbiguousSitesAmongThemselves) {
  for (const uint64_t seed : {1, 2, 3}) {
    Sites sites = DrawSites(seed);
    for (size_t m = 0; m < kMarkers; ++m) {
      sites.markers[m].ref = m % 2 == 0 ? "A" : "C";
      sites.markers[m].alt = m % 2 == 0 ? "T" : "G";
    }
    WritePanel(sites);
    RandomStream random(seed + 100);
    std::vector<SiteRelation> truth;
    VcfText study(SampleNames(kStudySamples));
    for (size_t m = 0; m < kMarkers; ++m) {
      const bool is_flipped = random.Bernoulli(0.3), is_swapped = random.Bernoulli(0.3);
      Marker marker = sites.markers[m];
      if (is_flipped != is_swapped) std::swap(marker.ref, marker.alt);
      study.Add("20", marker.position, marker.ref, marker.alt,
                Genotypes(sites.alleles[m], kPanelEnd, kStudyEnd, is_swapped));
      truth.push_back(is_flipped   ? is_swapped ? SiteRelation::kFlippedAndSwapped : SiteRelation::kFlipped
                      : is_swapped ? SiteRelation::kSwapped
                                   : SiteRelation::kSame);
    }
    WriteVariants(study_, study, FileForm::kBgzip);
    const StudyCheck check = Check(study_);
    EXPECT_EQ(check.ambiguous, kMarkers);
    EXPECT_LT(check.Count(SiteRelation::kUndecided), kMarkers / 10);
    for (size_t m = 0; m < kMarkers; ++m) {
      ASSERT_TRUE(check.site_relations[m] == SiteRelation::kUndecided || check.site_relations[m] == truth[m])
          << "marker " << m;
    }
  }
}

TEST_F(StudyCheckTest, KeepsUndecidedSitesIfAsked) {
  VcfText panel({"P", "Q"}), study({"A", "B"});
  panel.Add("20", 100, "A", "T", "0|1 0|1").Add("20", 200, "C", "G", "0|1 0|1").Add("20", 300, "A", "C", "0|1 0|1");
  study.Add("20", 100, "A", "T", "0|1 0|0").Add("20", 200, "G", "C", "0|1 1|1").Add("20", 300, "A", "C", "0|1 0|1");
  const StudyCheck check = CheckText(study, panel);
  EXPECT_EQ(check.Count(SiteRelation::kUndecided), 2u);
  for (const bool keep : {false, true}) {
    FixStudy(check, {.path = fixed_, .keep_ambiguous = keep});
    StudyReader reader(fixed_);
    StudyGenotypes fixed = reader.StartContig();
    reader.ReadUntil(INT64_MAX, fixed);
    ASSERT_EQ(fixed.markers.size(), keep ? 3u : 1u);
    if (!keep) continue;
    EXPECT_THAT(fixed.markers[0].genotypes.alleles, ElementsAre(0, 1, 0, 0));
    EXPECT_EQ(fixed.markers[1].marker.ref + fixed.markers[1].marker.alt, "CG");
    EXPECT_THAT(fixed.markers[1].genotypes.alleles, ElementsAre(1, 0, 0, 0));
  }
}

TEST_F(StudyCheckTest, TooFewSamplesLeaveTheStrandUndecided) {
  const Sites sites = DrawSites(1);
  WritePanel(sites);
  for (const size_t samples : {19, 20}) {
    VcfText study(SampleNames(samples));
    size_t ambiguous = 0;
    for (size_t m = 0; m < kMarkers; ++m) {
      const Marker& marker = sites.markers[m];
      ambiguous += IsStrandAmbiguous(marker);
      study.Add("20", marker.position, marker.ref, marker.alt,
                Genotypes(sites.alleles[m], kPanelEnd, kPanelEnd + 2 * samples));
    }
    WriteVariants(study_, study, FileForm::kVcf);
    const StudyCheck check = Check(study_);
    EXPECT_EQ(check.ambiguous, ambiguous);
    if (samples == 19) {
      EXPECT_EQ(check.Count(SiteRelation::kUndecided), ambiguous);
      EXPECT_EQ(check.Count(SiteRelation::kSame), kMarkers - ambiguous);
    } else {
      EXPECT_LT(check.Count(SiteRelation::kUndecided), ambiguous / 4);
    }
  }
}

TEST_F(StudyCheckTest, SortsOutTheOtherSites) {
  VcfText panel({"P", "Q"}), study({"A", "B"}, {"chr20"});
  for (int64_t position = 100; position <= 1200; position += 100) panel.Add("20", position, "A", "C", "0|1 0|1");
  study.Add("chr20", 100, "A", "C", "0|1 0|0")
      .Add("chr20", 150, "A", "C", "0|1 0|0")  // not in the panel
      .Add("chr20", 200, "A", "G", "0|1 0|0")  // other alleles
      .Add("chr20", 300, "A", ".", "0|0 0|0")  // without ALT
      .Add("chr20", 400, "A", "C", "0|1 0|0")
      .Add("chr20", 400, "A", "C", "1|1 1|1")  // a duplicate by its alleles
      .Add("chr20", 500, "A", "C", "0|1 0|0")
      .Add("chr20", 500, "G", "T", "1|1 1|1")    // a duplicate, as it is the same panel site
      .Add("chr20", 600, "C", "A,G", "0|1 0|2")  // may not be exchanged, as 0 may be G
      .Add("chr20", 700, "a", "c", "0|1 .|.");
  const StudyCheck check = CheckText(study, panel);
  using enum SiteRelation;
  EXPECT_THAT(check.site_relations, ElementsAre(kSame, kNotInPanel, kOtherAlleles, kNoAlt, kSame, kDuplicate, kSame,
                                                kDuplicate, kOtherAlleles, kOtherAlleles, kSame));
  EXPECT_EQ(check.SamePosition(), 10u);
  EXPECT_THAT(
      check.examples[static_cast<size_t>(kOtherAlleles)],
      ElementsAre("chr20:200 A>G, panel has A>C", "chr20:600 C>A, panel has A>C", "chr20:600 C>G, panel has A>C"));
  ASSERT_EQ(check.contigs.size(), 1u);
  EXPECT_EQ(check.contigs[0].name, "chr20");
  EXPECT_EQ(check.contigs[0].panel_name, "20");
  EXPECT_EQ(check.contigs[0].panel_sites, 7u) << "from the first to the last site of the study";
  EXPECT_EQ(check.contigs[0].same_position, 10u);
  EXPECT_EQ(check.contigs[0].matching.first, 100);
  EXPECT_EQ(check.contigs[0].matching.last, 700);
  EXPECT_EQ(check.samples[1].missing, 2u);
  EXPECT_EQ(check.samples[1].alleles, 22u);

  FixStudy(check, {.path = fixed_});
  const StudyCheck again = Check(fixed_);
  EXPECT_THAT(again.site_relations, ElementsAre(kSame, kNotInPanel, kOtherAlleles, kNoAlt, kSame, kSame, kOtherAlleles,
                                                kOtherAlleles, kSame));
  EXPECT_EQ(again.contigs[0].name, "20");
  EXPECT_EQ(again.samples[1].missing, 2u);
}

TEST_F(StudyCheckTest, ContigsMayBeInAnyOrder) {
  VcfText panel({"P", "Q"}), study({"A"}, {"X", "7", "20"});
  panel.Add("1", 5, "A", "C", "0|1 0|1").Add("20", 100, "A", "C", "0|1 0|1").Add("X", 70, "G", "T", "0|1 0|1");
  study.Add("X", 70, "G", "T", "1").Add("7", 100, "A", "C", "0|1").Add("20", 100, "A", "C", "0|1");
  for (const bool indexed : {false, true}) {
    WriteVariants(panel_, panel, FileForm::kBgzip);
    if (indexed) IndexFile(panel_);
    WriteVariants(study_, study, FileForm::kVcf);
    const StudyCheck check = Check(study_);
    using enum SiteRelation;
    EXPECT_THAT(check.site_relations, ElementsAre(kSame, kNotInPanel, kSame)) << indexed;
    EXPECT_EQ(check.contigs[1].panel_name, "");
    EXPECT_TRUE(check.samples[0].is_haploid && check.samples[0].is_diploid);
    FixStudy(check, {.path = fixed_});
    EXPECT_THAT(Check(fixed_).site_relations, ElementsAre(kSame, kNotInPanel, kSame)) << indexed;
  }
}

TEST_F(StudyCheckTest, ComparesFrequencies) {
  VcfText panel(SampleNames(50)), study(SampleNames(50));
  const auto genotypes = [](size_t carriers) {
    std::string text;
    for (size_t s = 0; s < 50; ++s) text += s < carriers ? "1|1 " : "0|0 ";
    return text;
  };
  for (int64_t m = 0; m < 20; ++m) {
    panel.Add("20", 100 + m, "A", "C", genotypes(static_cast<size_t>(2 * m)));
    study.Add("20", 100 + m, "A", "C", genotypes(m == 3 ? 40 : static_cast<size_t>(2 * m)));
  }
  const FrequencyComparison frequencies = CheckText(study, panel).frequencies;
  EXPECT_EQ(frequencies.sites, 20u);
  EXPECT_EQ(frequencies.num_outliers, 1u);
  ASSERT_EQ(frequencies.outliers.size(), 1u);
  EXPECT_EQ(frequencies.outliers[0].site, "20:103 A>C");
  EXPECT_NEAR(frequencies.outliers[0].study, 0.8, 1e-12);
  EXPECT_NEAR(frequencies.outliers[0].panel, 0.12, 1e-12);
  EXPECT_LT(frequencies.correlation, 0.9);
  EXPECT_GT(frequencies.correlation, 0.5);
  size_t in_histogram = 0;
  for (const auto& row : frequencies.histogram) {
    for (const size_t count : row) in_histogram += count;
  }
  EXPECT_EQ(in_histogram, 20u);
  EXPECT_EQ(frequencies.histogram[2][16], 1u);
}

TEST_F(StudyCheckTest, NamesTheArray) {
  VcfText panel({"P"}), study({"A"});
  std::string exact, wide, narrow;
  for (int64_t position = 100; position < 200; ++position) {
    panel.Add("20", position, "A", "C", "0|1");
    wide += "20 " + std::to_string(position) + "\n";
    if (position % 2 == 0) exact += "chr20 " + std::to_string(position) + "\n";
    if (position % 20 == 0) narrow += "20 " + std::to_string(position) + "\n";
    if (position % 2 == 0) study.Add("20", position, "A", "C", "0|1");
  }
  WriteVariants(panel_, panel, FileForm::kVcf);
  WriteVariants(study_, study, FileForm::kVcf);
  WriteFile(folder_ / "wide", wide);
  WriteFile(folder_ / "exact", exact + "20 5000\n");
  WriteFile(folder_ / "narrow", narrow);
  StudyCheckOptions options{.panel = panel_, .study = study_};
  options.arrays = {folder_ / "wide", folder_ / "exact", folder_ / "narrow"};
  const StudyCheck check = CheckStudy(options);
  EXPECT_EQ(check.identified_array, 1);
  EXPECT_EQ(check.arrays[0].shared, 50u);
  EXPECT_EQ(check.arrays[0].sites_there, 99u) << "up to the study's last site";
  EXPECT_EQ(check.arrays[1].sites, 51u);
  EXPECT_EQ(check.arrays[1].sites_there, 50u);
  EXPECT_EQ(check.arrays[2].shared, 5u);
  options.arrays = {folder_ / "wide", folder_ / "narrow"};
  EXPECT_EQ(CheckStudy(options).identified_array, -1);
}

TEST_F(StudyCheckTest, FilesThatCannotServeAreNamed) {
  VcfText panel({"P"}), both({"A"}, {"20", "chr20"});
  panel.Add("20", 100, "A", "C", "0|1");
  both.Add("20", 100, "A", "C", "0|1").Add("chr20", 100, "A", "C", "0|1");
  WriteVariants(panel_, panel, FileForm::kVcf);
  WriteVariants(study_, both, FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { Check(study_); }), HasSubstr("contigs 20 and chr20 are both contig 20 of"));
  WriteVariants(study_, VcfText({"A"}), FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { Check(study_); }), HasSubstr("no record"));
  EXPECT_THAT(ErrorOf([&] { CheckStudy({.panel = "-", .study = study_}); }), HasSubstr("give a file"));

  WriteVariants(study_, panel, FileForm::kVcf);
  StudyCheck check = Check(study_);
  check.site_relations.push_back(SiteRelation::kSame);
  EXPECT_THAT(ErrorOf([&] { FixStudy(check, {.path = fixed_}); }), HasSubstr("changed while it was read"));
  check.site_relations.clear();
  EXPECT_THAT(ErrorOf([&] { FixStudy(check, {.path = fixed_}); }), HasSubstr("changed while it was read"));
  EXPECT_FALSE(std::filesystem::exists(fixed_));
}

}  // namespace
}  // namespace haplospin
