// What a panel file has of an array, before compression. The first two bytes: the numbers of markers and samples.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/panel_file/panel_adaptation.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const size_t markers = static_cast<uint8_t>(bytes[0]) + 1u, samples = static_cast<uint8_t>(bytes[1]) + 1u;
  AcceptInputErrors([&] {
    const PanelAdaptation adaptation = PanelAdaptation::Decode(bytes.substr(2), markers, samples, "damaged");
    for (size_t m = 0; m < markers; ++m) {
      adaptation.R2(m);
      adaptation.Error(m);
    }
    for (const double switches : adaptation.Switches()) HS_ASSERT(switches > 0 && switches <= 1);
    for (const float share : adaptation.Shares()) HS_ASSERT(share > 0);
    HS_ASSERT(adaptation.Encode() ==
              PanelAdaptation::Decode(adaptation.Encode(), markers, samples, "damaged").Encode());
  });
}
