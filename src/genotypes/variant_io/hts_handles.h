// Owners of HTSlib objects, and what is read from them with care. For sources of this module only.
#pragma once

#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

template <auto kFunction>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kFunction(object);
  }
};

using BgzfHandle = std::unique_ptr<BGZF, Deleter<bgzf_close>>;
using HtsHandle = std::unique_ptr<htsFile, Deleter<hts_close>>;
using BcfHeaderHandle = std::unique_ptr<bcf_hdr_t, Deleter<bcf_hdr_destroy>>;
using BcfRecordHandle = std::unique_ptr<bcf1_t, Deleter<bcf_destroy>>;
using HtsIndexHandle = std::unique_ptr<hts_idx_t, Deleter<hts_idx_destroy>>;
using TabixHandle = std::unique_ptr<tbx_t, Deleter<tbx_destroy>>;
using HtsIteratorHandle = std::unique_ptr<hts_itr_t, Deleter<hts_itr_destroy>>;

struct KString {
  kstring_t text = KS_INITIALIZE;
  KString() = default;
  KString(const KString&) = delete;
  KString& operator=(const KString&) = delete;
  ~KString() { ks_free(&text); }
};

// Turns off HTSlib's own messages; every failure becomes one InputError.
void SilenceHtslib();

// The next line without its line end, or nothing at the end of the file; the text belongs to `buffer`. Sets
// `is_damaged` if the file is truncated or damaged there.
std::optional<std::string_view> ReadLine(BGZF* file, KString& buffer, bool& is_damaged);

// Calls visit(s, values) with the integers that each sample has in a FORMAT field, bcf_int32_missing where one is
// missing. Returns false if the field is not of integers.
template <typename Visit>
bool ForEachIntegers(const bcf_fmt_t& format, size_t num_samples, const Visit& visit) {
  std::vector<int32_t> values(static_cast<size_t>(format.n));
  const auto visit_all = [&]<typename Integer>(Integer missing, Integer end) {
    for (size_t s = 0; s < num_samples; ++s) {
      const uint8_t* from = format.p + s * static_cast<size_t>(format.size);
      size_t count = 0;
      for (Integer value; count < values.size(); ++count, from += sizeof(Integer)) {
        std::memcpy(&value, from, sizeof(Integer));
        if (value == end) break;
        values[count] = value == missing ? bcf_int32_missing : value;
      }
      visit(s, std::span<const int32_t>(values).first(count));
    }
    return true;
  };
  switch (format.type) {
    case BCF_BT_INT8:
      return visit_all(int8_t{bcf_int8_missing}, int8_t{bcf_int8_vector_end});
    case BCF_BT_INT16:
      return visit_all(int16_t{bcf_int16_missing}, int16_t{bcf_int16_vector_end});
    case BCF_BT_INT32:
      return visit_all(int32_t{bcf_int32_missing}, int32_t{bcf_int32_vector_end});
    default:
      return false;
  }
}

// The position of a record, which its file may give any value. Throws InputError if VCF does not allow it.
int64_t RecordPosition(const bcf1_t& record);

// "CONTIG:POSITION" for a message about a record that may be damaged.
std::string RecordPlace(const bcf_hdr_t* header, const bcf1_t& record);

// "FILE: cannot open: REASON"; the reason is from errno, or says what the file is.
std::string OpenFailure(const std::string& path);

}  // namespace haplospin
