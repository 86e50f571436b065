// BGEN 1.2 and 1.3 (https://www.chg.ox.ac.uk/~gav/bgen_format/spec/v1.2.html) as lines of VCF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_stream.h"
#include "genotypes/variant_io/line_source.h"

namespace haplospin {

// What precedes the probabilities of a variant, and where it is.
struct BgenSite {
  std::string id, rsid, contig;
  uint32_t position = 0;  // bp
  std::vector<std::string> alleles;
  uint64_t offset = 0;  // bytes from the beginning of the file
  uint64_t size = 0;    // bytes, with the probabilities
};

// The first allele is REF. A line has GT, DS and GP: DS and GP as the file has them, and GT where DS (phased: that of
// each haplotype) is within kMaxCallDistance of a whole number, as in PLINK 2.
class BgenReader : public LineSource {
 public:
  static constexpr double kMaxCallDistance = 0.1;

  // Returns whether the file begins as BGEN.
  static bool IsBgen(const std::string& path);

  // Names that the file lacks are read from the .sample beside it. Throws InputError if it is of another version, or
  // has no names and no such file.
  explicit BgenReader(const std::string& path);

  bool ReadLine(std::string& text) override;

  // Moves to the next variant, whose probabilities the next call skips; false at the end.
  bool NextSite(BgenSite& site);

 private:
  std::string_view Take(size_t size);
  template <typename Integer>
  Integer Number();
  std::string ShortText();
  std::string_view Probabilities();
  void AppendGenotypes(std::string_view probabilities, std::string& text);
  [[noreturn]] void FailVariant(const std::string& what) const;

  ByteStream bytes_;
  uint32_t compression_ = 0;  // as in the file's flags
  uint64_t variants_left_ = 0;
  uint64_t offset_ = 0;
  BgenSite site_;
  size_t data_size_ = 0;  // bytes of the variant that were not read
  std::string inflated_;
};

}  // namespace haplospin
