// PLINK 1 genotypes: .bed with .bim and .fam.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/fam_file.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "genotypes/variant_io/row_reader.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kNumBimColumns = 6;  // chromosome, ID, cM, bp, A1, A2
constexpr size_t kMapColumn = 2, kPositionColumn = 3;
constexpr double kBasesPerCentimorgan = 1e6;
constexpr long kMagicBytes = 3;
constexpr std::string_view kEnding = ".bed";
constexpr std::string_view kUnknown = "0";  // allele

// The codes of two bits.
constexpr unsigned kHomozygousA1 = 0, kMissing = 1, kHeterozygous = 2;

// The four genotypes of a byte.
struct DecodedByte {
  std::array<int16_t, 8> alleles;  // two each
  std::array<uint8_t, 4> unphased;
};
using ByteTable = std::array<DecodedByte, 256>;

// Heterozygotes are 0/1 in any case; `a1` is the allele of those who have A1 twice.
ByteTable MakeByteTable(int16_t a1) {
  ByteTable table;
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    for (size_t s = 0; s < 4; ++s) {
      const unsigned code = byte >> 2 * s & 3u;
      const bool is_het = code == kHeterozygous;
      const auto homozygous = static_cast<int16_t>(code == kHomozygousA1 ? a1 : 1 - a1);
      const int16_t first = code == kMissing ? kMissingCall : is_het ? int16_t{0} : homozygous;
      table[byte].alleles[2 * s] = first;
      table[byte].alleles[2 * s + 1] = is_het ? int16_t{1} : first;
      table[byte].unphased[s] = is_het ? 1 : 0;
    }
  }
  return table;
}

// `bytes` have at least one bit for each genotype, and zeros after the last.
void DecodeBytes(std::span<const uint8_t> bytes, size_t num_samples, const ByteTable& table, GenotypeCalls& calls) {
  calls.Start(4 * bytes.size());
  bool has_missing = false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned low = bytes[i] & 0x55u, high = bytes[i] >> 1 & 0x55u;
    std::ranges::copy(table[bytes[i]].alleles, calls.alleles.begin() + static_cast<std::ptrdiff_t>(8 * i));
    calls.num_unphased += static_cast<size_t>(std::popcount(high & ~low));
    has_missing = has_missing || (low & ~high) != 0;
  }
  calls.alleles.resize(2 * num_samples);
  if (has_missing) calls.missing_separator = '/';
  if (calls.num_unphased == 0) return;
  calls.unphased.resize(4 * bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::ranges::copy(table[bytes[i]].unphased, calls.unphased.begin() + static_cast<std::ptrdiff_t>(4 * i));
  }
  calls.unphased.resize(num_samples);
  calls.first_unphased = static_cast<size_t>(std::ranges::find(calls.unphased, 1) - calls.unphased.begin());
}

// An ID may be that of two people of different families, whose names are FAMILY_ID then, as PLINK writes them.
std::vector<std::string> FamSampleNames(const FamFile& fam) {
  const std::unordered_set<std::string> ids(fam.samples.begin(), fam.samples.end());
  if (ids.size() == fam.samples.size()) return fam.samples;
  std::vector<std::string> names;
  for (size_t s = 0; s < fam.samples.size(); ++s) names.push_back(fam.families[s] + "_" + fam.samples[s]);
  return names;
}

// Returns whether the .bim has the contig PAR1 or PAR2.
bool HasParContigs(const std::string& bim_path) {
  RowReader bim(bim_path);
  for (auto row = bim.NextRow(); !row.empty(); row = bim.NextRow()) {
    if (MergePar(row[0]) != row[0]) return true;
  }
  return false;
}

// Returns whether the .bim has positions on a map alone.
bool HasMapPositions(const std::string& bim_path) {
  RowReader bim(bim_path);
  bool has_map = false;
  for (auto row = bim.NextRow(); !row.empty(); row = bim.NextRow()) {
    if (row.size() != kNumBimColumns) continue;
    if (row[kPositionColumn] != "0") return false;
    has_map = has_map || ParseNumber<double>(row[kMapColumn]).value_or(0) > 0;
  }
  return has_map;
}

// A2 is REF and A1 is ALT, as `plink2 --bfile` takes them; an allele "0" is unknown, and a variant with one known
// allele has that as REF and no ALT. Samples have their within-family IDs. All genotypes are diploid, as in the file.
// Variants with a negative position are left out, as PLINK does, and a warning has their number. If no variant has a
// position in bp but some have one in cM, as on a linkage map, 1 cM is 1 Mb.
// https://www.cog-genomics.org/plink/1.9/formats#bed
class PlinkSource : public RecordSource {
 public:
  // `path` ends with .bed; .bim and .fam have the same name otherwise. Throws InputError if one of the three is missing
  // or damaged, or they do not have the same number of variants and samples.
  PlinkSource(const std::string& path, const RecordContent& content)
      : RecordSource({.path = path, .ref_is_unknown = true}),
        content_(content),
        bim_path_(path.substr(0, path.size() - kEnding.size()) + ".bim"),
        bed_(std::fopen(path.c_str(), "rb")),
        bim_(bim_path_) {
    if (!bed_) throw InputError(OpenFailure(path));
    FamFile fam = LoadFamFile(path.substr(0, path.size() - kEnding.size()) + ".fam");
    header_.samples = FamSampleNames(fam);
    header_.is_male = std::move(fam.is_male);
    header_.is_female = std::move(fam.is_female);
    header_.has_map_positions = HasMapPositions(bim_path_);
    header_.has_par_contigs = HasParContigs(bim_path_);
    header_.CheckSamples(" in the .fam; rename one (plink --update-ids)");
    if (std::fseek(bed_.get(), kMagicBytes, SEEK_SET) != 0) FailSize();
  }

