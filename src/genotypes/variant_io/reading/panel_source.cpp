#include "genotypes/variant_io/reading/panel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "core/byte_stream.h"
#include "genotypes/variant_io/reading/variant_stream.h"
#include "genotypes/variant_io/row_reader.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr std::string_view kBref3Magic = "\x7a\x88\x74\xf4";

// SAV, compressed as always or not; of version 1 too, whose reader says so.
bool IsSav(std::string_view head) {
  return head.starts_with("\x28\xb5\x2f\xfd") || head.starts_with("SAV") || head.starts_with("sav");
}

// The first bytes of a regular file; nothing of others, whose data can be read once.
std::string ReadHead(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  char bytes[4];
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  return file ? std::string(bytes, std::fread(bytes, 1, sizeof(bytes), file.get())) : "";
}

bool IsM3vcf(const std::string& path, std::string_view head) {
  if (!head.starts_with("\x1f\x8b") && !head.starts_with("##")) return false;
  try {
    return RowReader(path).NextLine().value_or("").starts_with("##fileformat=M3VCF");
  } catch (const InputError&) {
    return false;  // the reader of VCF says what is wrong
  }
}

bool IsOxfordName(std::string_view path) {
  return std::ranges::any_of(std::initializer_list<const char*>{".hap", ".hap.gz", ".haps", ".haps.gz"},
                             [&](const char* ending) { return path.ends_with(ending); });
}

}  // namespace

void PanelSource::SetSamples(std::vector<std::string> samples) {
  samples_ = std::move(samples);
  if (samples_.empty()) throw InputError(path_ + ": has no samples; a file with genotypes is needed");
  std::unordered_set<std::string_view> names;
  for (const std::string& name : samples_) {
    if (!names.insert(name).second) {
      throw InputError(fmt::format("{}: sample {} occurs twice; rename one where the file was made", path_, name));
    }
  }
}

ParsedRecord& PanelSource::Fresh(std::vector<ParsedRecord>& records, size_t index) {
  if (index == records.size()) records.emplace_back();
  ParsedRecord& record = records[index];
  record.contig.clear();
  record.end = 0;
  record.lengths.clear();
  record.is_haploid.clear();
  return record;
}

void PanelSource::SetPlace(std::string_view contig, int64_t position, ParsedRecord& record) const {
  try {
    record.contig = CheckContigName(contig);
    record.position = CheckPosition(position);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path_, error.what()));
  }
}

void PanelSource::Fail(const ParsedRecord& record, const std::string& what) const {
  throw InputError(fmt::format("{}: {}:{}: {}", path_, record.contig, record.position, what));
}

std::unique_ptr<PanelSource> OpenPanelSource(const std::string& path) {
  const std::string head = ReadHead(path);
  if (head == kBref3Magic) return OpenBref3(path);
  if (IsSav(head)) return OpenMsav(path);
  if (IsM3vcf(path, head)) return OpenM3vcf(path);
  return IsOxfordName(path) && !head.empty() ? OpenOxford(path) : nullptr;
}

void BlockHaplotypes::Assign(std::span<const uint32_t> sequences) {
  const size_t num_sequences = sequences.empty() ? 0 : size_t{std::ranges::max(sequences)} + 1;
  first_.assign(num_sequences + 1, 0);
  for (const uint32_t sequence : sequences) ++first_[sequence + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  by_sequence_.resize(sequences.size());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (size_t h = 0; h < sequences.size(); ++h) by_sequence_[next[sequences[h]]++] = static_cast<uint32_t>(h);
}

void BlockHaplotypes::GatherBits(const uint8_t* alleles, uint8_t allele, uint64_t* bits) const {
  size_t carriers = 0;
  for (size_t s = 0; s < num_sequences(); ++s) carriers += alleles[s] == allele ? first_[s + 1] - first_[s] : 0;
  // The bits that differ from those of most haplotypes are flipped.
  const bool most_have = 2 * carriers > num_haplotypes();
  std::fill_n(bits, (num_haplotypes() + 63) / 64, most_have ? ~uint64_t{0} : 0);
  if (most_have && num_haplotypes() % 64 != 0) bits[num_haplotypes() / 64] = (uint64_t{1} << num_haplotypes() % 64) - 1;
  for (size_t s = 0; s < num_sequences(); ++s) {
    if ((alleles[s] == allele) == most_have) continue;
    for (size_t i = first_[s]; i < first_[s + 1]; ++i)
      bits[by_sequence_[i] / 64] ^= uint64_t{1} << by_sequence_[i] % 64;
  }
}

std::vector<bool> JoinHaplotypeNames(std::vector<std::string>& names) {
  constexpr std::string_view kFirst = "_HAP_1", kSecond = "_HAP_2";
  std::vector<std::string> joined;
  std::vector<bool> is_haploid;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].ends_with(kFirst)) return {};
    joined.push_back(names[i].substr(0, names[i].size() - kFirst.size()));
    const bool has_second = i + 1 < names.size() && names[i + 1] == joined.back() + std::string(kSecond);
    is_haploid.push_back(!has_second);
    i += has_second ? 1 : 0;
  }
  names = std::move(joined);
  return is_haploid;
}

ParsedRecord* SourceStream::Peek() {
  for (;; Pop()) {
    if (next_ == num_records_) {
      next_ = 0;
      num_records_ = source_->Read(records_);
      if (num_records_ == 0) return nullptr;
    }
    ParsedRecord& record = records_[next_];
    if (IsBeyondRegion(record)) return nullptr;
    if (!is_checked_) CheckOrder(record);
    is_checked_ = true;
    if (!filter_.Excludes(record)) return &record;
  }
}

bool SourceStream::IsBeyondRegion(const ParsedRecord& record) const {
  if (!region_) return false;
  if ((*filter_.is_of_contig)(record.contig)) return record.position > region_->end;
  return !contigs_.empty() && (*filter_.is_of_contig)(contigs_.back());  // the contig after it
}

void SourceStream::CheckOrder(const ParsedRecord& record) {
  if (contigs_.empty() || contigs_.back() != record.contig) {
    if (!names_.insert(record.contig).second) Fail(record, "the contig appears again after another; sort the panel");
    contigs_.push_back(record.contig);
  } else if (record.position < position_) {
    Fail(record, fmt::format("comes after position {}; sort the panel", position_));
  }
  position_ = record.position;
}

void SourceStream::SkipContig() {
  const ParsedRecord* record = Peek();
  if (record == nullptr) return;
  const std::string contig = record->contig;
  while (record != nullptr && record->contig == contig) {
    Pop();
    record = Peek();
  }
}

void SourceStream::Seek(const Region& region) {
  region_ = region;
  filter_ = {ContigMatch(region.contig, NamesOfContigs(source_->header_contigs())), region.begin};
  is_checked_ = false;
  if (Peek() == nullptr) throw InputError(NoRecordMessage(source_->path(), contigs_, region));
}

void SourceStream::Fail(const ParsedRecord& record, const std::string& what) const {
  throw InputError(fmt::format("{}: {}:{}: {}", source_->path(), record.contig, record.position, what));
}

}  // namespace haplospin
