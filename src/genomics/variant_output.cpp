#include "genomics/variant_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "genomics/hts_handles.h"
#include "haplospin/core/errors.h"
#include "haplospin/core/output_file.h"

namespace haplospin {
namespace {

constexpr int64_t kTabixReach = int64_t{1} << 29;  // .tbi knows no position from here on
constexpr int kMinShift = 14;

}  // namespace

const char* OpenMode(OutputType type) {
  switch (type) {
    case OutputType::kVcf:
      return "wu";
    case OutputType::kVcfGz:
      static_assert(kCompressionLevel == 4);
      return "w4";
    case OutputType::kBcf:
      return "wb4";
    case OutputType::kBcfUncompressed:
      return "wbu";
    case OutputType::kByExtension:
      break;
  }
  HS_ASSERT(!"the type is resolved");
  return nullptr;
}

void FailToWrite(const std::string& path) {
  const int error = errno;  // HTSlib keeps that of the first failure
  throw InputError(fmt::format("cannot write {}: {}; free space or choose another folder",
                               path == "-" ? "standard output" : path,
                               error == 0 ? "output error" : std::strerror(error)));
}

void WriteVariantIndex(const std::string& path, OutputType type, int64_t last_position, int threads) {
  const bool is_bcf = type == OutputType::kBcf;
  const bool is_csi = is_bcf || last_position >= kTabixReach;
  OutputFile index(path + (is_csi ? ".csi" : ".tbi"));
  const char* index_path = index.temporary_path().c_str();
  errno = 0;
  const int status = is_bcf
                         ? bcf_index_build3(path.c_str(), index_path, kMinShift, threads)
                         : tbx_index_build3(path.c_str(), index_path, is_csi ? kMinShift : 0, threads, &tbx_conf_vcf);
  if (status != 0) {
    throw InputError(fmt::format("cannot write {}: {}; free space, or index with bcftools index", index.path(),
                                 errno == 0 ? "output error" : std::strerror(errno)));
  }
  index.Commit();
}

}  // namespace haplospin
