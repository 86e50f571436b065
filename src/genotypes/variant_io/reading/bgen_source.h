// BGEN 1.2 and 1.3 (https://www.chg.ox.ac.uk/~gav/bgen_format/spec/v1.2.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_stream.h"
#include "genotypes/variant_io/reading/record_source.h"

namespace haplospin {

// What precedes the probabilities of a variant, and where it is.
struct BgenSite {
  std::string id, rsid, contig;
  uint32_t position = 0;  // bp
  std::vector<std::string> alleles;
  uint64_t offset = 0;  // bytes from the beginning of the file
  uint64_t size = 0;    // bytes, with the probabilities
};

// The first allele is REF. A record has DS and GP as the file has them, to five decimals, and GT where DS (phased: that
// of each haplotype) is within kMaxCallDistance of a whole number, as in PLINK 2.
class BgenSource : public RecordSource {
 public:
  static constexpr double kMaxCallDistance = 0.1;

  // Names that the file lacks are read from the .sample beside it. Throws InputError if it is of another version, or
  // has no names and no such file.
  BgenSource(const std::string& path, const RecordContent& content);

  size_t Read() override;
  void ParseDosages(size_t i, DecodedDosages& dosages) override;

  // Moves to the next variant, whose probabilities the next call skips; false at the end.
  bool NextSite(BgenSite& site);

 private:
  struct Variant {
    BgenSite site;
    std::string packed;  // probabilities as they are in the file
    std::string probabilities;
  };

  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override;
  std::string_view Take(size_t size);
  template <typename Integer>
  Integer Number();
  std::string ShortText();
  void ReadNames(uint32_t num_samples, bool has_names);
  void Unpack(Variant& variant) const;
  void DecodeCalls(std::string_view probabilities, GenotypeCalls& calls) const;
  template <typename Visit>
  void ForEachSample(std::string_view probabilities, const Visit& visit) const;

  const RecordContent content_;
  ByteStream bytes_;
  uint32_t compression_ = 0;  // as in the file's flags
  uint64_t variants_left_ = 0;
  uint64_t offset_ = 0;
  size_t data_size_ = 0;           // bytes of the variant that were not read
  std::vector<Variant> variants_;  // those that were read last; kept for their memory
};

}  // namespace haplospin
