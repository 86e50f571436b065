// What a panel file has of an array, before compression. The first byte: the number of markers.
#include "fuzz/fuzz_input.h"
#include "variant_io/panel_file/panel_adaptation.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  if (bytes.empty()) return;
  const size_t markers = static_cast<uint8_t>(bytes[0]) + 1u;
  AcceptInputErrors([&] {
    const PanelAdaptation adaptation = PanelAdaptation::Decode(bytes.substr(1), markers, "damaged");
    for (size_t m = 0; m < markers; ++m) {
      adaptation.R2(m);
      adaptation.Error(m);
    }
    HS_ASSERT(PanelAdaptation::Decode(adaptation.Encode(), markers, "damaged").positions() == adaptation.positions());
  });
}
