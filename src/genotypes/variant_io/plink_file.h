// PLINK 1 genotypes (.bed with .bim and .fam) as lines of VCF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/variant_io/line_source.h"
#include "genotypes/variant_io/row_reader.h"

namespace haplospin {

// A2 is REF and A1 is ALT, as `plink2 --bfile` takes them; an allele "0" is unknown, and a variant with one known
// allele has that as REF and no ALT. Samples have their within-family IDs. All genotypes are diploid, as in the file.
// Variants with a negative position are left out, as PLINK does, and a warning has their number. If no variant has a
// position in bp but some have one in cM, as on a linkage map, 1 cM is 1 Mb.
// https://www.cog-genomics.org/plink/1.9/formats#bed
class PlinkFile : public LineSource {
 public:
  // Returns whether the file begins as a .bed file.
  static bool IsBed(const std::string& path);

  // `path` ends with .bed; .bim and .fam have the same name otherwise. Throws InputError if one of the three is missing
  // or damaged, or they do not have the same number of variants and samples.
  explicit PlinkFile(const std::string& path);

  // Returns whether positions are those in cM.
  bool has_map_positions() const { return has_map_positions_; }

  // The contigs of the .bim beside a .bed file, and their last positions, bp. Lines that ReadLine() refuses are
  // skipped.
  static std::vector<std::pair<std::string, int64_t>> Contigs(const std::string& path);

  bool ReadLine(std::string& text) override;

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  int64_t Position(const std::vector<std::string_view>& row) const;

  // Returns the columns of the next variant whose genotypes are in `bytes_`; none at the end.
  std::vector<std::string_view> NextVariant();
  void AppendGenotypes(bool is_exchanged, std::string& text) const;
  [[noreturn]] void FailSize() const;

  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> bed_;
  std::unique_ptr<RowReader> bim_;
  std::vector<uint8_t> bytes_;  // genotypes of a variant
  bool has_map_positions_ = false;
  size_t num_left_out_ = 0;  // variants with a negative position
};

}  // namespace haplospin
