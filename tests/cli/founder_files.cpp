#include "cli/founder_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace haplospin {
namespace {

template <typename Record>
std::string Text(size_t samples, const std::vector<Record>& records, unsigned seed) {
  VcfText vcf(SampleNames(samples), {"20"});
  std::mt19937 random(seed);
  std::vector<int> founders(2 * samples);
  for (int& founder : founders) founder = static_cast<int>(random() % 5);
  for (const Record& record : records) {
    std::string line = fmt::format("20\t{}\t{}\t{}\t{}\t.\t{}\t{}\tGT", record.position, record.id, record.ref,
                                   record.alt, record.filter, record.info);
    for (size_t s = 0; s < samples; ++s) {
      const auto allele = [&](int founder) { return record.founder == founder ? 1 : 0; };
      line += fmt::format("\t{}|{}", allele(founders[2 * s]), allele(founders[2 * s + 1]));
    }
    vcf.AddLine(line);
  }
  return vcf.text();
}

std::vector<std::string> Joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::vector<FounderFiles::Record> FounderFiles::Snvs() {
  std::vector<Record> records;
  for (int i = 0; i < 40; ++i) records.push_back({10'000 + 1000 * i, ".", "A", "C", ".", i % 5});
  return records;
}

std::vector<FounderFiles::Record> FounderFiles::With(const std::vector<Record>& more) {
  std::vector<Record> records = Snvs();
  records.insert(records.end(), more.begin(), more.end());
  std::ranges::stable_sort(records, {}, &Record::position);
  return records;
}

std::string FounderFiles::WritePanel(const std::vector<Record>& more) const {
  return Write("p.vcf", Text(kPanelSamples, With(more), 1));
}

std::string FounderFiles::WriteStudy(const std::vector<Record>& more) const { return WriteStudyOf(With(more)); }

std::string FounderFiles::WriteStudyOf(const std::vector<Record>& records) const {
  return Write("s.vcf", Text(kStudySamples, records, 2));
}

ProgramResult FounderFiles::RunImpute(const std::vector<std::string>& options) const {
  return Impute(Joined({"--ref", in_ / "p.vcf", "--target", in_ / "s.vcf"}, options));
}

VcfLines FounderFiles::Imputed(const std::vector<std::string>& options) const {
  return VcfLines(ImputedText(Joined({"--ref", in_ / "p.vcf", "--target", in_ / "s.vcf"}, options)));
}

ProgramResult FounderFiles::Check(const std::vector<std::string>& options) const {
  return RunProgram(Joined({"check", "--ref", in_ / "p.vcf", "--target", in_ / "s.vcf"}, options));
}

std::string FounderFiles::FlagOf(const VcfLines& lines, const std::string& id) {
  for (const auto& record : lines.records) {
    if (record[2] != id) continue;
    for (const std::string flag : {"TYPED", "IMP", "NOT_IN_PANEL"}) {
      if (record[kInfo].find(flag) != std::string::npos) return flag;
    }
  }
  return "absent";
}

}  // namespace haplospin
