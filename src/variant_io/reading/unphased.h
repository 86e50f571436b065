// What to do with unphased genotypes in a file.
#pragma once

namespace haplospin {

// Heterozygotes whose alleles are not assigned to haplotypes: an error, or accepted; or every heterozygote is read as
// one.
enum class Unphased { kReject, kAccept, kReadAll };

}  // namespace haplospin
