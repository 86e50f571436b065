#include "genotypes/variant_io/reading/panel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "genotypes/genomics/bits.h"
#include "genotypes/variant_io/row_reader.h"
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

void PanelSource::Decode(size_t /*i*/, const RecordFilter& filter, ParsedRecord& record) {
  record.is_outside = filter.Excludes(record);
}

void PanelSource::SetSamples(std::vector<std::string> samples) {
  header_.samples = std::move(samples);
  header_.CheckSamples("; rename one where the file was made");
}

ParsedRecord& PanelSource::Fresh(size_t index) {
  Hold(index + 1);
  StartRecord(records_[index]);
  return records_[index];
}

void PanelSource::SetPlace(std::string_view contig, int64_t position, ParsedRecord& record) const {
  try {
    haplospin::SetPlace(contig, position, {}, record);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", header_.path, error.what()));
  }
}

void PanelSource::Fail(const ParsedRecord& record, const std::string& what) const {
  throw InputError(fmt::format("{}: {}:{}: {}", header_.path, record.contig, record.position, what));
}

bool HasPanelFormat(const std::string& path) {
  const std::string head = ReadHead(path);
  return head == kBref3Magic || IsSav(head) || IsM3vcf(path, head) || (IsOxfordName(path) && !head.empty());
}

std::unique_ptr<RecordSource> OpenPanelRecords(const std::string& path, RecordKind kind) {
  const std::string head = ReadHead(path);
  if (head == kBref3Magic) return OpenBref3(path, kind);
  if (IsSav(head)) return OpenMsav(path, kind);
  if (IsM3vcf(path, head)) return OpenM3vcf(path, kind);
  return IsOxfordName(path) && !head.empty() ? OpenOxford(path, kind)
                                             : OpenRecords(path, {.kind = kind, .phase_sets = true});
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
  std::fill_n(bits, WordsOf(num_haplotypes()), most_have ? ~uint64_t{0} : 0);
  if (most_have && num_haplotypes() > 0) bits[WordsOf(num_haplotypes()) - 1] = LastWordMask(num_haplotypes());
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

}  // namespace haplospin
