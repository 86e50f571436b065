// The lines of a pedigree, whichever columns it has.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/variant_io/row_reader.h"

namespace haplospin {

constexpr std::string_view kUnknownParent = "0";

// The names are valid until the next line is read.
struct PedigreeRow {
  std::string_view family;          // empty if the pedigree has none
  std::string_view person;          // is known
  std::string_view father, mother;  // kUnknownParent if not known
  std::optional<bool> is_male = {};
};

// The columns of a pedigree, counted from 0.
struct PedigreeColumns {
  std::optional<size_t> family, person, father, mother, sex;
};

// Reads the columns family, sample, father, mother and sex of PLINK (more may follow, and the sex may be missing), or
// the three columns individual, sire and dam, or those that a header names ("animal,dam,sire"). They are separated by
// commas, semicolons or blanks. An unknown parent is one of the words for it of PLINK, R, Python, databases and
// breeders (IsUnknownName()), unless somebody has that name.
class PedigreeReader {
 public:
  // Returns whether a name, in a family or in none (""), is a person's: a sample "sire" or "child" makes no header.
  using IsPerson = std::function<bool(std::string_view family, std::string_view name)>;

  // Throws InputError if the file cannot be opened.
  PedigreeReader(const std::string& path, IsPerson is_person) : rows_(path), is_person_(std::move(is_person)) {}

  // The next person; nothing at the end of the file. Throws InputError if the line lacks columns, names nobody, or
  // names somebody as his own parent.
  std::optional<PedigreeRow> Next();

  // Throws InputError "FILE: line N: what".
  [[noreturn]] void Fail(const std::string& what) const { rows_.Fail(what); }

 private:
  std::vector<std::string_view> NextColumns();
  void CheckColumns(const std::vector<std::string_view>& row) const;
  PedigreeRow Parse(const std::vector<std::string_view>& row) const;
  bool IsUnknown(std::string_view family, std::string_view name) const;

  bool NamesPeople(const std::vector<std::string_view>& row) const;

  RowReader rows_;
  const IsPerson is_person_;
  bool is_first_ = true;
  std::optional<PedigreeColumns> header_;
};

// Returns whether a name stands for nobody: "0" and more zeros, "NA", "NaN", "None", "NULL", "unknown", "-9", signs
// alone such as "-" and "?", and the like, in capitals or not, or nothing.
bool IsUnknownName(std::string_view name);

// Returns the columns that a header names; nothing if the line is not a header, which names a parent by its role. Of
// the individual, the column may have any name, if no other column has one that is not known.
std::optional<PedigreeColumns> HeaderColumns(const std::vector<std::string_view>& row);

// How the three columns of breeders are made of a file with more, for messages.
inline constexpr std::string_view kThreeColumns =
    "a file of individual, sire and dam has these three columns alone (cut -f 1-3), or a header that names its columns";

}  // namespace haplospin