  size_t Read() override {
    size_t count = 0;
    for (; count < RecordsAtATime(); ++count) {
      if (count == variants_.size()) variants_.emplace_back();
      if (!ReadVariant(variants_[count])) break;
    }
    return Hold(count);
  }

  // Lines of the .bim that Read() refuses are skipped.
  ContigTable KnownContigs() const override {
    RowReader bim(bim_path_);
    ContigTable contigs;
    for (auto row = bim.NextRow(); !row.empty(); row = bim.NextRow()) {
      if (row.size() != kNumBimColumns) continue;
      const int64_t position = ParseNumber<int64_t>(row[kPositionColumn]).value_or(0);
      const std::string_view contig = MergePar(row[0]);
      if (contigs.empty() || contigs.back().first != contig) contigs.emplace_back(contig, 0);
      contigs.back().second = std::max(contigs.back().second, position);
    }
    return contigs;
  }

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Variant {
    std::string contig, id, a1, a2;
    int64_t position = 0;
    std::vector<uint8_t> bytes;  // genotypes, two bits each
  };

  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override {
    static const ByteTable in_order = MakeByteTable(1), exchanged = MakeByteTable(0);
    StartRecord(record);
    Variant& variant = variants_[i];
    if (!SetPlace(variant.contig, variant.position, filter, record)) return;
    const bool is_exchanged = variant.a2 == kUnknown && variant.a1 != kUnknown;
    SplitAlts(is_exchanged || variant.a1 == kUnknown ? "." : variant.a1, record.alts);
    const std::string& ref = is_exchanged ? variant.a1 : variant.a2;
    FinishSite(content_.kind, variant.id, ref == kUnknown ? "N" : ref, record);
    if (content_.kind == RecordKind::kSites || (content_.kind == RecordKind::kPanel && record.alts.empty())) return;
    const std::vector<std::string>& samples = header_.samples;
    if (samples.size() % 4 != 0) variant.bytes.back() &= static_cast<uint8_t>((1u << 2 * (samples.size() % 4)) - 1);
    DecodeBytes(variant.bytes, samples.size(), is_exchanged ? exchanged : in_order, record.calls);
    if (record.alts.empty()) CheckCalls(record.calls, samples, 1);
    record.has_genotypes = true;
    FinishCalls(content_.kind, samples, record);
  }

  // Reads the next variant that is not left out. Returns false at the end.
  bool ReadVariant(Variant& variant) {
    variant.bytes.resize((header_.samples.size() + 3) / 4);
    for (;; ++num_left_out_) {
      const auto row = bim_.NextRow();
      if (row.empty()) {
        CheckEnd();
        return false;
      }
      if (row.size() != kNumBimColumns) bim_.Fail("expected the columns chromosome, ID, cM, bp, A1, A2");
      if (std::fread(variant.bytes.data(), 1, variant.bytes.size(), bed_.get()) != variant.bytes.size()) FailSize();
      if (ParseNumber<int64_t>(row[kPositionColumn]).value_or(0) < 0) continue;
      variant.contig = MergePar(row[0]);
      variant.id = row[1];
      variant.position = Position(row);
      variant.a1 = row[4];
      variant.a2 = row[5];
      return true;
    }
  }

  int64_t Position(const std::vector<std::string_view>& row) const {
    if (!header_.has_map_positions) return bim_.PositionOrFail(row[kPositionColumn]);
    const double position = ParseNumber<double>(row[kMapColumn]).value_or(NAN) * kBasesPerCentimorgan;
    if (!(position >= 0 && position <= static_cast<double>(kMaxPosition))) {
      bim_.Fail(fmt::format("the position \"{}\" is not in cM; expected a number from 0", row[kMapColumn]));
    }
    return std::llround(position);
  }

  void CheckEnd() {
    if (std::fgetc(bed_.get()) != EOF) FailSize();
    const size_t count = std::exchange(num_left_out_, 0);
    if (count == 0) return;
    LogWarning("{}: {} with a negative position in the .bim {} left out, as by PLINK", header_.path,
               Counted(count, "variant"), count == 1 ? "is" : "are");
  }

  [[noreturn]] void FailSize() const {
    throw InputError(header_.path +
                     ": does not have the variants of its .bim and the samples of its .fam; it is truncated, or one of "
                     "the three is of other data");
  }

  const RecordContent content_;
  const std::string bim_path_;
  std::unique_ptr<std::FILE, FileCloser> bed_;
  RowReader bim_;
  std::vector<Variant> variants_;  // those that were read last; kept for their memory
  size_t num_left_out_ = 0;        // variants with a negative position
};

}  // namespace

std::unique_ptr<RecordSource> OpenPlink(const std::string& path, const RecordContent& content) {
  return std::make_unique<PlinkSource>(path, content);
}

}  // namespace haplospin
