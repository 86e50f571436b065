#include "genotypes/imputation/contig/learned_orders.h"

#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/variant_io/byte_coding.h"

namespace haplospin {
namespace {

constexpr size_t kBits = 8;
constexpr char kDamaged[] = "the phase of a window is damaged; remove the file";

bool HasPhaseToLearn(const GenotypeRow& row) { return !row.phase_sets.empty() || !row.unphased.empty(); }

// What the column of a marker is: its dosages are packed, it has none, or the panel does not have it.
enum class Source : uint8_t { kPacked, kNone, kNotTyped };

Source FindSource(const WindowDosages& dosages, uint32_t column, const GenotypeRow& row) {
  if (!IsTyped(column)) return Source::kNotTyped;
  return dosages.range.Contains(column) && HasPhaseToLearn(row) ? Source::kPacked : Source::kNone;
}

}  // namespace

std::string PackOrders(const WindowDosages& dosages, std::span<const uint32_t> column,
                       const std::deque<ContigMarker>& markers) {
  std::string packed;
  ColumnReader columns(dosages.alt);
  for (size_t s = 0; s < markers.size(); ++s) {
    const Source source = FindSource(dosages, column[s], markers[s].genotypes);
    packed += static_cast<char>(source);
    if (source != Source::kPacked) continue;
    const std::span<const float> alt = columns.At(column[s] - dosages.range.begin);
    uint8_t byte = 0;
    for (size_t h = 0; h < alt.size(); ++h) {
      if (alt[h] > 0.5f) byte |= static_cast<uint8_t>(1 << h % kBits);
      if (h % kBits < kBits - 1 && h + 1 < alt.size()) continue;
      packed += static_cast<char>(byte);
      byte = 0;
    }
  }
  return packed;
}

LearnedOrders UnpackOrders(std::string_view packed, size_t haplotypes, const std::deque<ContigMarker>& markers) {
  ByteReader bytes(packed, kDamaged);
  std::vector<Source> sources;
  std::vector<std::string_view> rows;
  for (size_t s = 0; s < markers.size(); ++s) {
    sources.push_back(static_cast<Source>(bytes.Take(1)[0]));
    if (sources.back() == Source::kPacked) rows.push_back(bytes.Take((haplotypes + kBits - 1) / kBits));
  }
  LearnedOrders orders{WindowDosages({0, rows.size()}, haplotypes), {}};
  uint32_t next = 0;
  const auto none = static_cast<uint32_t>(rows.size());
  for (const Source source : sources) {
    orders.column.push_back(source == Source::kPacked ? next++ : source == Source::kNone ? none : kNotInPanel);
  }
  std::vector<float> alt(rows.size());
  for (size_t h = 0; h < haplotypes && !rows.empty(); ++h) {
    for (size_t m = 0; m < rows.size(); ++m) {
      alt[m] = static_cast<float>(static_cast<uint8_t>(rows[m][h / kBits]) >> h % kBits & 1);
    }
    orders.dosages.alt.SetRow(h, alt);
  }
  return orders;
}

}  // namespace haplospin
