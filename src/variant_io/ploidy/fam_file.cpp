#include "variant_io/ploidy/fam_file.h"

#include "variant_io/row_reader.h"

namespace haplospin {
namespace {

constexpr size_t kFamily = 0, kSample = 1, kSex = 4;  // columns

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

}  // namespace haplospin
