// The kinds of variant files that are written.
#pragma once

#include <string>
#include <string_view>

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

// Returns whether an index can be written: VCF.gz and BCF files can have one, VCF and standard output cannot.
bool CanBeIndexed(const std::string& path, OutputType type);

}  // namespace haplospin
