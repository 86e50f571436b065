// The texts of dosages and probabilities of four decimals.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "genotypes/genomics/quantized_probability.h"

namespace haplospin {

// The texts of 0, 0.0001, ..., 2, without trailing zeros.
class DosageTexts {
 public:
  static const DosageTexts& Get() {
    static const DosageTexts texts;
    return texts;
  }

  // `out` has room for eight bytes.
  char* Append(uint32_t dosage, char* out) const {
    std::memcpy(out, &texts_[dosage], sizeof(ShortText));
    return out + texts_[dosage].size;
  }
  void Append(uint32_t dosage, std::string& out) const { out.append(texts_[dosage].text, texts_[dosage].size); }

 private:
  // A number of at most seven characters, copied as eight bytes.
  struct ShortText {
    char text[7];
    uint8_t size;
  };

  DosageTexts() {
    for (uint32_t i = 0; i < texts_.size(); ++i) {
      std::string text = fmt::format("{}.{:04}", i / kProbabilityOne, i % kProbabilityOne);
      text.erase(text.find_last_not_of('0') + 1);
      if (text.ends_with('.')) text.pop_back();
      texts_[i].size = static_cast<uint8_t>(text.copy(texts_[i].text, sizeof(texts_[i].text)));
    }
  }

  std::array<ShortText, 2 * kProbabilityOne + 1> texts_;
};

}  // namespace haplospin
