// Equivalent names of a contig.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"

namespace haplospin {

// Removes "chr", and the zero of names of two characters ("01", "0X").
std::string_view BareContig(std::string_view name);

// Returns the same name for all names of a contig: "20", "X", "MT".
std::string_view CanonicalContig(std::string_view name);

// "chr20" and "20" are the same contig, and so are "chrX", "X" and PLINK's "23", "Y" and "24", "chrM", "MT" and "26",
// and "1" and UK Biobank's "01".
bool SameContig(std::string_view a, std::string_view b);

// The parent, 0 for the father and 1 for the mother, of whom a person with one haplotype has it: sons have X from their
// mother and Y from their father; where daughters have Z and W, as in birds, they have Z from their father.
size_t HaploidParent(std::string_view contig);

// The one of `names` that is the contig: the same name or, if there is none, the first with and without "chr", or by
// another name. A genome of two species may have both chr20 and 20, and cattle have both 23 and X.
std::optional<std::string> FindContig(std::span<const std::string> names, std::string_view contig);

// Finds the contig that a name means, as FindContig(), in a file whose contigs are not all known, because the header
// does not declare them. They are matched by any name unless one of `known` has this one.
class ContigMatch {
 public:
  // `known` is a range of names.
  template <typename Names = std::vector<std::string>>
  ContigMatch(std::string_view contig, const Names& known)
      : contig_(contig), is_own_name_(std::ranges::any_of(known, [&](std::string_view name) {
          return BareContig(name) == BareContig(contig);
        })) {}

  bool operator()(std::string_view name) const;

 private:
  std::string contig_;
  bool is_own_name_;
};

// The names among contigs with their lengths.
std::vector<std::string> NamesOfContigs(const ContigTable& contigs);

// Returns X for plink2's contigs PAR1 and PAR2, which are before and after it in the files of plink2, and other names
// as they are.
std::string_view MergePar(std::string_view name);

// Says what to do about PLINK's chromosome XY (25, XY, PAR1 or PAR2) among contigs that a panel does not have: begins
// with "; ", or is empty where there is none.
std::string RemedyForPlinkXY(std::span<const std::string> names);

// Returns whether VCF can hold a contig of this name: it has no blank, comma, quote or angle bracket, and does not
// begin with a bracket.
bool IsContigName(std::string_view name);

// "1, 2, 3", or "1, 2, 3 and 22 more" where there are more than `limit`; "none" where there is none.
std::string JoinNames(std::span<const std::string> names, size_t limit = 8);
inline constexpr size_t kSamplesShown = 3;  // the limit for samples, which may be thousands

}  // namespace haplospin
