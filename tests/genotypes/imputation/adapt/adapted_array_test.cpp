#include "genotypes/imputation/adapt/adapted_array.h"

#include <gtest/gtest.h>

#include <cmath>

#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr uint32_t kMarkers = 200;
constexpr uint32_t kStep = 5;  // every fifth marker is a site of the array

// A panel of two people with 200 markers, of which some positions have two.
HaplotypePanel Panel(uint32_t begin, uint32_t end) {
  HaplotypePanelBuilder builder("20", SampleTable::Diploid({"a", "b"}));
  for (uint32_t m = begin; m < end; ++m) builder.AddMarker({1000 + m / 2, ".", "A", "C"}, {{0, 1, 0, 0}});
  return builder.Build();
}

PanelAdaptation Adaptation() {
  PanelAdaptation adaptation;
  for (uint32_t m = 0; m < kMarkers; ++m) {
    ErrorFunction error{.probability_factor = 0.5f};
    error.site_factors[kErrorSites / 2 - 1] = 0.25f;  // the site before the marker
    error.site_factors[kErrorSites / 2] = -0.125f;    // the site after it
    m % kStep == 0 ? adaptation.AddArraySite(1000 + m / 2, 0.001 * m)
                   : adaptation.AddMarker(1000 + m / 2, m / 250.0, &error);
  }
  adaptation.SetCopying({.mismatch_rate = 0.002, .unmatched_share = 0.1});
  std::vector<float> shares(2 * kAdaptedPopulations, 1);
  shares[0] = 4;  // the first person is of the first population
  adaptation.SetShares(shares);
  return adaptation;
}

const SampleTable kTwoSamples = SampleTable::Diploid({"a", "b"});

std::vector<uint32_t> Sites(uint32_t begin, uint32_t end) {
  std::vector<uint32_t> sites;
  for (uint32_t m = begin; m < end; ++m) {
    if (m % kStep == 0) sites.push_back(m - begin);
  }
  return sites;
}

TEST(AdaptedArrayTest, FindsTheMarkersOfAPartOfTheContig) {
  AdaptedArray array(kTwoSamples, Adaptation());
  for (const uint32_t begin : {0u, 20u, 62u}) {
    const auto window = array.Find(Panel(begin, kMarkers), Sites(begin, kMarkers), {0, 100}, {10, 100});
    ASSERT_TRUE(window);
    EXPECT_EQ(window->first, 10u);
    for (uint32_t m = 10; m < 100; ++m) {
      const bool is_site = (begin + m) % kStep == 0;
      ASSERT_EQ(window->r2[m - 10].has_value(), !is_site) << begin << ' ' << m;
      EXPECT_NEAR(window->r2[m - 10].value_or((begin + m) / 250.0f), (begin + m) / 250.0, 1e-6);
    }
  }
  EXPECT_EQ(array.agreement().markers, 270u);
  EXPECT_EQ(array.agreement().adapted, 270u);
  EXPECT_EQ(array.agreement().array_sites, array.agreement().shared_sites);
}

TEST(AdaptedArrayTest, IsOfNoUseToAnotherArray) {
  AdaptedArray array(kTwoSamples, Adaptation());
  const HaplotypePanel panel = Panel(0, kMarkers);
  const std::vector<uint32_t> all = Sites(0, kMarkers);
  const MarkerRange whole{0, kMarkers};
  EXPECT_TRUE(array.Find(panel, {all.begin() + 10, all.end()}, whole, {50, 60}));  // 30 of 40 sites
  EXPECT_FALSE(array.Find(panel, {all.begin() + 11, all.end()}, whole, {50, 60}));
  std::vector<uint32_t> more = all;
  for (uint32_t m = 1; more.size() < 44; m += 5) more.push_back(m);
  std::ranges::sort(more);
  EXPECT_TRUE(array.Find(panel, more, whole, {50, 60}));  // 40 of 44 are of the array
  more.push_back(kMarkers - 1);
  EXPECT_FALSE(array.Find(panel, more, whole, {50, 60}));
  EXPECT_EQ(array.agreement().markers, 4 * 10u);
  EXPECT_EQ(array.agreement().adapted, 2 * 10u);
}

