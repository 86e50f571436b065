#include "genotypes/imputation/contig/study_output.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/output_file.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

OutputFile::Unfinished Unfinished(const OutputOptions& options) {
  return options.resumes.empty() ? OutputFile::Unfinished::kRemove : OutputFile::Unfinished::kKeep;
}

class DosageFile : public StudyOutput {
 public:
  DosageFile(const OutputOptions& options, const VariantHeader& header, const SampleTable& samples)
      : animals_(options.animals),
        writer_(options.path, options.type, header, WithAnimals(samples), options.fields, Unfinished(options)) {}

  void SetPloidy(const SampleTable& samples) override { writer_.SetPloidy(WithAnimals(samples), animals_.size()); }
  void Write(const std::string& contig, std::span<const DosageRecord> records) override {
    writer_.Write(contig, records);
  }
  void AddTo(RunReport& report) const override {
    report.left_out = writer_.num_left_out();
    if (report.samples >= kMinSamplesForDr2) report.mean_dr2 = writer_.mean_dr2();
  }
  WriterState Save() override { return writer_.Save(); }
  void Restore(const WriterState& state) override { writer_.Restore(state); }
  void Finish(IndexType index) override { writer_.Finish(index); }

 private:
  SampleTable WithAnimals(SampleTable samples) const {
    for (const std::string& animal : animals_) samples.Add(animal, 2);
    return samples;
  }

  const std::vector<std::string> animals_;  // without genotypes
  DosageWriter writer_;
};

// Returns the alleles of a record: the study's and, where these are missing, those that are called.
std::vector<uint8_t> CalledAlleles(const DosageRecord& record) {
  std::vector<uint8_t> alleles(record.typed_alleles.begin(), record.typed_alleles.end());
  if (!record.calls.empty()) return {record.calls.begin(), record.calls.end()};
  if (record.dosages.empty()) return alleles;
  for (size_t h = 0; h < alleles.size(); ++h) {
    if (alleles[h] == kMissingAllele) alleles[h] = CallsAlt(record.dosages[h]) ? 1 : 0;
  }
  return alleles;
}

class PhaseFile : public StudyOutput {
 public:
  PhaseFile(const OutputOptions& options, const VariantHeader& header, const SampleTable& samples)
      : keeps_records_(options.fields.keeps_records),
        samples_(samples),
        writer_(options.path, options.type, header, samples, Unfinished(options)) {}

  void SetPloidy(const SampleTable& samples) override { samples_ = samples; }
  void Write(const std::string& contig, std::span<const DosageRecord> records) override {
    for (size_t begin = 0, end; begin < records.size(); begin = end) {
      end = begin + 1;
      while (keeps_records_ && end < records.size() && records[end].continues) ++end;
      WriteRecord(contig, records.subspan(begin, end - begin));
    }
    writer_.EndBlock();
  }
  WriterState Save() override { return writer_.Save(); }
  void Restore(const WriterState& state) override { writer_.Restore(state); }
  void Finish(IndexType index) override { writer_.Finish(index); }

 private:
  void WriteRecord(const std::string& contig, std::span<const DosageRecord> alts) {
    std::vector<GenotypeWriter::Alt> written;
    std::vector<uint8_t> unphased;
    for (const DosageRecord& alt : alts) {
      written.push_back({*alt.marker, CalledAlleles(alt)});
      unphased.resize(std::max(unphased.size(), alt.unphased.size()));
      for (size_t s = 0; s < alt.unphased.size(); ++s) unphased[s] |= alt.unphased[s];
    }
    writer_.WriteRecord(contig, written, samples_, unphased);
  }

  const bool keeps_records_;
  SampleTable samples_;
  GenotypeWriter writer_;
};

}  // namespace

std::unique_ptr<StudyOutput> OpenStudyOutput(RunOutput output, const OutputOptions& options,
                                             const VariantHeader& header, const SampleTable& samples) {
  if (output == RunOutput::kPhase) return std::make_unique<PhaseFile>(options, header, samples);
  return std::make_unique<DosageFile>(options, header, samples);
}

}  // namespace haplospin
