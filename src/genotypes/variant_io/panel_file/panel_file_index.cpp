#include "genotypes/variant_io/panel_file/panel_file_index.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <unordered_set>

#include "core/zstd_frame.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/byte_coding.h"

namespace haplospin {
namespace {

size_t NumFlagBytes(size_t num_samples) { return (num_samples + 7) / 8; }

PanelBlockEntry ReadEntry(uint64_t offset, uint64_t end_of_blocks, size_t num_haplotypes, ByteReader& reader) {
  PanelBlockEntry entry;
  entry.offset = offset;
  entry.size = reader.Varint(end_of_blocks - offset);
  entry.first_position = static_cast<int64_t>(reader.Varint(kMaxPosition));
  entry.last_position = entry.first_position +
                        static_cast<int64_t>(reader.Varint(static_cast<uint64_t>(kMaxPosition - entry.first_position)));
  entry.num_markers = static_cast<uint32_t>(reader.Varint(kMaxBlockMarkers));
  if (entry.num_markers == 0) reader.Fail();
  entry.num_rare = static_cast<uint32_t>(reader.Varint(entry.num_markers));
  entry.num_carriers = reader.Varint(entry.num_rare * (uint64_t{num_haplotypes} / 64));
  entry.raw_size = reader.Varint(LargestPanelBlock(entry.num_markers, num_haplotypes));
  return entry;
}

PanelFileIndex::Contig ReadContig(size_t num_samples, uint64_t& offset, uint64_t end_of_blocks, ByteReader& reader) {
  std::string name(reader.Text());
  const PloidyFlags ploidy(reader.Take(NumFlagBytes(num_samples)), num_samples);
  PanelFileIndex::Contig contig{std::move(name), ploidy, {}};
  for (size_t left = reader.Count(); left > 0; --left) {
    const PanelBlockEntry& entry =
        contig.blocks.emplace_back(ReadEntry(offset, end_of_blocks, contig.ploidy.num_haplotypes(), reader));
    offset += entry.size;
    if (contig.blocks.size() > 1 && entry.first_position < contig.blocks.rbegin()[1].last_position) reader.Fail();
  }
  if (contig.blocks.empty()) reader.Fail();
  return contig;
}

// The adaptations of all contigs follow the blocks.
void ReadAdaptations(uint64_t& offset, uint64_t end_of_blocks, ByteReader& reader, PanelFileIndex& index) {
  for (PanelFileIndex::Contig& contig : index.contigs) {
    PanelAdaptationEntry& entry = contig.adaptation;
    entry.offset = offset;
    entry.size = reader.Varint(end_of_blocks - offset);
    entry.raw_size = reader.Varint(LargestPanelAdaptation(contig.num_markers(), index.sample_names.size()));
    offset += entry.size;
  }
}

// Each line of the header declares something.
void AddLine(ByteReader& reader, DescribedInfo& described) {
  const size_t before = described.lines().size();
  described.AddLine(reader.Text());
  if (described.lines().size() == before) reader.Fail();
}

void MarkOld(PanelFileIndex& index) {
  for (PanelFileIndex::Contig& contig : index.contigs) {
    for (PanelBlockEntry& entry : contig.blocks) entry.has_info = false;
  }
}

// Returns whether `part` goes on with the contig of `earlier`, beyond it.
bool IsNextPart(const PanelFileIndex::Contig& earlier, const PanelFileIndex::Contig& part) {
  return part.name == earlier.name && part.blocks.front().first_position > earlier.blocks.back().last_position;
}

// Looks for names that occur twice. The places of the names by their hashes are in one array: a set with a node for
// each takes several times as long.
bool AreUnique(const std::vector<std::string>& names) {
  constexpr uint32_t kEmpty = UINT32_MAX;
  std::vector<uint32_t> places(std::bit_ceil(2 * names.size()), kEmpty);
  for (uint32_t i = 0; i < names.size(); ++i) {
    size_t at = std::hash<std::string>()(names[i]) % places.size();
    while (places[at] != kEmpty) {
      if (names[places[at]] == names[i]) return false;
      at = (at + 1) % places.size();
    }
    places[at] = i;
  }
  return true;
}

}  // namespace

PloidyFlags::PloidyFlags(const SampleTable& samples)
    : bytes_(NumFlagBytes(samples.num_samples()), '\0'), num_haplotypes_(samples.num_haplotypes()) {
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    if (samples.ploidy(s) == 1) bytes_[s / 8] = static_cast<char>(bytes_[s / 8] | 1 << s % 8);
  }
}

PloidyFlags::PloidyFlags(std::string_view bytes, size_t num_samples) : bytes_(bytes), num_haplotypes_(2 * num_samples) {
  for (size_t s = 0; s < num_samples; ++s) num_haplotypes_ -= IsHaploid(s) ? 1 : 0;
}

