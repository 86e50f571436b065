#include "genotypes/variant_io/joining/ligation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/joining/format_values.h"
#include "genotypes/variant_io/joining/piece.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

class Genotypes {
 public:
  bool Read(const bcf_hdr_t* header, bcf1_t* record) { return values_.Read(header, record, "GT"); }

  bool IsDiploid(size_t sample) { return values_.width() == 2 && at(sample)[1] != bcf_int32_vector_end; }
  bool IsPhased(size_t sample) { return IsDiploid(sample) && bcf_gt_is_phased(at(sample)[1]); }
  bool IsPhasedHeterozygote(size_t sample) {
    return IsPhased(sample) && !bcf_gt_is_missing(at(sample)[0]) && !bcf_gt_is_missing(at(sample)[1]) &&
           allele(sample, 0) != allele(sample, 1);
  }
  int allele(size_t sample, size_t copy) { return bcf_gt_allele(at(sample)[copy]); }

  // The lowest bit says how an allele is joined to the one before it, and stays.
  void Exchange(size_t sample) {
    const int32_t first = at(sample)[0], second = at(sample)[1];
    at(sample)[0] = (second & ~1) | (first & 1);
    at(sample)[1] = (first & ~1) | (second & 1);
  }

  const int32_t* all() const { return values_.all(); }
  size_t width() const { return values_.width(); }

 private:
  int32_t* at(size_t sample) { return values_.of(sample); }

  FormatValues<int32_t> values_;
};

struct Agreement {
  size_t records = 0;               // records in common
  size_t alone = 0;                 // records in the overlap that one file lacks
  int64_t first_alone = 0;          // bp
  std::vector<int64_t> balance;     // [samples] heterozygotes of the same phase, less those of the other
  std::vector<bool> is_diploid;     // [samples]
  std::vector<bool> is_comparable;  // [samples] whether there are such heterozygotes

  explicit Agreement(size_t samples) : balance(samples), is_diploid(samples), is_comparable(samples) {}

  void Add(Genotypes& before, Genotypes& after) {
    for (size_t s = 0; s < balance.size(); ++s) {
      is_diploid[s] = is_diploid[s] || after.IsDiploid(s);
      if (!before.IsPhasedHeterozygote(s) || !after.IsPhasedHeterozygote(s)) continue;
      const bool is_same = before.allele(s, 0) == after.allele(s, 0) && before.allele(s, 1) == after.allele(s, 1);
      const bool is_exchanged = before.allele(s, 0) == after.allele(s, 1) && before.allele(s, 1) == after.allele(s, 0);
      if (!is_same && !is_exchanged) continue;
      balance[s] += is_same ? 1 : -1;
      is_comparable[s] = true;
    }
  }
};

// Compares two pieces where they overlap.
Agreement Compare(std::span<const PieceSpan> pair, size_t num_samples) {
  Agreement agreement(num_samples);
  SiteMerge files(pair);
  Genotypes before, after;
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
    if (agreement.is_diploid[s] && !agreement.is_comparable[s]) names.emplace_back(file.header()->samples[s]);
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

}  // namespace

std::vector<LigatedPiece> AlignPieces(std::span<const PieceSpan> pieces, size_t num_samples) {
  std::vector<LigatedPiece> ligated(pieces.size());
  for (size_t k = 0; k < pieces.size(); ++k) {
    ligated[k].exchanged.assign(num_samples, false);
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
      ligated[k].exchanged[s] = ligated[k - 1].exchanged[s] != (agreement.balance[s] < 0);
    }
  }
  return ligated;
}

void ExchangeHaplotypes(const std::vector<bool>& exchanged, const bcf_hdr_t* header, bcf1_t* record) {
  const auto samples = exchanged.size();
  Genotypes genotypes;
  if (std::ranges::find(exchanged, true) == exchanged.end() || !genotypes.Read(header, record)) return;
  std::vector<size_t> chosen;
  for (size_t s = 0; s < samples; ++s) {
    if (exchanged[s] && genotypes.IsPhased(s)) chosen.push_back(s);
  }
  if (chosen.empty()) return;
  for (const size_t s : chosen) genotypes.Exchange(s);
  const auto count = [&](size_t width) { return static_cast<int>(width * samples); };
  bcf_update_genotypes(header, record, genotypes.all(), count(genotypes.width()));

  for (const char* key : {"HDS", "LDS"}) {
    FormatValues<float> values;
    if (!values.Read(header, record, key) || values.width() != 2) continue;
    for (const size_t s : chosen) {
      if (!bcf_float_is_vector_end(values.of(s)[1])) std::swap(values.of(s)[0], values.of(s)[1]);
    }
    bcf_update_format_float(header, record, key, values.all(), count(2));
  }
  FormatValues<float> ap1, ap2;
  if (ap1.Read(header, record, "AP1") && ap2.Read(header, record, "AP2") && ap1.width() == ap2.width()) {
    for (const size_t s : chosen) std::swap_ranges(ap1.of(s), ap1.of(s) + ap1.width(), ap2.of(s));
    bcf_update_format_float(header, record, "AP1", ap1.all(), count(ap1.width()));
    bcf_update_format_float(header, record, "AP2", ap2.all(), count(ap2.width()));
  }
}

}  // namespace haplospin
