// The kinds of variant files that are written.
#pragma once

#include <string>
#include <string_view>

namespace haplospin {

enum class OutputType { kByExtension, kVcf, kVcfGz, kBcfUncompressed, kBcf };

// By bcftools' letters: v, z, u, b; kByExtension for anything else.
OutputType ParseOutputType(std::string_view letter);

// What kByExtension stands for: .bcf, .vcf.gz (and .vcf.bgz), .vcf, and VCF for "-", devices and pipes. Throws
// InputError for another name.
OutputType ResolveOutputType(const std::string& path, OutputType type);

bool IsBcf(OutputType resolved);         // compressed or not
bool IsCompressed(OutputType resolved);  // VCF.gz or BCF

// Whether an index can be written: VCF.gz and BCF files can have one, VCF and standard output cannot.
bool CanBeIndexed(const std::string& path, OutputType type);

}  // namespace haplospin