SampleTable PloidyFlags::Table(const std::vector<std::string>& names) const {
  SampleTable samples{{}, {0}};
  for (size_t s = 0; s < names.size(); ++s) samples.Add(names[s], IsHaploid(s) ? 1 : 2);
  return samples;
}

size_t PanelFileIndex::Contig::num_markers() const {
  return std::accumulate(blocks.begin(), blocks.end(), size_t{0},
                         [](size_t sum, const PanelBlockEntry& block) { return sum + block.num_markers; });
}

std::vector<std::string> PanelFileIndex::ContigNames() const {
  std::vector<std::string> names;
  for (const Contig& contig : contigs) {
    if (names.empty() || names.back() != contig.name) names.push_back(contig.name);
  }
  return names;
}

std::string EncodePanelFileIndex(const PanelFileIndex& index) {
  std::string bytes;
  AppendVarint(index.sample_names.size(), bytes);
  for (const std::string& name : index.sample_names) AppendText(name, bytes);
  AppendVarint(index.header_contigs.size(), bytes);
  for (const auto& [name, length] : index.header_contigs) {
    AppendText(name, bytes);
    AppendVarint(static_cast<uint64_t>(std::max<int64_t>(length, 0)), bytes);
  }
  AppendVarint(index.described.lines().size(), bytes);
  for (const std::string& line : index.described.lines()) AppendText(line, bytes);
  AppendVarint(index.contigs.size(), bytes);
  for (const PanelFileIndex::Contig& contig : index.contigs) {
    AppendText(contig.name, bytes);
    bytes += contig.ploidy.bytes();
    AppendVarint(contig.blocks.size(), bytes);
    for (const PanelBlockEntry& entry : contig.blocks) {
      AppendVarint(entry.size, bytes);
      AppendVarint(static_cast<uint64_t>(entry.first_position), bytes);
      AppendVarint(static_cast<uint64_t>(entry.last_position - entry.first_position), bytes);
      AppendVarint(entry.num_markers, bytes);
      AppendVarint(entry.num_rare, bytes);
      AppendVarint(entry.num_carriers, bytes);
      AppendVarint(entry.raw_size, bytes);
    }
  }
  AppendText(index.array, bytes);
  if (index.array.empty()) return bytes;
  for (const PanelFileIndex::Contig& contig : index.contigs) {
    AppendVarint(contig.adaptation.size, bytes);
    AppendVarint(contig.adaptation.raw_size, bytes);
  }
  return bytes;
}

PanelFileIndex DecodePanelFileIndex(std::string_view bytes, uint64_t end_of_blocks, const std::string& message,
                                    uint64_t version) {
  ByteReader reader(bytes, message);
  PanelFileIndex index;
  const size_t samples = reader.Count();
  index.sample_names.reserve(samples);
  for (size_t s = 0; s < samples; ++s) index.sample_names.emplace_back(reader.Text());
  if (samples == 0 || !AreUnique(index.sample_names)) reader.Fail();
  for (size_t left = reader.Count(); left > 0; --left) {
    std::string name(reader.Text());
    index.header_contigs.emplace_back(std::move(name), static_cast<int64_t>(reader.Varint()));
  }
  index.version = version;
  const bool is_old = version < kPanelFileVersion;
  for (size_t left = is_old ? 0 : reader.Count(); left > 0; --left) AddLine(reader, index.described);
  std::unordered_set<std::string> contig_names;
  uint64_t offset = kPanelFileHeaderBytes;
  for (size_t left = reader.Count(); left > 0; --left) {
    PanelFileIndex::Contig contig = ReadContig(index.sample_names.size(), offset, end_of_blocks, reader);
    const bool is_next_part = !index.contigs.empty() && IsNextPart(index.contigs.back(), contig);
    if (!is_next_part && (!IsContigName(contig.name) || !contig_names.insert(contig.name).second)) reader.Fail();
    index.contigs.push_back(std::move(contig));
  }
  if (is_old) MarkOld(index);
  if (!is_old || version == kOldAdaptedPanelFileVersion) index.array = reader.Text();
  if (!index.array.empty()) ReadAdaptations(offset, end_of_blocks, reader, index);
  if (index.contigs.empty() || offset != end_of_blocks || reader.num_left() != 0) reader.Fail();
  return index;
}

std::string PanelFileHeader() {
  std::string header(kPanelFileMagic);
  AppendInteger(kPanelFileVersion, 8, header);
  return header;
}

std::string PanelFileEnd(const PanelFileIndex& index, uint64_t end_of_blocks, int level) {
  const std::string bytes = EncodePanelFileIndex(index);
  std::string end = CompressFrame(bytes, level);
  const size_t frame_size = end.size();
  AppendInteger(end_of_blocks, 8, end);
  AppendInteger(frame_size, 8, end);
  AppendInteger(bytes.size(), 8, end);
  return end.append(kPanelFileMagic);
}

}  // namespace haplospin
