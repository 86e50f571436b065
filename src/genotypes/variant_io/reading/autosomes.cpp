#include "genotypes/variant_io/reading/autosomes.h"

#include <cstdint>

namespace haplospin {
namespace {

constexpr int64_t kPiece = 1 << 14;  // bp; the first one is mostly enough

}  // namespace

bool ReadAutosomes(StudyReader& reader, const std::function<bool(const StudyGenotypes& piece)>& wants_more) {
  while (const auto contig = reader.NextContig()) {
    if (reader.IsSexOrMitochondrial(*contig)) {
      reader.SkipContig();
      continue;
    }
    StudyGenotypes piece = reader.StartContig();
    for (bool has_more = true; has_more; piece.markers.clear()) {
      has_more = reader.ReadUntil(reader.NextPosition().value_or(0) + kPiece, piece);
      if (!wants_more(piece)) return false;
    }
  }
  return true;
}

}  // namespace haplospin
