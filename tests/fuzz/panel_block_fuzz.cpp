// A block of a panel file as it is before compression. The first seven bytes: numbers of haplotypes, markers, and
// rare markers, three for the distance from the first to the last position, and the number of carriers.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/panel_file/panel_block.h"

using namespace haplospin;

namespace {

SampleTable Haploids(size_t count) {
  SampleTable samples{{}, {0}};
  for (size_t s = 0; s < count; ++s) samples.Add(std::to_string(s), 1);
  return samples;
}

}  // namespace

void FuzzOne(std::string_view bytes) {
  constexpr size_t kNumbers = 7;
  if (bytes.size() < kNumbers) return;
  const auto number = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const size_t haplotypes = number(0) + 1u;
  const PanelBlockEntry entry{.raw_size = bytes.size() - kNumbers,
                              .first_position = 1000,
                              .last_position = 1000 + number(3) + 256 * (number(4) + 256 * number(5)),
                              .num_markers = number(1) + 1u,
                              .num_rare = std::min<uint32_t>(number(2), number(1) + 1u),
                              .num_carriers = number(6)};
  AcceptInputErrors([&] {
    PanelBlock block;
    block.Assign(bytes.substr(kNumbers), entry, haplotypes, "damaged");
    MutablePanel panel("20", Haploids(haplotypes));
    for (size_t m = 0; m < block.num_markers(); ++m) block.MoveTo(m, panel);
    for (size_t m = 0; m < panel.num_markers(); ++m) HS_ASSERT(panel.alt_count(m) <= haplotypes);
  });
}
