#include "imputation/job/adapted_array.h"

#include <gtest/gtest.h>

#include <cmath>

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
    ErrorFunction error{.of_probability = 0.5f};
    error.of_site[kErrorSites / 2 - 1] = 0.25f;  // the site before the marker
    error.of_site[kErrorSites / 2] = -0.125f;    // the site after it
    m % kStep == 0 ? adaptation.AddArraySite(1000 + m / 2) : adaptation.AddMarker(1000 + m / 2, m / 250.0, &error);
  }
  return adaptation;
}

std::vector<uint32_t> Sites(uint32_t begin, uint32_t end) {
  std::vector<uint32_t> sites;
  for (uint32_t m = begin; m < end; ++m) {
    if (m % kStep == 0) sites.push_back(m - begin);
  }
  return sites;
}

TEST(AdaptedArrayTest, FindsTheMarkersOfAPartOfTheContig) {
  AdaptedArray array(Adaptation());
  for (const uint32_t begin : {0u, 20u, 62u}) {
    const auto window = array.Find(Panel(begin, kMarkers), Sites(begin, kMarkers), {10, 100});
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
  AdaptedArray array(Adaptation());
  const HaplotypePanel panel = Panel(0, kMarkers);
  const std::vector<uint32_t> all = Sites(0, kMarkers);
  const MarkerRange whole{0, kMarkers};
  EXPECT_TRUE(array.Find(panel, {all.begin() + 4, all.end()}, whole));  // 36 of 40 sites
  EXPECT_FALSE(array.Find(panel, {all.begin() + 5, all.end()}, whole));
  std::vector<uint32_t> more = all;
  for (uint32_t m = 1; more.size() < 44; m += 5) more.push_back(m);
  std::ranges::sort(more);
  EXPECT_TRUE(array.Find(panel, more, whole));  // 40 of 44 are of the array
  more.push_back(kMarkers - 1);
  EXPECT_FALSE(array.Find(panel, more, whole));
  EXPECT_EQ(array.agreement().markers, 4 * kMarkers);
  EXPECT_EQ(array.agreement().adapted, 2 * kMarkers);
}

TEST(AdaptedArrayTest, CorrectsByTheSitesThatTheStudyHas) {
  AdaptedArray array(Adaptation());
  const HaplotypePanel panel = Panel(0, kMarkers);
  std::vector<uint32_t> typed = Sites(0, kMarkers);
  std::erase(typed, 50u);
  const ArrayWindow window = *array.Find(panel, typed, {0, kMarkers});
  const std::vector<uint8_t> alleles = {0, 1, kMissingAllele};
  const std::vector<const std::vector<uint8_t>*> rows(kMarkers, &alleles);
  std::vector<float> alt = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.99f, 0, 0.01f};
  window.Correct(panel, {47, 48}, rows, {alt.data(), 3});
  window.Correct(panel, {50, 52}, rows, {alt.data() + 3, 6});
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
