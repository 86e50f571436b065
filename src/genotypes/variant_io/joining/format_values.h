// The values of a FORMAT field of a record.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace haplospin {

// Returns whether a header declares a field of INFO (BCF_HL_INFO) or FORMAT (BCF_HL_FMT).
inline bool DeclaresField(const bcf_hdr_t* header, int kind, const char* key) {
  const int id = bcf_hdr_id2int(header, BCF_DT_ID, key);
  return id >= 0 && bcf_hdr_idinfo_exists(header, kind, id);
}

// [samples, width], of float or int32_t; the width is 0 where the record read last lacks the field.
template <typename Value>
class FormatValues {
 public:
  FormatValues() = default;
  FormatValues(const FormatValues&) = delete;
  FormatValues& operator=(const FormatValues&) = delete;
  ~FormatValues() { std::free(values_); }

  // Returns whether the record has the field.
  bool Read(const bcf_hdr_t* header, bcf1_t* record, const char* key) {
    constexpr int kType = std::is_same_v<Value, float> ? BCF_HT_REAL : BCF_HT_INT;
    const int count = bcf_get_format_values(header, record, key, reinterpret_cast<void**>(&values_), &capacity_, kType);
    width_ = count > 0 ? static_cast<size_t>(count / bcf_hdr_nsamples(header)) : 0;
    return count > 0;
  }

  bool IsThere() const { return width_ > 0; }
  size_t width() const { return width_; }
  Value* of(size_t sample) { return values_ + sample * width_; }
  const Value* of(size_t sample) const { return values_ + sample * width_; }
  const Value* all() const { return values_; }

 private:
  Value* values_ = nullptr;
  int capacity_ = 0;
  size_t width_ = 0;
};

}  // namespace haplospin
