#include "cli/impute_files.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/safetensors.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_files.h"

namespace haplospin {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace

VcfLines::VcfLines(const std::string& text) {
  for (const std::string& line : Split(text, '\n')) {
    if (line.starts_with("##")) {
      header.push_back(line);
    } else if (line.starts_with("#")) {
      columns = Split(line, '\t');
    } else {
      records.push_back(Split(line, '\t'));
    }
  }
}

const std::vector<std::string>& VcfLines::At(const std::string& position) const {
  const auto found = std::ranges::find(records, position, [](const auto& record) { return record.at(kPos); });
  if (found == records.end()) throw std::out_of_range("no record at " + position);
  return *found;
}

std::string Field(const std::vector<std::string>& record, size_t sample, const std::string& key) {
  const std::vector<std::string> keys = Split(record.at(kFormat), ':');
  const std::vector<std::string> values = Split(record.at(kFirstSample + sample), ':');
  const auto at = static_cast<size_t>(std::ranges::find(keys, key) - keys.begin());
  return at < values.size() ? values[at] : "";
}

std::string WithGenotypes(
    const VcfText& vcf,
    const std::function<std::string(size_t sample, int64_t position, const std::string& genotype)>& change) {
  std::string text = vcf.text();
  const VcfLines lines(text);
  text.resize(text.find('\n', text.find("#CHROM")) + 1);
  for (std::vector<std::string> record : lines.records) {
    const int64_t position = std::stoll(record[kPos]);
    for (size_t c = kFirstSample; c < record.size(); ++c) {
      record[c] = change(c - kFirstSample, position, record[c]);
    }
    if (record[kFirstSample].empty()) continue;
    for (size_t c = 0; c < record.size(); ++c) text += (c == 0 ? "" : "\t") + record[c];
    text += '\n';
  }
  return text;
}

double InfoNumber(const std::string& info, const std::string& key) {
  const size_t at = (";" + info).find(";" + key + "=");
  return at == std::string::npos ? NAN : std::stod(info.substr(at + key.size() + 1));
}

ImputeFiles::ImputeFiles()
    : mosaic_(SimulateMosaic({.haplotypes = 46, .markers = 120, .spacing_bp = 20000})),
      reference_(DiploidSamples("R", 20)),
      study_(DiploidSamples("S", 3)),
      typed_(CommonMarkers(MakePanel(mosaic_, reference_), 2)),
      panel_path_(in_ / "panel.vcf"),
      study_path_(in_ / "study.vcf"),
      weights_path_(in_ / "weights.safetensors"),
      imputed_path_(out_ / "imputed.vcf") {
  Write("panel.vcf", PanelVcf().text());
  Write("study.vcf", StudyVcf().text());
  WriteSafetensors(weights_path_, ToSafetensors(RandomWeights(1)));
}

ProgramResult ImputeFiles::Impute(const std::vector<std::string>& options, const std::string& input) const {
  std::vector<std::string> arguments{"impute"};
  const std::vector<std::pair<std::string, std::string>> defaults{
      {"--ref", panel_path_}, {"--target", study_path_}, {"--model", weights_path_}, {"--out", imputed_path_}};
  for (const auto& [name, value] : defaults) {
    if (std::ranges::find(options, name) == options.end()) arguments.insert(arguments.end(), {name, value});
  }
  arguments.insert(arguments.end(), options.begin(), options.end());
  return RunProgram(arguments, input);
}

std::string ImputeFiles::ImputedText(const std::vector<std::string>& options, const std::string& input) const {
  const ProgramResult result = Impute(options, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  return ReadFile(imputed_path_);
}

void ImputeFiles::ExpectUserError(const std::vector<std::string>& options,
                                  const std::vector<std::string>& parts) const {
  ExpectRefused(Impute(options), parts);
  EXPECT_EQ(out_.NumFiles(), 0u);
}

std::string ImputeFiles::Write(const std::string& name, const std::string& text) const {
  WriteFile(in_ / name, text);
  return in_ / name;
}

VcfText ImputeFiles::PanelVcf(const std::string& contig) const {
  return MosaicVcf(mosaic_, reference_, 0, AllMarkers(mosaic_), contig);
}

VcfText ImputeFiles::StudyVcf(const std::string& contig) const {
  return MosaicVcf(mosaic_, study_, 40, typed_, contig);
}

}  // namespace haplospin
