#include "genotypes/imputation/models/network/marker_regression.h"

#include <oneapi/tbb/parallel_for.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <utility>

#include "genotypes/genomics/bits.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

SampledHaplotypes::SampledHaplotypes(const HaplotypePanel& panel, size_t max_haplotypes) : panel_(panel) {
  const size_t all = panel.words_per_marker();
  const size_t count = std::min(all, std::max<size_t>(max_haplotypes / 64, 1));
  slot_of_.assign(all, kNone);
  for (size_t k = 0; k < count; ++k) {
    words_.push_back(static_cast<uint32_t>(k * all / count));
    slot_of_[words_.back()] = static_cast<uint32_t>(k);
    num_haplotypes_ += std::min<size_t>(64, panel.num_haplotypes() - size_t{64} * words_.back());
  }
}

void SampledHaplotypes::CopyAlt(size_t marker, uint64_t* out) const {
  if (panel_.is_rare(marker)) {
    CopyCarriers(marker, out);
    if (!panel_.minor_is_alt(marker)) Flip(out);
    return;
  }
  for (size_t k = 0, last; k < words_.size(); k = last) {  // runs of adjacent words
    for (last = k + 1; last < words_.size() && words_[last] == words_[last - 1] + 1;) ++last;
    panel_.CopyWords(marker, words_[k], words_[last - 1] + size_t{1}, out + k);
  }
}

void SampledHaplotypes::CopyMinor(size_t marker, uint64_t* out) const {
  if (panel_.is_rare(marker)) {
    CopyCarriers(marker, out);
  } else {
    CopyAlt(marker, out);
    if (!panel_.minor_is_alt(marker)) Flip(out);
  }
}

std::optional<size_t> SampledHaplotypes::FindBit(size_t haplotype) const {
  const uint32_t slot = slot_of_[haplotype / 64];
  if (slot == kNone) return std::nullopt;
  return size_t{64} * slot + haplotype % 64;
}

void SampledHaplotypes::CopyCarriers(size_t marker, uint64_t* out) const {
  std::fill_n(out, words_.size(), 0);
  for (const uint32_t h : panel_.carriers(marker)) {
    if (const uint32_t slot = slot_of_[h / 64]; slot != kNone) out[slot] |= uint64_t{1} << h % 64;
  }
}

void SampledHaplotypes::Flip(uint64_t* bits) const {
  for (size_t k = 0; k < words_.size(); ++k) bits[k] = ~bits[k];
  const size_t last = panel_.num_haplotypes() % 64;
  if (last != 0 && words_.back() + size_t{1} == panel_.words_per_marker()) {
    bits[words_.size() - 1] &= (uint64_t{1} << last) - 1;
  }
}

size_t RegressionBlock::Find(size_t marker) const {
  const auto at = std::ranges::lower_bound(markers, marker);
  return at != markers.end() && *at == marker ? static_cast<size_t>(at - markers.begin()) : markers.size();
}

float RegressionBlock::Predict(size_t k, std::span<const float> centered) const {
  return intercept[k] + Dot(coefficients.data() + k * num_typed, centered.data() + first_typed, num_typed);
}

// Numbers of haplotypes by their alleles at the typed markers of a block, without excluded haplotypes.
struct MarkerRegression::TypedCounts {
  float haplotypes;
  Eigen::VectorXf alt;     // [typed] haplotypes with ALT
  Eigen::MatrixXf common;  // [typed, typed] haplotypes with ALT at both
};

// Numbers of haplotypes by their alleles at the markers of a block, without excluded haplotypes.
struct MarkerRegression::MinorCounts {
  std::vector<uint32_t> markers;
  std::vector<float> minor;       // [markers] haplotypes with the minor allele
  std::vector<float> with_typed;  // [markers, typed] haplotypes that have ALT at the typed marker as well
};

MarkerRegression::MarkerRegression(const HaplotypePanel& panel, const TypedPanel& typed_panel)
    : panel_(panel), sample_(panel, kMaxHaplotypes), typed_(typed_panel.typed().begin(), typed_panel.typed().end()) {
  const size_t words = sample_.num_words(), typed = typed_.size();
  bits_.resize(typed * words);
  common_.resize(typed * kTyped);
  means_.resize(typed);
  tbb::parallel_for(size_t{0}, typed, [&](size_t j) { sample_.CopyAlt(typed_[j], &bits_[j * words]); });
  tbb::parallel_for(size_t{0}, typed, [&](size_t j) {
    CountCommonBits(&bits_[j * words], &bits_[j * words], words, std::min(kTyped, typed - j), &common_[j * kTyped]);
    means_[j] = static_cast<float>(common_[j * kTyped]) / static_cast<float>(sample_.num_haplotypes());
  });
}

