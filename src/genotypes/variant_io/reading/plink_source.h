// PLINK 1 genotypes: .bed with .bim and .fam.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/variant_io/reading/record_source.h"
#include "genotypes/variant_io/row_reader.h"

namespace haplospin {

// A2 is REF and A1 is ALT, as `plink2 --bfile` takes them; an allele "0" is unknown, and a variant with one known
// allele has that as REF and no ALT. Samples have their within-family IDs. All genotypes are diploid, as in the file.
// Variants with a negative position are left out, as PLINK does, and a warning has their number. If no variant has a
// position in bp but some have one in cM, as on a linkage map, 1 cM is 1 Mb.
// https://www.cog-genomics.org/plink/1.9/formats#bed
class PlinkSource : public RecordSource {
 public:
  // `path` ends with .bed; .bim and .fam have the same name otherwise. Throws InputError if one of the three is missing
  // or damaged, or they do not have the same number of variants and samples.
  PlinkSource(const std::string& path, const RecordContent& content);

  size_t Read() override;

  // Lines of the .bim that Read() refuses are skipped.
  std::vector<RecordHeader::Contig> KnownContigs() const override;

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Variant {
    std::string contig, id, a1, a2;
    int64_t position = 0;
    std::vector<uint8_t> bytes;  // genotypes, two bits each
  };

  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override;
  bool ReadVariant(Variant& variant);
  int64_t Position(const std::vector<std::string_view>& row) const;
  void CheckEnd();
  [[noreturn]] void FailSize() const;

  const RecordContent content_;
  const std::string bim_path_;
  std::unique_ptr<std::FILE, FileCloser> bed_;
  RowReader bim_;
  std::vector<Variant> variants_;  // those that were read last; kept for their memory
  size_t num_left_out_ = 0;        // variants with a negative position
};

}  // namespace haplospin
