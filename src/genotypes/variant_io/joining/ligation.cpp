#include "genotypes/variant_io/joining/ligation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/joining/piece.h"
#include "genotypes/variant_io/joining/record_genotypes.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The heterozygotes that a set of one file and a set of the other have in common.
struct SetPair {
  int32_t before, after;
  size_t heterozygotes = 0;
  int64_t balance = 0;  // those of the same phase, less those of the other
};

struct Agreement {
  size_t records = 0;                        // records in common
  size_t alone = 0;                          // records in the overlap that one file lacks
  int64_t first_alone = 0;                   // bp
  std::vector<bool> is_diploid;              // [samples]
  std::vector<std::vector<SetPair>> shared;  // [samples] one pair where there is no PS; empty: nothing is comparable

  explicit Agreement(size_t samples) : is_diploid(samples), shared(samples) {}

  void Add(const RecordGenotypes& before, const RecordGenotypes& after) {
    for (size_t s = 0; s < shared.size(); ++s) {
      is_diploid[s] = is_diploid[s] || after.IsDiploid(s);
      if (!before.IsPhasedHeterozygote(s) || !after.IsPhasedHeterozygote(s)) continue;
      const bool is_same = before.allele(s, 0) == after.allele(s, 0) && before.allele(s, 1) == after.allele(s, 1);
      const bool is_exchanged = before.allele(s, 0) == after.allele(s, 1) && before.allele(s, 1) == after.allele(s, 0);
      if (!is_same && !is_exchanged) continue;
      SetPair& pair = Pair(s, before.PhaseSet(s), after.PhaseSet(s));
      ++pair.heterozygotes;
      pair.balance += is_same ? 1 : -1;
    }
  }

  SetPair& Pair(size_t s, int32_t before, int32_t after) {
    const auto pair = std::ranges::find_if(
        shared[s], [&](const SetPair& known) { return known.before == before && known.after == after; });
    return pair == shared[s].end() ? shared[s].emplace_back(SetPair{before, after}) : *pair;
  }
};

// Compares two pieces where they overlap.
Agreement Compare(std::span<const PieceSpan> pair, size_t num_samples) {
  Agreement agreement(num_samples);
  SiteMerge files(pair);
  RecordGenotypes before, after;
  for (auto sites = files.Next(); !sites.empty() && files.position() <= pair[0].end; sites = files.Next()) {
    if (files.position() < pair[1].begin) continue;
    for (const SiteMerge::Site& site : sites) {
      if (site.size() < 2) {
        if (agreement.alone++ == 0) agreement.first_alone = files.position();
        continue;
      }
      ++agreement.records;
      const bool has_genotypes =
          before.Read(files.header(0), site[0].record) && after.Read(files.header(1), site[1].record);
      if (has_genotypes) agreement.Add(before, after);
    }
  }
  return agreement;
}

void CheckOrder(const PieceSpan& before, const PieceSpan& piece) {
  if (piece.begin < before.begin || piece.end < before.end) {
    throw InputError(fmt::format(
        "{}: {}:{}-{} is not after {}, {}:{}-{}; give the files in the order of their positions", piece.path,
        piece.contig, piece.begin, piece.end, before.path, before.contig, before.begin, before.end));
  }
}

void WarnOfUnaligned(const PieceSpan& before, const PieceSpan& piece, const Agreement& agreement) {
  const Piece file(piece.path);
  std::vector<std::string> names;
  for (size_t s = 0; s < agreement.is_diploid.size(); ++s) {
    if (agreement.is_diploid[s] && agreement.shared[s].empty()) names.emplace_back(file.header()->samples[s]);
  }
  if (names.empty()) return;
  LogWarning(
      "{}: {} of {} diploid samples have no phased heterozygote in {}:{}-{}, which {} has too, so their phase is not "
      "aligned: {}",
      piece.path, names.size(), std::ranges::count(agreement.is_diploid, true), piece.contig, piece.begin, before.end,
      before.path, JoinNames(names, kSamplesShown));
}

void WarnOfAlone(const PieceSpan& before, const PieceSpan& piece, const Agreement& agreement) {
  if (agreement.alone == 0) return;
  LogWarning("{}: {} in the overlap with {} that only one of them has (first: {}:{}): written as that file has {}",
             piece.path, Counted(agreement.alone, "record"), before.path, piece.contig, agreement.first_alone,
             agreement.alone == 1 ? "it" : "them");
}

// The changes of a sample's sets. A set of the file goes on with the set of the file before that has most of its
// heterozygotes.
void AlignSample(size_t s, std::vector<SetPair> shared, const PhaseChanges& before, PhaseChanges& changes) {
  changes.Set(s, kNoPhaseSet, {before.At(s, kNoPhaseSet).is_exchanged, kNoPhaseSet});
  std::ranges::stable_sort(shared, std::less(), &SetPair::heterozygotes);
  for (const SetPair& pair : shared) {  // the last one of a set stays
    if (pair.balance == 0) continue;
    const SetChange onward = before.At(s, pair.before);
    changes.Set(s, pair.after, {onward.is_exchanged != (pair.balance < 0), onward.name});
  }
}

}  // namespace

std::vector<LigatedPiece> AlignPieces(std::span<const PieceSpan> pieces, size_t num_samples) {
  std::vector<LigatedPiece> ligated(pieces.size(), LigatedPiece{.changes = PhaseChanges(num_samples)});
  for (size_t k = 0; k < pieces.size(); ++k) {
    if (k == 0 || pieces[k].contig != pieces[k - 1].contig) continue;
    CheckOrder(pieces[k - 1], pieces[k]);
    const Agreement agreement = Compare(pieces.subspan(k - 1, 2), num_samples);
    if (agreement.records == 0) {
      throw InputError(fmt::format(
          "{}: has no record in common with {}, so their phase cannot be aligned; make regions that overlap, or join "
          "without --ligate",
          pieces[k].path, pieces[k - 1].path));
    }
    WarnOfUnaligned(pieces[k - 1], pieces[k], agreement);
    WarnOfAlone(pieces[k - 1], pieces[k], agreement);
    ligated[k - 1].last = std::midpoint(pieces[k].begin, pieces[k - 1].end);
    ligated[k].first = ligated[k - 1].last + 1;
    for (size_t s = 0; s < num_samples; ++s) {
      AlignSample(s, agreement.shared[s], ligated[k - 1].changes, ligated[k].changes);
    }
  }
  return ligated;
}

}  // namespace haplospin
