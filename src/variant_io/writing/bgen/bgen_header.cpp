#include "variant_io/writing/bgen/bgen_header.h"

#include "variant_io/writing/bgen/bgen_bytes.h"

namespace haplospin {
namespace {

constexpr size_t kHeaderSize = 20;  // without the note
constexpr uint32_t kLayout2 = uint32_t{2} << 2;
constexpr uint32_t kHasSampleNames = uint32_t{1} << 31;

}  // namespace

std::string BgenHeader(const std::vector<std::string>& samples, std::string_view note, BgenCompression compression) {
  std::string names;
  for (const std::string& name : samples) AppendShortText(name, "the sample name", names);
  const size_t header_size = kHeaderSize + note.size(), names_size = 8 + names.size();
  std::string out;
  AppendInteger(header_size + names_size, 4, out);  // from the fifth byte to the first variant
  AppendInteger(header_size, 4, out);
  AppendInteger(0, 4, out);  // variants
  AppendInteger(samples.size(), 4, out);
  out += "bgen";
  out += note;
  AppendInteger(static_cast<uint32_t>(compression) | kLayout2 | kHasSampleNames, 4, out);
  AppendInteger(names_size, 4, out);
  AppendInteger(samples.size(), 4, out);
  return out + names;
}

}  // namespace haplospin
