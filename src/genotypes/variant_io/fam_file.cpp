#include "genotypes/variant_io/fam_file.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kFamily = 0, kSample = 1, kSex = 4;  // columns

constexpr size_t kColumns = 4;  // columns that are used
constexpr std::string_view kUnknownParent = "0";

class SampleIndex {
 public:
  explicit SampleIndex(std::span<const std::string> samples) {
    for (size_t s = 0; s < samples.size(); ++s) index_.emplace(samples[s], s);
  }

  std::optional<size_t> Find(std::string_view family, std::string_view name) const {
    auto found = index_.find(std::string(name));
    if (found == index_.end()) found = index_.find(fmt::format("{}_{}", family, name));
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string, size_t> index_;
};

void CheckRow(const RowReader& rows, const std::vector<std::string_view>& row) {
  if (row.size() < kColumns) rows.Fail("expected the columns family, sample, father, mother");
  const std::string_view sample = row[1], father = row[2], mother = row[3];
  if (sample == father || sample == mother) rows.Fail(fmt::format("{} is its own parent; correct the line", sample));
  if (father == mother && father != kUnknownParent) {
    rows.Fail(fmt::format("{} has {} as father and as mother; correct the line", sample, father));
  }
}

}  // namespace

FamFile LoadFamFile(const std::string& path) {
  RowReader rows(path);
  FamFile file;
  for (auto row = rows.NextRow(); !row.empty(); row = rows.NextRow()) {
    if (row.size() <= kSex) rows.Fail("expected the columns family, sample, father, mother, sex");
    file.families.emplace_back(row[kFamily]);
    file.samples.emplace_back(row[kSample]);
    file.is_male.push_back(row[kSex] == "1");
  }
  return file;
}

Pedigree LoadPedigree(const std::string& path, std::span<const std::string> samples) {
  const SampleIndex index(samples);
  Pedigree pedigree;
  std::unordered_set<std::string> names;
  std::unordered_set<size_t> found;
  RowReader rows(path);
  for (auto row = rows.NextRow(); !row.empty(); row = rows.NextRow()) {
    CheckRow(rows, row);
    if (!names.insert(fmt::format("{} {}", row[0], row[1])).second) {
      rows.Fail(fmt::format("{} of family {} occurs twice; keep one of the lines", row[1], row[0]));
    }
    const auto find = [&](std::string_view name) {
      return name == kUnknownParent ? std::nullopt : index.Find(row[0], name);
    };
    const std::optional<size_t> child = find(row[1]), father = find(row[2]), mother = find(row[3]);
    if (child && !found.insert(*child).second) {
      rows.Fail(fmt::format("{} is in two families, but one sample of the study; name the samples FAMILY_{}", row[1],
                            row[1]));
    }
    if (!child) pedigree.absent.emplace_back(row[1]);
    if (child && (father || mother)) pedigree.trios.push_back({*child, father, mother});
  }
  if (pedigree.absent.size() < names.size()) return pedigree;
  throw InputError(path +
                   ": none of its people is a sample of the study; the second column must have the names of samples");
}

}  // namespace haplospin
