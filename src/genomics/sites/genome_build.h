// The build of the human genome of a file, according to its header.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace haplospin {

// "GRCh37" or "GRCh38" where most of the declared contig lengths (bp; 0: unknown) are those of its chromosomes, else
// "".
std::string BuildOfContigs(std::span<const std::pair<std::string, int64_t>> contigs);

}  // namespace haplospin
