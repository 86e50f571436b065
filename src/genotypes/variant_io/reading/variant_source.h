// The records of VCF, VCF.gz and BCF.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/variant_io/reading/call_weights.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "genotypes/variant_io/variant_file.h"

namespace haplospin {

class VariantSource : public RecordSource {
 public:
  VariantSource(const std::string& path, const RecordContent& content);

  size_t Read() override;
  void ParseDosages(size_t i, DecodedDosages& dosages) override;
  std::optional<std::vector<std::string>> IndexedContigs() override { return file_.IndexedContigs(); }
  bool Seek(const Region& region) override;

 private:
  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override;
  void DecodeLine(std::string_view line, const RecordFilter& filter, ParsedRecord& record) const;
  void DecodeBcf(bcf1_t& raw, const RecordFilter& filter, ParsedRecord& record) const;
  void DecodeLikelihoodText(std::string_view format, std::string_view columns, ParsedRecord& record) const;
  void DecodeLikelihoodField(bcf1_t& raw, ParsedRecord& record) const;
  template <typename Numbers>
  void SetLikelihoods(DecodedLikelihoods likelihoods, const Numbers& numbers, ParsedRecord& record) const;
  const std::vector<std::string>& samples() const { return header_.samples; }

  VariantFile file_;
  const RecordContent content_;
  const CallWeights weights_;
  RawRecords raw_;
};

}  // namespace haplospin
