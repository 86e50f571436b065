#include "genotypes/variant_io/reading/record_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "genotypes/variant_io/file_kind.h"
#include "genotypes/variant_io/reading/bgen_source.h"
#include "haplospin/errors.h"

namespace haplospin {

void RecordSource::Parse(size_t i, const RecordFilter& filter) {
  ParsedRecord& record = records_[i];
  record.error.clear();
  try {
    Decode(i, filter, record);
  } catch (const InputError& error) {
    record.error = error.what();
  }
}

void RecordSource::ParseDosages(size_t i, DecodedDosages& dosages) { dosages.Clear(records_[i].alts.size()); }

std::string RecordSource::SortingRemedy() const {
  return fmt::format("sort the file ({})", SortingCommand(header_.path));
}

size_t RecordSource::RecordsAtATime() const {
  constexpr size_t kGenotypes = size_t{1} << 18, kMost = 4096;
  return std::clamp<size_t>(kGenotypes / std::max<size_t>(header_.samples.size(), 1), 1, kMost);
}

size_t RecordSource::Hold(size_t count) {
  if (records_.size() < count) records_.resize(count);
  num_held_ = count;
  return count;
}

std::string RecordSource::CutRemark(const ParsedRecord& record) const {
  const bool is_last = num_held_ > 0 && &record == &records_[num_held_ - 1];
  return is_last && EndsWithoutNewline()
             ? "; the line does not end with a newline, so it may be cut: if it is, create the file again"
             : "";
}

std::string NoRecordMessage(const std::string& path, const std::vector<std::string>& contigs, const Region& region) {
  const bool has_contig =
      std::ranges::any_of(contigs, [&](const std::string& name) { return SameContig(name, region.contig); });
  if (!has_contig) {
    return fmt::format("{}: no records of contig {}; it has records of {}", path, region.contig, JoinNames(contigs));
  }
  if (region.end == INT64_MAX) {
    return fmt::format("{}: no records of contig {} from {} on; give another region", path, region.contig,
                       region.begin);
  }
  return fmt::format("{}: no records in {}:{}-{}; give another region", path, region.contig, region.begin, region.end);
}

std::unique_ptr<RecordSource> OpenRecords(const std::string& path, const RecordContent& content) {
  if (IsBed(path)) return OpenPlink(path, content);
  if (IsBgen(path)) return std::make_unique<BgenSource>(path, content);
  return OpenVariants(path, content);
}

}  // namespace haplospin
