// The formats of the variant files that are written, and their headers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/record_info.h"

namespace haplospin {

enum class OutputType { kByExtension, kVcf, kVcfGz, kBcfUncompressed, kBcf, kBgen };

// Reads bcftools' letters: v, z, u, b; kByExtension for anything else.
OutputType ParseOutputType(std::string_view letter);

// Resolves kByExtension: .bcf, .vcf.gz (and .vcf.bgz), .vcf, .bgen, and VCF for "-", devices and pipes. Throws
// InputError for another name, and for BGEN to a device or pipe, where its header cannot be completed.
OutputType ResolveOutputType(const std::string& path, OutputType type);

// Resolves the type of a file of genotypes that are not imputed. Throws InputError also for BGEN.
OutputType ResolveGenotypeType(const std::string& path, OutputType type);

bool IsBcf(OutputType resolved);         // compressed or not
bool IsCompressed(OutputType resolved);  // VCF.gz or BCF

// Returns whether an index can be written: VCF.gz, BCF and BGEN files can have one, VCF and standard output cannot.
bool CanBeIndexed(const std::string& path, OutputType type);

// The index written beside a file. By its format: .tbi of VCF.gz, .csi of BCF and of VCF.gz with positions beyond the
// limit of .tbi, .bgi of BGEN.
enum class IndexType { kNone, kByFormat, kCsi };

// Returns `index` for a file that can be indexed, else none.
IndexType IndexIfPossible(const std::string& path, OutputType type, IndexType index = IndexType::kByFormat);

// The header of a variant file to be written.
struct VariantHeader {
  ContigTable contigs;
  std::vector<std::string> lines;  // further "##key=value" lines: version, command, model hash
  DescribedInfo described = {};    // INFO and ALT of the records

  // Adds the contigs that are not declared yet.
  void AddContigs(const ContigTable& further);

  // Returns VCF text up to and including the #CHROM line. `fields` are the lines that declare INFO and FORMAT.
  std::string Text(std::string_view fields, const std::vector<std::string>& samples) const;
};

}  // namespace haplospin