void CenterAlleles(const TargetHaplotype& target, std::span<const float> means, std::vector<float>& centered) {
  centered.resize(means.size());
  for (size_t j = 0; j < means.size(); ++j) {
    centered[j] = target.alleles[j] == kMissingAllele ? 0 : static_cast<float>(target.alleles[j]) - means[j];
  }
}

RegressionBlock MarkerRegression::SolveBlock(size_t block, size_t begin, size_t end,
                                             std::span<const uint32_t> excluded) const {
  std::vector<size_t> excluded_bits;
  for (const uint32_t h : excluded) {
    if (const auto bit = sample_.FindBit(h)) excluded_bits.push_back(*bit);
  }
  const size_t first_interval = block * kIntervals, middle = first_interval + kIntervals / 2;
  const size_t last_typed = first_interval + kIntervals - 1;  // typed marker on the right of the block
  if (first_interval > 0) begin = std::max<size_t>(begin, typed_[first_interval - 1] + 1);
  if (last_typed < typed_.size()) end = std::min<size_t>(end, typed_[last_typed]);
  RegressionBlock solved;
  solved.num_typed = std::min(kTyped, typed_.size());
  solved.first_typed = std::min(middle - std::min(middle, solved.num_typed / 2), typed_.size() - solved.num_typed);
  MinorCounts counts = CountMinor(solved, begin, end, excluded_bits);
  if (!counts.markers.empty()) Solve(CountTyped(solved, excluded_bits), counts, solved);
  solved.markers = std::move(counts.markers);
  return solved;
}

MarkerRegression::MinorCounts MarkerRegression::CountMinor(const RegressionBlock& solved, size_t begin, size_t end,
                                                           std::span<const size_t> excluded) const {
  const size_t words = sample_.num_words(), haplotypes = sample_.num_haplotypes() - excluded.size();
  MinorCounts counts;
  std::vector<uint64_t> bits(words);
  std::vector<uint32_t> common(solved.num_typed);
  auto next_typed = std::ranges::lower_bound(typed_, begin);
  for (size_t m = begin; m < end; ++m) {
    if (next_typed != typed_.end() && *next_typed == m) {
      ++next_typed;
      continue;
    }
    if (std::min<size_t>(panel_.alt_count(m), panel_.num_haplotypes() - panel_.alt_count(m)) < kMinCarriers) continue;
    sample_.CopyMinor(m, bits.data());
    for (const size_t bit : excluded) bits[bit / 64] &= ~(uint64_t{1} << bit % 64);
    uint32_t minor = 0;
    CountCommonBits(bits.data(), bits.data(), words, 1, &minor);
    if (minor < kMinCarriers || haplotypes - minor < kMinCarriers) continue;
    CountCommonBits(bits.data(), &bits_[solved.first_typed * words], words, solved.num_typed, common.data());
    counts.markers.push_back(static_cast<uint32_t>(m));
    counts.minor.push_back(static_cast<float>(minor));
    counts.with_typed.insert(counts.with_typed.end(), common.begin(), common.end());
  }
  return counts;
}

MarkerRegression::TypedCounts MarkerRegression::CountTyped(const RegressionBlock& solved,
                                                           std::span<const size_t> excluded) const {
  const size_t words = sample_.num_words();
  const auto typed = static_cast<Eigen::Index>(solved.num_typed);
  TypedCounts counts = {static_cast<float>(sample_.num_haplotypes() - excluded.size()), {}, {typed, typed}};
  for (Eigen::Index a = 0; a < typed; ++a) {
    const size_t typed_a = solved.first_typed + static_cast<size_t>(a);
    for (Eigen::Index b = a; b < typed; ++b) {
      const size_t typed_b = solved.first_typed + static_cast<size_t>(b);
      auto count = static_cast<float>(common_[typed_a * kTyped + typed_b - typed_a]);
      for (const size_t bit : excluded) {
        if (HasBit(&bits_[typed_a * words], bit) && HasBit(&bits_[typed_b * words], bit)) --count;
      }
      counts.common(a, b) = counts.common(b, a) = count;
    }
  }
  counts.alt = counts.common.diagonal();
  return counts;
}

