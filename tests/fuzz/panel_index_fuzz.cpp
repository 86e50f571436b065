// The index of a panel file as it is before compression. The first two bytes: the size of its blocks.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/panel_file/panel_file_index.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const uint64_t blocks = static_cast<uint8_t>(bytes[0]) + 256u * static_cast<uint8_t>(bytes[1]);
  AcceptInputErrors([&] {
    const PanelFileIndex index =
        DecodePanelFileIndex(bytes.substr(2), kPanelFileHeaderBytes + blocks, "damaged", kPanelFileVersion);
    // What is accepted is written again as the same index.
    HS_ASSERT(
        DecodePanelFileIndex(EncodePanelFileIndex(index), kPanelFileHeaderBytes + blocks, "damaged", kPanelFileVersion)
            .sample_names == index.sample_names);
  });
}
