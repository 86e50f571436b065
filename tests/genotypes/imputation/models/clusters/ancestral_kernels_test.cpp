#include "genotypes/imputation/models/clusters/ancestral_kernels.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/clusters/ancestral_haplotypes.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/genetic_map.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t K = kAncestors;

AncestorData MosaicData(uint64_t seed, size_t markers) {
  const Mosaic mosaic = SimulateMosaic(
      {.haplotypes = 60, .markers = markers, .founders = 6, .spacing_bp = 500'000, .rare_share = 0, .seed = seed});
  return {MakePanel(mosaic, DiploidSamples("R", 30)), GeneticMap::Uniform(), {0, markers}};
}

using Matrix = std::vector<std::vector<double>>;  // [K, K]

// The model by its definition: every step with the whole matrix of transitions.
class DirectPairs {
 public:
  DirectPairs(const AncestorTables& tables, std::vector<int8_t> genotypes)
      : tables_(tables), genotypes_(std::move(genotypes)) {}

  // The mean probability of ALT at a marker, given the genotypes at the others.
  double LeftOut(size_t marker) const {
    Matrix forward(K, std::vector<double>(K));
    for (size_t a = 0; a < K; ++a) {
      for (size_t b = 0; b < K; ++b) forward[a][b] = double{tables_.share[a]} * tables_.share[b];
    }
    for (size_t m = 0; m < marker; ++m) forward = Product(Transition(m + 1), Emitted(forward, m), true);
    Matrix backward(K, std::vector<double>(K, 1));
    for (size_t m = tables_.markers - 1; m > marker; --m) {
      backward = Product(Transition(m), Emitted(backward, m), false);
    }
    double total = 0, alts = 0;
    for (size_t a = 0; a < K; ++a) {
      for (size_t b = 0; b < K; ++b) {
        const double p = forward[a][b] * backward[a][b];
        total += p;
        alts += p * (Alt(marker, a) + Alt(marker, b)) / 2;
      }
    }
    return alts / total;
  }

 private:
  double Alt(size_t m, size_t k) const { return tables_.alt[m * K + k]; }

  Matrix Transition(size_t m) const {
    Matrix result(K, std::vector<double>(K));
    for (size_t a = 0; a < K; ++a) {
      for (size_t b = 0; b < K; ++b) {
        result[a][b] = (a == b ? 1.0 - tables_.switches[m] : 0.0) + tables_.switches[m] * tables_.share[m * K + b];
      }
    }
    return result;
  }

  Matrix Emitted(Matrix matrix, size_t m) const {
    for (size_t a = 0; a < K; ++a) {
      for (size_t b = 0; b < K; ++b) {
        const double p = Alt(m, a), q = Alt(m, b);
        const double likely[] = {(1 - p) * (1 - q), p * (1 - q) + (1 - p) * q, p * q};
        if (genotypes_[m] >= 0) matrix[a][b] *= likely[genotypes_[m]];
      }
    }
    return matrix;
  }

  // T' M T if forward, T M T' if not.
  static Matrix Product(const Matrix& t, const Matrix& matrix, bool is_forward) {
    Matrix half(K, std::vector<double>(K)), result(K, std::vector<double>(K));
    const auto at = [&](size_t from, size_t to) { return is_forward ? t[from][to] : t[to][from]; };
    for (size_t a = 0; a < K; ++a) {
      for (size_t b = 0; b < K; ++b) {
        for (size_t c = 0; c < K; ++c) half[a][b] += at(c, a) * matrix[c][b];
      }
    }
    for (size_t a = 0; a < K; ++a) {
      for (size_t b = 0; b < K; ++b) {
        for (size_t c = 0; c < K; ++c) result[a][b] += half[a][c] * at(c, b);
      }
    }
    return result;
  }

  const AncestorTables tables_;
  const std::vector<int8_t> genotypes_;
};

TEST(AncestralKernels, PairsAreThoseOfTheModel) {
  constexpr size_t kMarkers = 14;
  const AncestorData data = MosaicData(1, kMarkers);
  const AncestralHaplotypes model(data, 1, 0);
  const std::vector<uint32_t> typed = {2, 3, 6, 12};
  const AncestorStops stops(model, typed);
  RandomStream random(2);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<int8_t> genotypes(kMarkers, -1), at_stops;
    for (const uint32_t m : typed) genotypes[m] = static_cast<int8_t>(random.UniformInt(4)) - 1;
    for (const uint32_t m : stops.markers().stops) at_stops.push_back(genotypes[m]);
    std::vector<float> forward(at_stops.size() * K * K), left_out(kMarkers);
    LeaveOutGenotypes(model.tables(), stops.markers(), at_stops.data(), forward.data(), left_out.data());
    const DirectPairs direct(model.tables(), genotypes);
    for (size_t m = 0; m < kMarkers; ++m) EXPECT_NEAR(left_out[m], direct.LeftOut(m), 2e-4) << m;
  }
}

TEST(AncestralKernels, AHaplotypeIsThatOfTheModel) {
  const std::vector<float> alt = [] {
    RandomStream random(3);
    std::vector<float> p;
    for (size_t i = 0; i < 2 * K; ++i) p.push_back(0.05f + 0.9f * static_cast<float>(random.Uniform()));
    return p;
  }();
  const std::vector<float> share(2 * K, 1.0f / K), switches = {1, 0.25f};
  const AncestorTables tables{2, alt.data(), share.data(), switches.data()};
  const uint8_t alleles[] = {1, kMissingAllele};
  std::vector<float> forward(2 * K), scale(2), left_out(2);
  AncestorForward(tables, alleles, forward.data(), scale.data());
  LeaveOutAlleles(tables, alleles, forward.data(), scale.data(), left_out.data());
  double total = 0, kept = 0, any = 0, first = 0;
  for (size_t k = 0; k < K; ++k) {
    total += alt[k];
    kept += double{alt[k]} * alt[K + k];
    any += alt[K + k] / double{K};
    first += alt[k] / double{K};
  }
  EXPECT_NEAR(left_out[1], 0.75 * kept / total + 0.25 * any, 1e-5);
  EXPECT_NEAR(left_out[0], first, 1e-5);  // its own allele does not count
}

TEST(AncestralKernels, CountsAddUpToTheHaplotypes) {
  const AncestorData data = MosaicData(4, 30);
  const AncestralHaplotypes model(data, 4, 0);
  std::vector<float> forward(30 * K), scale(30), ref(30 * K), alt(30 * K), switched(30 * K);
  for (size_t h = 0; h < 5; ++h) {
    const uint8_t* alleles = &data.alleles[h * 30];
    AncestorForward(model.tables(), alleles, forward.data(), scale.data());
    CountAncestors(model.tables(), alleles, forward.data(), scale.data(), {ref.data(), alt.data(), switched.data()});
  }
  for (size_t m = 0; m < 30; ++m) {
    double refs = 0, alts = 0, switches = 0, given_alts = 0;
    for (size_t k = 0; k < K; ++k) {
      refs += ref[m * K + k];
      alts += alt[m * K + k];
      switches += switched[m * K + k];
    }
    for (size_t h = 0; h < 5; ++h) given_alts += data.alleles[h * 30 + m];
    EXPECT_NEAR(alts, given_alts, 1e-3);
    EXPECT_NEAR(refs + alts, 5, 1e-3);
    EXPECT_LE(switches, 5.001);
    if (m == 0) {
      EXPECT_NEAR(switches, 5, 1e-3);
    }
  }
}

}  // namespace
}  // namespace haplospin
