#include "genotypes/variant_io/writing/bgzf_blocks.h"

#include <htslib/bgzf.h>

#include <array>

#include "genotypes/variant_io/writing/hts_output.h"
#include "haplospin/errors.h"

namespace haplospin {

void CompressBlocks(std::string_view bytes, std::string& out) {
  out.clear();
  std::array<char, BGZF_MAX_BLOCK_SIZE> compressed;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, BGZF_BLOCK_SIZE);
    size_t size = compressed.size();
    HS_CHECK(bgzf_compress(compressed.data(), &size, piece.data(), piece.size(), kCompressionLevel) == 0);
    out.append(compressed.data(), size);
    bytes.remove_prefix(piece.size());
  }
}

}  // namespace haplospin
