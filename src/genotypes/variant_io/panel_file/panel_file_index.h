// The header, index and trailer of a panel file. docs/panel-format.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/panel_file/panel_adaptation.h"
#include "genotypes/variant_io/panel_file/panel_block.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

inline constexpr std::string_view kPanelFileMagic("\x89HSP\r\n\x1A\n", 8);
inline constexpr uint64_t kPanelFileVersion = 8;

// Earlier versions that are read too, the second one that of panels that are adapted to an array.
inline constexpr uint64_t kOldPanelFileVersion = 5, kOldAdaptedPanelFileVersion = 7;
inline constexpr size_t kPanelFileHeaderBytes = 16;  // magic, version

// The trailer: offset of the index, its size, its size before compression, and the magic.
inline constexpr size_t kPanelFileTrailerBytes = 32;

// The ploidy of each sample in a bit: the file may have many contigs, and many samples.
class PloidyFlags {
 public:
  explicit PloidyFlags(const SampleTable& samples);

  // `bytes` as those of bytes(), of `num_samples`.
  PloidyFlags(std::string_view bytes, size_t num_samples);

  size_t num_haplotypes() const { return num_haplotypes_; }

  // 1: haploid; the first sample is the lowest bit of the first byte.
  const std::string& bytes() const { return bytes_; }

  // `names` are those of the samples.
  SampleTable Table(const std::vector<std::string>& names) const;

  bool operator==(const PloidyFlags& other) const = default;

 private:
  bool IsHaploid(size_t sample) const { return (bytes_[sample / 8] >> sample % 8 & 1) != 0; }

  std::string bytes_;
  size_t num_haplotypes_;
};

struct PanelFileIndex {
  // A contig, or a part of one from where ploidy changes; parts of a contig follow each other.
  struct Contig {
    std::string name;
    PloidyFlags ploidy;
    std::vector<PanelBlockEntry> blocks;   // one or more blocks, in the order of positions
    PanelAdaptationEntry adaptation = {};  // of a panel that is adapted to an array

    size_t num_markers() const;
  };
  std::vector<std::string> sample_names;
  ContigTable header_contigs;
  DescribedInfo described;      // what the header declares of it
  std::vector<Contig> contigs;  // contigs in the order of the file
  std::string array;            // name of the array that the panel is adapted to; empty for none
  uint64_t version;

  std::vector<std::string> ContigNames() const;  // names without repeats
};

std::string EncodePanelFileIndex(const PanelFileIndex& index);

// Throws InputError with `message` if the bytes are not an index of blocks, and perhaps adaptations, that fill the file
// from its header to `end_of_blocks`, of a version that is read.
PanelFileIndex DecodePanelFileIndex(std::string_view bytes, uint64_t end_of_blocks, const std::string& message,
                                    uint64_t version = kPanelFileVersion);

// The bytes before the blocks of a file.
std::string PanelFileHeader();

// The bytes from `end_of_blocks` on: the index, compressed, and the trailer.
std::string PanelFileEnd(const PanelFileIndex& index, uint64_t end_of_blocks, int level);

}  // namespace haplospin
