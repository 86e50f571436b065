#include "genotypes/variant_io/file_kind.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace haplospin {
namespace {

constexpr std::string_view kBedEnding = ".bed";
constexpr std::string_view kBedMagic("\x6c\x1b\x01", 3);  // the third byte says marker by marker
constexpr std::string_view kBgenMagic = "bgen";
constexpr size_t kBgenMagicOffset = 16;

bool HasBytes(const std::string& path, size_t offset, std::string_view expected) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(offset + expected.size(), '\0');
  return file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) &&
         std::string_view(bytes).substr(offset) == expected;
}

}  // namespace

bool IsBed(const std::string& path) { return path.ends_with(kBedEnding) && HasBytes(path, 0, kBedMagic); }

bool IsBgen(const std::string& path) { return HasBytes(path, kBgenMagicOffset, kBgenMagic); }

}  // namespace haplospin
