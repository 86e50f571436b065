// Owners of HTSlib's objects. For sources of this room only.
#pragma once

#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace haplospin {

template <auto Function>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    Function(object);
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

// HTSlib prints its own complaints; every failure here becomes one message of ours instead.
void SilenceHtslib();

// The next line without its end, or nothing at the end of the file; the text is that of `buffer`. Sets `is_damaged`
// where the file is cut off or damaged there.
std::optional<std::string_view> ReadLine(BGZF* file, KString& buffer, bool& is_damaged);

// "FILE: cannot open: REASON": from errno, or what the file is instead.
std::string OpenFailure(const std::string& path);

}  // namespace haplospin
