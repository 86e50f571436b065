#include "variant_io/joining/site_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "haplospin/errors.h"

namespace haplospin {

void SiteOrder::StartFile(const std::string& path) {
  path_ = path;
  is_first_of_file_ = true;
}

void SiteOrder::Add(std::string_view contig, int64_t position) {
  if (contigs_.empty() || contigs_.back() != contig) {
    StartContig(contig, position);
  } else if (position < position_ || (position == position_ && is_first_of_file_)) {
    FailBackwards(position);
  }
  position_ = position;
  last_position_ = std::max(last_position_, position);
  if (num_records_++ == 0) first_position_ = position;
  if (is_first_of_file_) previous_path_ = path_;
  is_first_of_file_ = false;
}

std::string SiteOrder::Where() const {
  return is_first_of_file_ ? "first record" : fmt::format("after {}:{}", contigs_.back(), position_);
}

void SiteOrder::StartContig(std::string_view contig, int64_t position) {
  if (!names_.insert(std::string(contig)).second) {
    throw InputError(fmt::format(
        "{}: {}:{} comes after contig {}, but {} ended before; give the files contig by contig, each sorted", path_,
        contig, position, contigs_.back(), contig));
  }
  contigs_.emplace_back(contig);
}

void SiteOrder::FailBackwards(int64_t position) const {
  const std::string& contig = contigs_.back();
  if (!is_first_of_file_) {
    throw InputError(fmt::format("{}: {}:{} comes after {}:{}; sort the file with `bcftools sort`", path_, contig,
                                 position, contig, position_));
  }
  throw InputError(
      fmt::format("{}: begins at {}:{}, but {} ends at {}:{}; give the files in order, and files that do not "
                  "overlap, or use --ligate",
                  path_, contig, position, previous_path_, contig, position_));
}

}  // namespace haplospin
