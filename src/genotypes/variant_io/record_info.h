// INFO that describes a record whoever its samples are, such as SVTYPE, or the unit of a repeat: what a panel or a
// study has of it is in every output.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

// What headers declare of such fields, and of symbolic ALTs. END and SVLEN need no declaration.
class DescribedInfo {
 public:
  // Adds a header line if it is ##ALT, or ##INFO of such a field; of one that is declared already, at most its type.
  void AddLine(std::string_view line);
  void Add(const DescribedInfo& other);
  void Add(const bcf_hdr_t* header);

  // The lines, in the order in which they were added.
  const std::vector<std::string>& lines() const { return lines_; }

  // Returns the items of an INFO column that describe the record. An END before it, and a length that is no number, say
  // nothing.
  std::string Select(std::string_view info, int64_t position) const;
  std::string Select(const bcf_hdr_t* header, const bcf1_t& record) const;  // of a record whose INFO is unpacked

  // Returns what such items say of one ALT: of a field with a value for each ALT its own.
  std::string AltPart(std::string_view info, size_t alt) const;

  // The reverse: returns the items of the record with these ALTs.
  std::string Join(std::span<const std::string_view> alts) const;

  // Returns whether all such items are declared.
  bool DeclaresAll(std::string_view info) const;

 private:
  char NumberOf(std::string_view key) const;
  void AppendItem(std::string_view item, int64_t position, std::string& items) const;

  std::map<std::string, char, std::less<>> numbers_{{"END", '1'}, {"SVLEN", 'A'}};  // Number of each field
  std::vector<std::string> ids_;                                                    // of the ##ALT lines
  std::vector<std::string> lines_;
};

// Returns whether such items tell the unit of a repeat.
bool DescribesRepeat(std::string_view info);

// Sets the fields of a record from such items. What is not of the type that the header declares is missing.
void UpdateInfo(std::string_view info, const bcf_hdr_t* header, bcf1_t* record);

}  // namespace haplospin
