#include "genotypes/assessment/input_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "haplospin/errors.h"

namespace haplospin {

DosageFiles::DosageFiles(InputFiles input) : input_(std::move(input)) { reader_.emplace(input_.files.front().path); }

DosageFiles::DosageFiles(DosageReader reader) : input_(reader.path()), reader_(std::move(reader)) {}

void DosageFiles::UseSamples(const std::vector<std::string>& names) {
  samples_ = names;
  reader_->UseSamples(names);
}

void DosageFiles::KeepWithoutAlt() {
  keeps_without_alt_ = true;
  reader_->KeepWithoutAlt();
}

bool DosageFiles::Next(DosageRow& row) {
  while (!reader_->Next(row)) {
    if (next_ == input_.files.size()) return false;
    Open(input_.files[next_++].path);
  }
  return true;
}

void DosageFiles::Open(const std::string& path) {
  if (!samples_) samples_ = reader_->sample_names();
  num_without_alt_ += reader_->num_without_alt();
  const std::string before = reader_->path();
  reader_.emplace(path);
  const std::vector<std::string>& names = reader_->sample_names();
  for (const std::string& sample : *samples_) {
    if (std::ranges::find(names, sample) != names.end()) continue;
    throw InputError(
        fmt::format("{}: has no sample {}, which {} has; give files of the same samples", path, sample, before));
  }
  reader_->UseSamples(*samples_);
  if (keeps_without_alt_) reader_->KeepWithoutAlt();
}

}  // namespace haplospin
