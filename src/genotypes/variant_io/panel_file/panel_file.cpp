#include "genotypes/variant_io/panel_file/panel_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/byte_coding.h"
#include "genotypes/variant_io/hts_handles.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint64_t kMaxIndexBytes = uint64_t{1} << 30;  // bytes: 100 million sample names
constexpr const char* kAdaptAgain = "copy the file again, or adapt the panel again (haplospin panel adapt)";
constexpr const char* kRemedy = "copy the file again, or build it again (haplospin panel build)";

}  // namespace

bool IsPanelFile(const std::string& path) {
  struct stat status;
  // Reading from a pipe would consume its data.
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  char bytes[kPanelFileMagic.size()];
  const ssize_t length = pread(descriptor, bytes, sizeof(bytes), 0);
  close(descriptor);
  return length == static_cast<ssize_t>(sizeof(bytes)) && std::string_view(bytes, sizeof(bytes)) == kPanelFileMagic;
}

PanelBlockReader::PanelBlockReader(const std::string& path) : path_(path) {
  errno = 0;
  if (!IsPanelFile(path)) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) throw InputError(OpenFailure(path));
    throw InputError(path + ": not a panel file; convert it with `panel build`");
  }
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw InputError(OpenFailure(path));
  struct stat status;
  if (fstat(descriptor_, &status) != 0) throw InputError(OpenFailure(path));
  file_bytes_ = static_cast<uint64_t>(status.st_size);

  try {
    const std::string truncated = fmt::format("{}: truncated: its end is missing; {}", path, kRemedy);
    if (file_bytes_ < kPanelFileHeaderBytes + kPanelFileTrailerBytes) throw InputError(truncated);
    Workspace workspace;
    const std::string_view head = ReadBytes(0, kPanelFileHeaderBytes, workspace.bytes);
    const uint64_t version = ByteReader(head.substr(kPanelFileMagic.size()), truncated).Fixed64();
    if (version != kPanelFileVersion && version != kOldPanelFileVersion && version != kOldAdaptedPanelFileVersion) {
      throw InputError(fmt::format(
          "{}: panel file of version {}, but this haplospin reads versions {}, {} and {}; build it again from "
          "the VCF or BCF (haplospin panel build)",
          path, version, kOldPanelFileVersion, kOldAdaptedPanelFileVersion, kPanelFileVersion));
    }
    const uint64_t end_of_index = file_bytes_ - kPanelFileTrailerBytes;
    const std::string_view tail = ReadBytes(end_of_index, kPanelFileTrailerBytes, workspace.bytes);
    if (!tail.ends_with(kPanelFileMagic)) throw InputError(truncated);
    const std::string damaged = fmt::format("{}: its index is damaged; {}", path, kRemedy);
    ByteReader trailer(tail, damaged);
    const uint64_t offset = trailer.Fixed64(), size = trailer.Fixed64(), raw_size = trailer.Fixed64();
    if (offset < kPanelFileHeaderBytes || offset > end_of_index || size != end_of_index - offset ||
        raw_size > kMaxIndexBytes) {
      trailer.Fail();
    }
    const auto bytes = workspace.decompressor.Decompress(ReadBytes(offset, size, workspace.bytes), raw_size);
    if (!bytes) trailer.Fail();
    index_ = DecodePanelFileIndex(*bytes, offset, damaged, version);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

PanelBlockReader::~PanelBlockReader() { close(descriptor_); }

// The bytes are valid until `buffer` is used again.
std::string_view PanelBlockReader::ReadBytes(uint64_t offset, uint64_t size, std::vector<char>& buffer) const {
  if (buffer.size() < size) buffer.resize(size);
  for (size_t done = 0; done < size;) {
    const ssize_t count = pread(descriptor_, buffer.data() + done, size - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw InputError(fmt::format("{}: cannot read at byte {}: {}; {}", path_, offset + done,
                                   count < 0 ? std::strerror(errno) : "it became shorter", kRemedy));
    }
    done += static_cast<size_t>(count);
  }
  return {buffer.data(), size};
}

void PanelBlockReader::ReadBlock(size_t contig, size_t block, Workspace& workspace, PanelBlock& out) const {
  const PanelFileIndex::Contig& of = index_.contigs[contig];
  const std::string damaged = DamagedBlock(contig, block);
  out.Assign(Decompressed(of.blocks[block], workspace, damaged), of.blocks[block], of.ploidy.num_haplotypes(), damaged);
  if (!out.IsDescribedBy(index_.described)) throw InputError(damaged);
}

void PanelBlockReader::ReadSites(size_t contig, size_t block, Workspace& workspace, PanelBlock& out) const {
  const PanelBlockEntry& entry = index_.contigs[contig].blocks[block];
  const std::string damaged = DamagedBlock(contig, block);
  out.AssignSites(Decompressed(entry, workspace, damaged), entry, damaged);
  if (!out.IsDescribedBy(index_.described)) throw InputError(damaged);
}

std::string PanelBlockReader::DamagedBlock(size_t contig, size_t block) const {
  const PanelBlockEntry& entry = index_.contigs[contig].blocks[block];
  return fmt::format("{}: the block of {}:{}-{} is damaged; {}", path_, index_.contigs[contig].name,
                     entry.first_position, entry.last_position, kRemedy);
}

std::string_view PanelBlockReader::Decompressed(const PanelBlockEntry& entry, Workspace& workspace,
                                                const std::string& damaged) const {
  const auto bytes =
      workspace.decompressor.Decompress(ReadBytes(entry.offset, entry.size, workspace.bytes), entry.raw_size);
  if (!bytes) throw InputError(damaged);
  return *bytes;
}

PanelAdaptation PanelBlockReader::ReadAdaptation(size_t contig) const {
  const PanelFileIndex::Contig& of = index_.contigs[contig];
  const std::string damaged =
      fmt::format("{}: what it has of contig {} and {} is damaged; {}", path_, of.name, index_.array, kAdaptAgain);
  Workspace workspace;
  const auto bytes = workspace.decompressor.Decompress(
      ReadBytes(of.adaptation.offset, of.adaptation.size, workspace.bytes), of.adaptation.raw_size);
  if (!bytes) throw InputError(damaged);
  return PanelAdaptation::Decode(*bytes, of.num_markers(), index_.sample_names.size(), damaged);
}

void PanelBlockReader::CopyBlocks(const std::function<void(std::string_view)>& write) const {
  std::vector<char> bytes;
  for (const PanelFileIndex::Contig& contig : index_.contigs) {
    for (const PanelBlockEntry& block : contig.blocks) write(ReadBytes(block.offset, block.size, bytes));
  }
}

PanelFileSummary Summarize(const PanelFileIndex& index, uint64_t file_bytes) {
  PanelFileSummary summary;
  summary.version = index.version;
  summary.array = index.array;
  summary.bytes = file_bytes;
  summary.samples = index.sample_names.size();
  for (const PanelFileIndex::Contig& contig : index.contigs) {
    PanelFileSummary::Contig& out = summary.contigs.emplace_back();
    out.name = contig.name;
    for (const auto& [name, length] : index.header_contigs) {
      if (name == contig.name) out.length = length;
    }
    out.first_position = contig.blocks.front().first_position;
    out.last_position = contig.blocks.back().last_position;
    out.haplotypes = contig.ploidy.num_haplotypes();
    out.blocks = contig.blocks.size();
    for (const PanelBlockEntry& entry : contig.blocks) {
      out.markers += entry.num_markers;
      out.rare_markers += entry.num_rare;
      out.bytes += entry.size;
    }
  }
  return summary;
}

PanelFileSummary SummarizePanelFile(const std::string& path) {
  const PanelBlockReader file(path);
  return Summarize(file.index(), file.file_bytes());
}

std::vector<Region> SplitPanelContig(const std::string& path, const std::string& contig, int64_t size,
                                     int64_t overlap) {
  HS_ASSERT(overlap >= 0 && overlap < size);
  const PanelBlockReader file(path);
  const auto& contigs = file.index().contigs;
  const std::vector<std::string> names = file.index().ContigNames();
  const std::optional<std::string> name = FindContig(names, contig);
  if (!name) {
    throw InputError(fmt::format("{}: contig {} is not in the panel (it has {})", path, contig, JoinNames(names)));
  }
  const auto found = std::ranges::find(contigs, *name, &PanelFileIndex::Contig::name);
  std::vector<PanelBlockEntry> blocks;  // blocks of all parts of the contig
  for (auto part = found; part != contigs.end() && part->name == *name; ++part) {
    blocks.insert(blocks.end(), part->blocks.begin(), part->blocks.end());
  }
  std::vector<Region> regions{{contig, 1, INT64_MAX}};
  int64_t first = blocks.front().first_position;  // first position of the markers of the present region
  const int64_t last = blocks.back().last_position;
  for (const PanelBlockEntry& block : blocks) {
    if (block.last_position - first < size || block.last_position == last) continue;
    regions.back().end = block.last_position;
    first = block.last_position + 1;
    regions.push_back({contig, first - overlap, INT64_MAX});
  }
  return regions;
}

}  // namespace haplospin
