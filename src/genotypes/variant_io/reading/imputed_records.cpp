#include "genotypes/variant_io/reading/imputed_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "genotypes/variant_io/vcf_columns.h"

namespace haplospin {
namespace {

constexpr const char* kFlags[] = {"IMP", "IMPUTED"};

template <typename Has>
const char* FindFlag(const Has& has) {
  const auto found = std::ranges::find_if(kFlags, has);
  return found == std::end(kFlags) ? nullptr : *found;
}

}  // namespace

const char* ImputationFlag(std::string_view info) {
  return FindFlag([&](const char* flag) { return IndexIn(info, flag, ';').has_value(); });
}

const char* ImputationFlag(const bcf_hdr_t* header, bcf1_t& record) {
  return FindFlag([&](const char* flag) {
    const bcf_info_t* found = bcf_get_info(header, &record, flag);
    return found != nullptr && found->len == 0;  // a value is no flag
  });
}

std::string LeaveOutImputed(const std::string& flag) { return fmt::format("view -e 'INFO/{}=1'", flag); }

}  // namespace haplospin
