#include "genotypes/variant_io/writing/bcf_bytes.h"

#include <htslib/kstring.h>

#include <bit>
#include <cstdint>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

template <typename T>
void AppendBytes(T value, std::string& bytes) {
  static_assert(std::endian::native == std::endian::little);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

void AppendBcfHeader(const bcf_hdr_t* header, std::string& bytes) {
  kstring_t text = KS_INITIALIZE;
  HS_CHECK(bcf_hdr_format(header, 1, &text) == 0);
  bytes += "BCF\2\2";
  AppendBytes(static_cast<uint32_t>(text.l + 1), bytes);
  bytes.append(text.s, text.l + 1);
  ks_free(&text);
}

void AppendBcfRecord(const bcf1_t& packed, std::string& bytes) {
  constexpr uint32_t kFixed = 24;  // bytes of the shared part that come before its arrays
  AppendBytes(static_cast<uint32_t>(packed.shared.l) + kFixed, bytes);
  AppendBytes(static_cast<uint32_t>(packed.indiv.l), bytes);
  AppendBytes(packed.rid, bytes);
  AppendBytes(static_cast<int32_t>(packed.pos), bytes);
  AppendBytes(static_cast<int32_t>(packed.rlen), bytes);
  AppendBytes(packed.qual, bytes);
  AppendBytes(uint32_t{packed.n_allele} << 16 | packed.n_info, bytes);
  AppendBytes(uint32_t{packed.n_fmt} << 24 | packed.n_sample, bytes);
  bytes.append(packed.shared.s, packed.shared.l);
  bytes.append(packed.indiv.s, packed.indiv.l);
}

}  // namespace haplospin
