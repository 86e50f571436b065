#include "genotypes/variant_io/joining/empirical_order.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "genotypes/genomics/dosage_r2.h"
#include "genotypes/genomics/quantized_probability.h"

namespace haplospin {
namespace {

constexpr size_t kSites = 40, kHaplotypes = 30;

// Typed sites of a panel with leave-one-out probabilities of its own, every `step`-th of all.
std::vector<TypedSite> Sites(unsigned seed, size_t step) {
  std::mt19937 alleles(1), random(seed);
  std::vector<TypedSite> sites;
  for (size_t m = 0; m < kSites; ++m) {
    TypedSite site{.marker = {static_cast<int64_t>(100 * m + 100), ".", "A", "C"}};
    for (size_t h = 0; h < kHaplotypes; ++h) {
      site.alleles.push_back(alleles() % 2);
      const float error = static_cast<float>(random() % 100) / 200;
      site.left_out.push_back(PackProbability(site.alleles.back() == 1 ? 1 - error : error));
    }
    if (m % step == 0) sites.push_back(std::move(site));
  }
  return sites;
}

std::optional<float> Er2(const TypedSite& site) {
  std::vector<float> left_out;
  for (const uint16_t p : site.left_out) left_out.push_back(UnpackProbability(p));
  const auto er2 = EmpiricalR2(left_out, site.alleles);
  return er2 ? std::optional(static_cast<float>(*er2)) : std::nullopt;
}

// The order that is found for imputed files whose typed sites are `imputed`, beside the files `empirical`.
std::vector<std::optional<size_t>> Others(const std::vector<std::vector<TypedSite>>& imputed,
                                          const std::vector<std::vector<TypedSite>>& empirical, bool has_er2) {
  EmpiricalOrder order(imputed.size());
  for (size_t k = 0; k < empirical.size(); ++k) order.AddSites(k, empirical[k]);
  std::vector<std::optional<size_t>> others;
  for (size_t k = 0; k < imputed.size(); ++k) {
    for (const TypedSite& site : imputed[k]) order.AddTyped(k, site.marker, has_er2 ? Er2(site) : std::nullopt);
    others.push_back(order.FindOther(k));
  }
  return others;
}

using Order = std::vector<std::optional<size_t>>;

TEST(EmpiricalOrderTest, TheEmpiricalR2TellsWhichFileIsWhose) {
  const auto a = Sites(2, 1), b = Sites(3, 1), c = Sites(4, 1);
  EXPECT_EQ(Others({a, b, c}, {a, b, c}, true), Order(3));
  EXPECT_EQ(Others({a, b, c}, {b, c, a}, true), (Order{2, 0, 1}));
  EXPECT_EQ(Others({a, b, c}, {a, c, b}, true), (Order{std::nullopt, 2, 1}));
}

TEST(EmpiricalOrderTest, SoDoTheTypedMarkers) {
  const auto a = Sites(2, 1), b = Sites(3, 2);
  EXPECT_EQ(Others({a, b}, {a, b}, false), Order(2));
  // All markers of b are in a as well.
  EXPECT_EQ(Others({a, b}, {b, a}, false), (Order{1, std::nullopt}));
}

TEST(EmpiricalOrderTest, NothingIsSaidOfFilesThatAreAlike) {
  const auto a = Sites(2, 1), b = Sites(3, 1);
  EXPECT_EQ(Others({a, a}, {a, a}, true), Order(2));
  EXPECT_EQ(Others({a, b}, {b, a}, false), Order(2));
}

}  // namespace
}  // namespace haplospin
