#include "genotypes/variant_io/plink_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/fam_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kNumBimColumns = 6;  // chromosome, ID, cM, bp, A1, A2
constexpr size_t kMapColumn = 2, kPositionColumn = 3;
constexpr double kBasesPerCentimorgan = 1e6;
constexpr std::string_view kMagic("\x6c\x1b\x01", 3);  // the third byte: variant after variant
constexpr std::string_view kEnding = ".bed";
constexpr std::string_view kUnknown = "0";  // allele

// The codes of two bits.
constexpr unsigned kHomozygousA1 = 0, kMissing = 1, kHeterozygous = 2;

// An ID may be that of two people of different families, whose names are FAMILY_ID then, as PLINK writes them.
std::vector<std::string> FamSampleNames(const FamFile& fam) {
  const std::unordered_set<std::string> ids(fam.samples.begin(), fam.samples.end());
  if (ids.size() == fam.samples.size()) return fam.samples;
  std::vector<std::string> names;
  for (size_t s = 0; s < fam.samples.size(); ++s) names.push_back(fam.families[s] + "_" + fam.samples[s]);
  return names;
}

}  // namespace

namespace {

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

}  // namespace

bool PlinkFile::IsBed(const std::string& path) {
  const std::unique_ptr<std::FILE, FileCloser> file(path.ends_with(kEnding) ? std::fopen(path.c_str(), "rb") : nullptr);
  char bytes[kMagic.size()];
  return file && std::fread(bytes, 1, sizeof(bytes), file.get()) == sizeof(bytes) &&
         std::string_view(bytes, sizeof(bytes)) == kMagic;
}

PlinkFile::PlinkFile(const std::string& path) : path_(path), bed_(std::fopen(path.c_str(), "rb")) {
  if (!bed_) throw InputError(OpenFailure(path));
  const std::string stem = path.substr(0, path.size() - kEnding.size());
  FamFile fam = LoadFamFile(stem + ".fam");
  samples_ = FamSampleNames(fam);
  is_male_ = std::move(fam.is_male);
  bim_ = std::make_unique<RowReader>(stem + ".bim");
  has_map_positions_ = HasMapPositions(stem + ".bim");
  bytes_.resize((samples_.size() + 3) / 4);
  if (std::fseek(bed_.get(), static_cast<long>(kMagic.size()), SEEK_SET) != 0) FailSize();
}

std::vector<std::pair<std::string, int64_t>> PlinkFile::Contigs(const std::string& path) {
  RowReader bim(path.substr(0, path.size() - kEnding.size()) + ".bim");
  std::vector<std::pair<std::string, int64_t>> contigs;
  for (auto row = bim.NextRow(); !row.empty(); row = bim.NextRow()) {
    if (row.size() != kNumBimColumns) continue;
    const int64_t position = ParseNumber<int64_t>(row[kPositionColumn]).value_or(0);
    if (contigs.empty() || contigs.back().first != row[0]) contigs.emplace_back(row[0], 0);
    contigs.back().second = std::max(contigs.back().second, position);
  }
  return contigs;
}

std::vector<std::string_view> PlinkFile::NextVariant() {
  for (;;) {
    auto row = bim_->NextRow();
    if (row.empty()) {
      if (std::fgetc(bed_.get()) != EOF) FailSize();
      if (num_left_out_ > 0) {
        LogWarning("{}: {} with a negative position in the .bim {} left out, as by PLINK", path_,
                   Counted(num_left_out_, "variant"), num_left_out_ == 1 ? "is" : "are");
      }
      return row;
    }
    if (row.size() != kNumBimColumns) bim_->Fail("expected the columns chromosome, ID, cM, bp, A1, A2");
    if (std::fread(bytes_.data(), 1, bytes_.size(), bed_.get()) != bytes_.size()) FailSize();
    if (ParseNumber<int64_t>(row[kPositionColumn]).value_or(0) >= 0) return row;
    ++num_left_out_;
  }
}

int64_t PlinkFile::Position(const std::vector<std::string_view>& row) const {
  if (!has_map_positions_) return bim_->PositionOrFail(row[kPositionColumn]);
  const double position = ParseNumber<double>(row[kMapColumn]).value_or(NAN) * kBasesPerCentimorgan;
  if (!(position >= 0 && position <= static_cast<double>(kMaxPosition))) {
    bim_->Fail(fmt::format("the position \"{}\" is not in cM; expected a number from 0", row[kMapColumn]));
  }
  return std::llround(position);
}

bool PlinkFile::ReadLine(std::string& text) {
  const auto row = NextVariant();
  if (row.empty()) return false;
  const std::string_view a1 = row[4], a2 = row[5];
  const bool is_exchanged = a2 == kUnknown && a1 != kUnknown;
  const std::string_view ref = is_exchanged ? a1 : a2 == kUnknown ? "N" : a2;
  const std::string_view alt = is_exchanged || a1 == kUnknown ? "." : a1;
  fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT", row[0], Position(row), row[1], ref, alt);
  AppendGenotypes(is_exchanged, text);
  text += '\n';
  return true;
}

void PlinkFile::AppendGenotypes(bool is_exchanged, std::string& text) const {
  const char a1 = is_exchanged ? '0' : '1', a2 = is_exchanged ? '1' : '0';
  for (size_t s = 0; s < samples_.size(); ++s) {
    const unsigned code = bytes_[s / 4] >> 2 * (s % 4) & 3u;
    const char first = code == kMissing ? '.' : code == kHeterozygous ? '0' : code == kHomozygousA1 ? a1 : a2;
    text += '\t';
    text += first;
    text += '/';
    text += code == kHeterozygous ? '1' : first;
  }
}

void PlinkFile::FailSize() const {
  throw InputError(path_ +
                   ": does not have the variants of its .bim and the samples of its .fam; it is truncated, or one of "
                   "the three is of other data");
}

}  // namespace haplospin
