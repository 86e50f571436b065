#include "genotypes/imputation/models/phasing/sample_reads.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "genotypes/genomics/linked_read.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Within a piece, the haplotype hardly ever switches to another one that it copies. Many molecules of linked reads
// cover a place, each with few reads, so that draws leave a wrong guess only if their pieces are longer and their ties
// weaker.
constexpr double kMaxPieceCentimorgans = 0.01, kMaxLinkedPieceCentimorgans = 0.03;
constexpr float kTieOfLinkedReads = 0.35f;

constexpr int64_t kMaxGapOfMolecule = 50000;  // bp

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

// Returns whether the alleles may be of one molecule.
bool AreOfOneRead(const ReadRules& rules, const SeenAt& before, const SeenAt& after) {
  return before.read == after.read &&
         rules.positions[after.shown.marker] - rules.positions[before.shown.marker] <= kMaxGapOfMolecule;
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
    const bool is_linked = IsLinked(seen[first].read);
    const double most = is_linked ? kMaxLinkedPieceCentimorgans : kMaxPieceCentimorgans;
    do {
      reads.alleles.push_back(seen[i++].shown);
    } while (i < seen.size() && AreOfOneRead(rules, seen[i - 1], seen[i]) &&
             rules.centimorgans[seen[i].shown.marker] - begin <= most);
    ReadPiece piece{.begin = static_cast<uint32_t>(first),
                    .end = static_cast<uint32_t>(i),
                    .marker = seen[first + (i - first) / 2].shown.marker,
                    .tie = is_linked ? kTieOfLinkedReads : 1};
    if (first > 0 && AreOfOneRead(rules, seen[first - 1], seen[first])) {
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
