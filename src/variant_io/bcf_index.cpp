#include "variant_io/bcf_index.h"

#include "core/threads.h"
#include "variant_io/hts_handles.h"

namespace haplospin {
namespace {

constexpr int kLevels = 6;  // 16 kb * 8^6: beyond 2^31 bp

}  // namespace

bool WriteBcfIndex(const std::string& path, const std::string& index_path) {
  const HtsHandle file(hts_open(path.c_str(), "r"));
  if (!file || file->format.compression != htsCompression::bgzf) return false;
  BGZF* bgzf = file->fp.bgzf;
  if (Threads() > 1 && bgzf_mt(bgzf, Threads(), 256) != 0) return false;
  const BcfHeaderHandle header(bcf_hdr_read(file.get()));
  if (!header) return false;
  const HtsIndexHandle index(
      hts_idx_init(header->n[BCF_DT_CTG], HTS_FMT_CSI, static_cast<uint64_t>(bgzf_tell(bgzf)), kCsiMinShift, kLevels));
  const BcfRecordHandle record(bcf_init());
  if (!index || !record) return false;
  int status = 0;
  while ((status = bcf_read(file.get(), header.get(), record.get())) >= 0) {
    const hts_pos_t end = record->pos + record->rlen;
    if (hts_idx_push(index.get(), record->rid, record->pos, end, static_cast<uint64_t>(bgzf_tell(bgzf)), 1) < 0) {
      return false;
    }
  }
  return status == -1 && hts_idx_finish(index.get(), static_cast<uint64_t>(bgzf_tell(bgzf))) == 0 &&
         hts_idx_save_as(index.get(), path.c_str(), index_path.c_str(), HTS_FMT_CSI) == 0;
}

}  // namespace haplospin