// Sets all members of `solved` other than `markers`. Each marker is computed by itself, so that its coefficients do not
// depend on the other markers.
void MarkerRegression::Solve(const TypedCounts& typed, const MinorCounts& counts, RegressionBlock& solved) const {
  const float n = typed.haplotypes;
  const Eigen::Index rows = typed.alt.size();
  const Eigen::VectorXf means = typed.alt / n;
  Eigen::MatrixXd squares = typed.common.cast<double>() - (typed.alt * means.transpose()).cast<double>();
  squares.diagonal().array() += kRidge;
  const Eigen::MatrixXf inverse =
      squares.llt().solve(Eigen::MatrixXd::Identity(rows, rows)).cast<float>();  // symmetric
  // The degrees of freedom are the trace of C (C + ridge)^-1.
  const float freedom = static_cast<float>(rows) - kRidge * inverse.trace();
  const float kept = 1 - std::min(freedom / n, 1.0f);
  const Eigen::VectorXf offset = Eigen::Map<const Eigen::VectorXf>(means_.data() + solved.first_typed, rows) - means;
  solved.coefficients.resize(counts.with_typed.size());
  for (size_t k = 0; k < counts.markers.size(); ++k) {
    const float minor = counts.minor[k];
    float* beta = solved.coefficients.data() + k * solved.num_typed;
    const Eigen::VectorXf products =
        Eigen::Map<const Eigen::VectorXf>(counts.with_typed.data() + k * solved.num_typed, rows) - means * minor;
    for (Eigen::Index a = 0; a < rows; ++a) beta[a] = Dot(inverse.col(a).data(), products.data(), solved.num_typed);
    const float total = minor * (1 - minor / n);
    const float residual =
        total - Dot(beta, products.data(), solved.num_typed) - kRidge * Dot(beta, beta, solved.num_typed);
    solved.intercept.push_back(minor / n + Dot(beta, offset.data(), solved.num_typed));
    solved.r2.push_back(kept > 0 ? std::max(1 - residual / (total * kept * kept), 0.0f) : 0);
  }
}

WindowRegression::WindowRegression(const HaplotypePanel& panel, const TypedPanel& typed_panel, size_t begin, size_t end)
    : begin_(begin), first_row_(end - begin + 1) {
  const MarkerRegression regression(panel, typed_panel);
  means_.assign(regression.means().begin(), regression.means().end());
  std::vector<RegressionBlock> blocks(regression.num_blocks());
  tbb::parallel_for(size_t{0}, blocks.size(), [&](size_t b) { blocks[b] = regression.SolveBlock(b, begin, end); });
  size_t rows = 0;
  for (const RegressionBlock& block : blocks) rows += block.markers.size();
  num_typed_ = blocks[0].num_typed;
  rows_.reserve(rows);
  coefficients_.reserve(rows * num_typed_);
  for (RegressionBlock& block : blocks) {
    for (size_t k = 0; k < block.markers.size(); ++k) {
      rows_.push_back({block.intercept[k], block.r2[k], static_cast<uint32_t>(block.first_typed)});
      first_row_[block.markers[k] - begin + 1] = 1;
    }
    coefficients_.insert(coefficients_.end(), block.coefficients.begin(), block.coefficients.end());
    block = {};
  }
  std::partial_sum(first_row_.begin(), first_row_.end(), first_row_.begin());
}

float WindowRegression::r2(size_t marker) const {
  return IsPredicted(marker) ? rows_[first_row_[marker - begin_]].r2 : 0;
}

float WindowRegression::Predict(size_t marker, std::span<const float> centered, float minor_frequency) const {
  if (!IsPredicted(marker)) return minor_frequency;
  const size_t row = first_row_[marker - begin_];
  return rows_[row].intercept +
         Dot(&coefficients_[row * num_typed_], centered.data() + rows_[row].first_typed, num_typed_);
}

void WindowRegression::Prefetch(size_t marker) const {
  constexpr size_t kLine = 64;  // bytes
  if (!IsPredicted(marker)) return;
  const size_t row = first_row_[marker - begin_];
  __builtin_prefetch(&rows_[row]);
  const auto* const coefficients = reinterpret_cast<const char*>(&coefficients_[row * num_typed_]);
  for (size_t at = 0; at < num_typed_ * sizeof(float); at += kLine) __builtin_prefetch(coefficients + at);
}

}  // namespace haplospin