// The switches of a gap of which a site is missing, or that has a site of the study alone, add up.
TEST(AdaptedArrayTest, TellsTheSwitchesBetweenTypedMarkers) {
  const AdaptedArray array(kTwoSamples, Adaptation());
  const HaplotypePanel panel = Panel(0, kMarkers);
  const GeneticMap map = GeneticMap::Uniform();
  const auto copying = [&](const std::vector<uint32_t>& typed) {
    return array.Estimates(PanelWindow(panel, map, typed, {0, kMarkers}, CopyingOptions())).copying;
  };
  const auto switches = [&](const std::vector<uint32_t>& typed) {
    std::vector<double> found;
    for (const float t : copying(typed).switch_probability) found.push_back(-std::log1p(-t));
    return found;
  };
  const std::vector<double> all = switches({10, 20, 30}), between = switches({10, 24, 30}), fewer = switches({10, 30});
  EXPECT_NEAR(all[0], 0.035, 0.001);  // markers 15 and 20 are sites
  EXPECT_NEAR(all[1], 0.055, 0.002);
  EXPECT_NEAR(fewer[0], all[0] + all[1], 1e-5);
  EXPECT_NEAR(between[0] + between[1], all[0] + all[1], 1e-5);
  EXPECT_GT(between[0], all[0] + 0.01);
  EXPECT_GT(between[1], 0.02);
  EXPECT_GT(switches({0, kMarkers - 1})[0], 0);  // the last marker is beyond the array's last site
  const PanelCopying found = copying({10, 20, 30});
  EXPECT_EQ(found.mismatch_rate, 0.002);
  EXPECT_EQ(found.unmatched_share, 0.1);
  EXPECT_NEAR(found.switches, found.switch_probability[0] + found.switch_probability[1], 1e-6);
  EXPECT_GE(found.model.multiplier, 1);
}

TEST(AdaptedArrayTest, HasThePopulationsOfTheFile) {
  const AdaptedArray array(kTwoSamples, Adaptation());
  PopulationMixture first{};
  first[0] = 1;
  const HaplotypePanel panel = Panel(0, kMarkers);
  const GeneticMap map = GeneticMap::Uniform();
  const PanelEstimates estimates = array.Estimates(PanelWindow(panel, map, {10, 20}, {0, kMarkers}));
  EXPECT_NEAR(estimates.populations->Share(0, first) / estimates.populations->Share(1, first), 4, 0.2);
  EXPECT_NEAR(estimates.populations->Share(0, first) + estimates.populations->Share(1, first), 2, 1e-5);
}

TEST(AdaptedArrayTest, CorrectsByTheSitesThatTheStudyHas) {
  AdaptedArray array(kTwoSamples, Adaptation());
  const HaplotypePanel panel = Panel(0, kMarkers);
  std::vector<uint32_t> typed = Sites(0, kMarkers);
  std::erase(typed, 50u);
  const ArrayWindow window = *array.Find(panel, typed, {0, kMarkers}, {0, kMarkers});
  const std::vector<uint8_t> alleles = {0, 1, kMissingAllele};
  const GenotypeRow row{.alleles = alleles};
  std::vector<WindowStudy::Site> sites;
  for (const uint32_t m : typed) sites.push_back({m, &row});
  const SampleTable samples = HaploidSamples("S", 3);
  const WindowStudy study(samples, std::move(sites));
  std::vector<float> alt = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.99f, 0, 0.01f};
  window.Correct(panel, {47, 48}, study, {alt.data(), 3});
  window.Correct(panel, {50, 52}, study, {alt.data() + 3, 6});
  constexpr float kFrequency = 0.25f;
  const auto expected = [&](float p, int allele, bool has_left) {
    const float x = allele == kMissingAllele ? 0 : static_cast<float>(allele) - kFrequency;
    const float error = 0.5f * (p - kFrequency) + (has_left ? 0.25f * x : -0.125f * x);
    return std::clamp(p + std::min(1.0f, p * (1 - p) / 0.1f) * error, 0.0f, 1.0f);
  };
  for (size_t h = 0; h < 3; ++h) {
    EXPECT_NEAR(alt[h], expected(0.5f, alleles[h], true), 0.002f);  // the site after it is not in the study
    EXPECT_EQ(alt[3 + h], 0.5f);                                    // a site of the array
    EXPECT_NEAR(alt[6 + h], expected(h == 0 ? 0.99f : h == 1 ? 0 : 0.01f, alleles[h], false), 0.002f);
  }
}

}  // namespace
}  // namespace haplospin
