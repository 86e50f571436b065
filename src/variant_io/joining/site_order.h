// Checks that records are sorted by contig and position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace haplospin {

// Checks several consecutive files as if they were one.
class SiteOrder {
 public:
  // Tells that the following records are of another file.
  void StartFile(const std::string& path);

  // Throws InputError if the record is out of order: on a contig that ended before, before the last position, or, as
  // the first record of a file, not after the last position.
  void Add(std::string_view contig, int64_t position);

  // Describes the place of the next record: "after 20:100", or "first record" of the file.
  std::string Where() const;

  const std::vector<std::string>& contigs() const { return contigs_; }  // contigs in their order
  int64_t first_position() const { return first_position_; }            // position of the first record, bp
  int64_t last_position() const { return last_position_; }              // highest position on any contig, bp
  size_t num_records() const { return num_records_; }

 private:
  void StartContig(std::string_view contig, int64_t position);
  [[noreturn]] void FailBackwards(int64_t position) const;

  std::string path_;
  std::string previous_path_;  // the file of the last record
  bool is_first_of_file_ = true;
  std::vector<std::string> contigs_;
  std::unordered_set<std::string> names_;  // the same
  int64_t position_ = 0;                   // position of the last record, bp
  int64_t first_position_ = 0;
  int64_t last_position_ = 0;
  size_t num_records_ = 0;
};

}  // namespace haplospin
