#include "genotypes/variant_io/hts_handles.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "genotypes/genomics/sites/region.h"

namespace haplospin {
namespace {

// Higher positions, of which a damaged file may have the highest number, are HTSlib's highest.
int64_t FromOne(hts_pos_t position) { return std::min<hts_pos_t>(position, HTS_POS_MAX) + 1; }

}  // namespace

void SilenceHtslib() { hts_set_log_level(HTS_LOG_OFF); }

std::optional<std::string_view> ReadLine(BGZF* file, KString& buffer, bool& is_damaged) {
  const int length = bgzf_getline(file, '\n', &buffer.text);
  is_damaged = length < -1 || file->errcode != 0 || file->no_eof_block;
  if (length < 0 || is_damaged) return std::nullopt;
  return std::string_view(buffer.text.s, static_cast<size_t>(length));
}

int64_t RecordPosition(const bcf1_t& record) { return CheckPosition(FromOne(record.pos)); }

std::string RecordPlace(const bcf_hdr_t* header, const bcf1_t& record) {
  return fmt::format("{}:{}", bcf_seqname_safe(header, &record), FromOne(record.pos));
}

std::string OpenFailure(const std::string& path) {
  const int error = errno;
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return path + ": is a folder; give a file";
  return fmt::format("{}: cannot open: {}", path, error == 0 ? "not readable" : std::strerror(error));
}

}  // namespace haplospin
