#include "genotypes/imputation/stages/phasing/phase_alternatives.h"

#include <algorithm>
#include <map>
#include <utility>

namespace haplospin {
namespace {

constexpr double kMinAlternativeShare = 0.12;  // share of the draws that must differ at an ambiguous heterozygote
constexpr size_t kMaxGap = 1;                  // most heterozygotes between two ambiguous ones of a stretch

// Heterozygotes [begin, end) whose phase with the one before is ambiguous.
struct Stretch {
  size_t begin;
  size_t end;
};

std::vector<Stretch> AmbiguousStretches(const std::vector<bool>& most_probable,
                                        std::span<const std::vector<bool>> draws) {
  std::vector<Stretch> stretches;
  for (size_t h = 1; h < most_probable.size(); ++h) {
    const auto differ = std::ranges::count_if(draws, [&](const auto& draw) { return draw[h] != most_probable[h]; });
    if (static_cast<double>(differ) < kMinAlternativeShare * static_cast<double>(draws.size())) continue;
    if (stretches.empty() || h > stretches.back().end + kMaxGap) {
      stretches.push_back({h, h + 1});
    } else {
      stretches.back().end = h + 1;
    }
  }
  return stretches;
}

using Pattern = std::vector<bool>;

Pattern StretchPattern(const std::vector<bool>& cis, const Stretch& stretch) {
  return {cis.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
          cis.begin() + static_cast<std::ptrdiff_t>(stretch.end)};
}

// Returns the patterns of the draws other than `most_probable`, the most frequent first.
std::vector<std::pair<Pattern, float>> OtherPatterns(const Pattern& most_probable,
                                                     std::span<const std::vector<bool>> draws, const Stretch& stretch) {
  std::map<Pattern, float> counts;
  for (const std::vector<bool>& draw : draws) ++counts[StretchPattern(draw, stretch)];
  counts.erase(most_probable);
  std::vector<std::pair<Pattern, float>> others(counts.begin(), counts.end());
  std::ranges::stable_sort(others, [](const auto& a, const auto& b) { return a.second > b.second; });
  return others;
}

}  // namespace

std::vector<PhaseAlternative> FindAlternatives(const std::vector<bool>& most_probable,
                                               std::span<const std::vector<bool>> draws,
                                               const AlternativeOptions& options) {
  const std::vector<Stretch> stretches = AmbiguousStretches(most_probable, draws);
  const size_t places = most_probable.size() + 1;
  std::vector<PhaseAlternative> alternatives(stretches.empty() ? 1 : options.count + 1, {most_probable, {}});
  for (size_t a = 0; a < alternatives.size(); ++a) alternatives[a].weight.assign(places, a == 0 ? 1.0f : 0.0f);
  size_t first_place = 0;
  for (size_t k = 0; k < stretches.size(); ++k) {
    const Stretch& stretch = stretches[k];
    const size_t middle = k + 1 < stretches.size() ? (stretch.end + stretches[k + 1].begin) / 2 : places;
    const size_t last_place = std::min(middle, stretch.end + options.reach);
    first_place = stretch.begin > options.reach ? std::max(first_place, stretch.begin - options.reach) : first_place;
    auto others = OtherPatterns(StretchPattern(most_probable, stretch), draws, stretch);
    float all = 0, kept = 0;
    for (const auto& other : others) all += other.second;
    others.resize(std::min(others.size(), options.count));
    for (const auto& other : others) kept += other.second;
    const float share = others.empty() ? 0 : all / static_cast<float>(draws.size());
    for (size_t a = 0; a <= others.size(); ++a) {
      const float weight = a == 0 ? 1 - share : share * others[a - 1].second / kept;
      std::fill(alternatives[a].weight.begin() + static_cast<std::ptrdiff_t>(first_place),
                alternatives[a].weight.begin() + static_cast<std::ptrdiff_t>(last_place), weight);
      if (a > 0) {
        std::copy(others[a - 1].first.begin(), others[a - 1].first.end(),
                  alternatives[a].cis.begin() + static_cast<std::ptrdiff_t>(stretch.begin));
      }
    }
    first_place = middle;
  }
  return alternatives;
}

}  // namespace haplospin
