// The genotypes of one person as 23andMe, AncestryDNA, MyHeritage, FamilyTreeDNA, Living DNA, tellmeGen and others let
// people download them: an ID, a chromosome, a position and a genotype in each line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haplospin {

// A genotype of letters, ACGT of either strand, or I and D for the longer and the shorter allele of an indel.
struct PersonalCall {
  int64_t position = 0;  // bp
  char first = 0;
  char second = 0;  // 0: one allele

  bool IsCoded() const { return first == 'I' || first == 'D'; }
  bool operator==(const PersonalCall&) const = default;
};

enum class Sex : uint8_t { kUnknown, kMale, kFemale };

struct PersonalFile {
  std::string path;
  std::string name;     // of the person; by default that of the file
  std::string service;  // "23andMe"; empty if the file does not tell
  std::string build;    // "GRCh37", by the comments of the file or the positions of known IDs; empty: not told
  Sex sex = Sex::kUnknown;

  // By CanonicalContig(), sorted by position, one of letters and one of codes at a position at most.
  std::map<std::string, std::vector<PersonalCall>> calls;

  size_t lines = 0;
  size_t no_calls = 0;      // lines without a genotype
  size_t unplaced = 0;      // without a chromosome or a position
  size_t contradicted = 0;  // genotypes of a position that has another one as well, left out
  size_t unreadable = 0;    // with other letters

  size_t NumCalls() const;
};

// Returns whether it is such a file by its first lines, plain, gzipped or in a .zip archive.
bool IsPersonalFile(const std::string& path);

// Names the service whose file begins so, or returns "".
std::string PersonalService(const std::string& head);

// Columns are told by their names, as "rsid chromosome position allele1 allele2", or else in this order; they are
// separated by tabs, commas or blanks, perhaps in quotes. 23 to 26 are X, Y, X and MT. A man has next to no
// heterozygotes on X outside its pseudo-autosomal regions, or genotypes of one letter; without genotypes there, Y tells
// the sex. Throws InputError if the file is damaged, too large for one person, or a line is not as the others.
PersonalFile ReadPersonalFile(const std::string& path, const std::string& name);

}  // namespace haplospin
