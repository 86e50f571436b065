#include "genotypes/imputation/models/phasing/sample_reads.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Within a piece, the haplotype hardly ever switches to another one that it copies.
constexpr double kMaxPieceCentimorgans = 0.01;

struct SeenAt {
  uint64_t read;
  ShownRead shown;
};

bool IsRareAndAbsent(const GenotypeLikelihoods& genotype, float alt, float min_frequency) {
  return std::min(alt, 1 - alt) < min_frequency && genotype.phred[alt > 0.5f ? 2 : 0] == 0;
}

// Returns the alleles of a sample, ascending by read and then by marker.
std::vector<SeenAt> AllelesByRead(const WindowStudy& study, size_t sample, const ReadRules& rules) {
  std::vector<SeenAt> seen;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const std::span<const ReadAllele> reads = study.row(j).Reads(sample);
    if (reads.empty()) continue;
    if (IsRareAndAbsent(study.row(j).Likelihoods(sample), rules.alt_frequency[j], rules.min_frequency)) continue;
    for (const ReadAllele& allele : reads) {
      const float error = std::min(std::pow(10.0f, -0.1f * static_cast<float>(allele.quality)), 0.5f);
      seen.push_back({allele.read, {static_cast<uint32_t>(j), allele.is_alt != 0, error}});
    }
  }
  std::ranges::stable_sort(seen, {}, &SeenAt::read);
  return seen;
}

size_t CountMarkers(const SampleReads& reads) {
  std::vector<uint32_t> markers;
  markers.reserve(reads.alleles.size());
  for (const ShownRead& allele : reads.alleles) markers.push_back(allele.marker);
  std::ranges::sort(markers);
  return static_cast<size_t>(std::unique(markers.begin(), markers.end()) - markers.begin());
}

// Orders the pieces by marker, and corrects their links.
void SortPieces(std::vector<ReadPiece>& pieces) {
  std::vector<uint32_t> order(pieces.size()), place(pieces.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](uint32_t i) { return std::pair(pieces[i].marker, pieces[i].begin); });
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<ReadPiece> sorted;
  sorted.reserve(pieces.size());
  for (const uint32_t i : order) {
    ReadPiece piece = pieces[i];
    if (piece.before != ReadPiece::kNone) piece.before = place[piece.before];
    if (piece.after != ReadPiece::kNone) piece.after = place[piece.after];
    sorted.push_back(piece);
  }
  pieces = std::move(sorted);
}

}  // namespace

SampleReads CollectReads(const WindowStudy& study, size_t sample, const ReadRules& rules) {
  const std::vector<SeenAt> seen = AllelesByRead(study, sample, rules);
  SampleReads reads;
  for (size_t i = 0; i < seen.size();) {
    const size_t first = i;
    const double begin = rules.centimorgans[seen[first].shown.marker];
    const auto is_within = [&](const SeenAt& next) {
      return next.read == seen[first].read && rules.centimorgans[next.shown.marker] - begin <= kMaxPieceCentimorgans;
    };
    for (; i < seen.size() && is_within(seen[i]); ++i) reads.alleles.push_back(seen[i].shown);
    ReadPiece piece{.begin = static_cast<uint32_t>(first),
                    .end = static_cast<uint32_t>(i),
                    .marker = seen[first + (i - first) / 2].shown.marker};
    if (first > 0 && seen[first - 1].read == seen[first].read) {
      piece.before = static_cast<uint32_t>(reads.pieces.size()) - 1;
      reads.pieces.back().after = piece.before + 1;
    }
    reads.pieces.push_back(piece);
  }
  if (reads.pieces.size() > CountMarkers(reads)) return {};
  SortPieces(reads.pieces);
  return reads;
}

}  // namespace haplospin
