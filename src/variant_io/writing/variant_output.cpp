#include "variant_io/writing/variant_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "core/output_file.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "variant_io/bcf_index.h"
#include "variant_io/hts_handles.h"

namespace haplospin {
namespace {

constexpr int64_t kTabixReach = int64_t{1} << 29;  // .tbi knows no position from here on

}  // namespace

void FailToWrite(OutputFile& output) {
  const int error = errno;  // HTSlib keeps that of the first failure, unless a thread of its own met it
  // Continues to write to the file, which is discarded, until it fails again with the reason.
  if (error == 0) output.Write(std::string(size_t{1} << 20, '\0'));
  throw InputError(fmt::format("cannot write {}: {}; free space or choose another folder",
                               output.path() == "-" ? "standard output" : output.path(),
                               error == 0 ? "output error" : std::strerror(error)));
}

void CommitVariants(OutputFile& output, OutputType type, bool write_index, int64_t last_position) {
  if (!write_index) {
    output.Commit();
    return;
  }
  output.Flush();
  const bool is_bcf = type == OutputType::kBcf;
  const bool is_csi = is_bcf || last_position >= kTabixReach;
  OutputFile index(output.path() + (is_csi ? ".csi" : ".tbi"));
  const std::string& path = output.temporary_path();
  const std::string& index_path = index.temporary_path();
  errno = 0;
  const bool is_written = is_bcf ? WriteBcfIndex(path, index_path)
                                 : tbx_index_build3(path.c_str(), index_path.c_str(), is_csi ? kCsiMinShift : 0,
                                                    Threads(), &tbx_conf_vcf) == 0;
  if (!is_written) {
    throw InputError(fmt::format("cannot write {}: {}; no file is kept: free space, or omit --write-index",
                                 index.path(), errno == 0 ? "output error" : std::strerror(errno)));
  }
  output.Commit();
  index.Commit();
}

}  // namespace haplospin
