// Speed of reading panels and writing imputed genotypes, with one and two threads.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/writing/dosage_writer.h"
#include "genotypes/variant_io/writing/genotype_writer.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {
namespace {

constexpr size_t kReferenceSamples = 2000, kStudySamples = 240, kSites = 4000;

SampleTable Diploids(size_t count) {
  SampleTable samples{{}, {0}};
  for (size_t s = 0; s < count; ++s) samples.Add("S" + std::to_string(s), 2);
  return samples;
}

// Sites with allele frequencies as in sequencing data (density 1 / f), without linkage between them. `soften` turns
// alleles into probabilities.
class Sites {
 public:
  Sites(size_t num_samples, bool soften) : samples_(Diploids(num_samples)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform;
    for (size_t m = 0; m < kSites; ++m) {
      markers_.push_back({static_cast<int64_t>(100 * m + 1), "rs" + std::to_string(m), "A", "C"});
      const float frequency = 0.5f * std::pow(1e-3f, uniform(random));
      std::vector<float>& row = probabilities_.emplace_back();
      for (size_t h = 0; h < 2 * num_samples; ++h) {
        const float allele = uniform(random) < frequency ? 1.0f : 0.0f;
        const float error = soften && uniform(random) < 0.1f ? 0.2f * uniform(random) : 0;
        row.push_back(std::abs(allele - error));
      }
    }
    for (size_t m = 0; m < kSites; ++m) records_.push_back({&markers_[m], true, probabilities_[m], {}});
  }

  // GT and DS.
  void WriteDosages(const std::string& path) const {
    DosageWriter writer(path, OutputType::kByExtension, {{{"20", 0}}, {}}, samples_, {});
    writer.Write("20", records_);
    writer.Finish(IndexType::kNone);
  }

  // GT only, as in panels.
  void WriteGenotypes(const std::string& path) const {
    GenotypeWriter writer(path, OutputType::kByExtension, {{{"20", 0}}, {}}, samples_);
    for (size_t m = 0; m < kSites; ++m) {
      std::vector<uint8_t> alleles;
      for (const float p : probabilities_[m]) alleles.push_back(p > 0.5f ? 1 : 0);
      writer.Write("20", markers_[m], samples_, alleles);
    }
    writer.Finish(IndexType::kNone);
  }

 private:
  SampleTable samples_;
  std::vector<Marker> markers_;
  std::vector<std::vector<float>> probabilities_;
  std::vector<DosageRecord> records_;
};

std::string TemporaryFile(const std::string& name) { return std::filesystem::temp_directory_path() / name; }

void TimeReading(benchmark::State& state, const std::string& path) {
  SetThreads(static_cast<int>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    const auto reader = OpenPanel(path);
    MutablePanel panel = reader->StartContig();
    reader->ReadUntil(INT64_MAX, panel);
    benchmark::DoNotOptimize(panel.num_markers());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kSites * kReferenceSamples));
  std::filesystem::remove(path);
}

void ReadPanel(benchmark::State& state, const std::string& extension) {
  const std::string path = TemporaryFile("haplospin_benchmark_panel" + extension);
  Sites(kReferenceSamples, false).WriteGenotypes(path);
  TimeReading(state, path);
}

// With further FORMAT fields, for the general parser.
void ReadPanelWithDosages(benchmark::State& state, const std::string& extension) {
  const std::string path = TemporaryFile("haplospin_benchmark_dosages" + extension);
  Sites(kReferenceSamples, false).WriteDosages(path);
  TimeReading(state, path);
}

void WriteDosages(benchmark::State& state, const std::string& extension) {
  const std::string path = TemporaryFile("haplospin_benchmark_out" + extension);
  const Sites sites(kStudySamples, true);
  SetThreads(static_cast<int>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) sites.WriteDosages(path);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kSites * kStudySamples));
  std::filesystem::remove(path);
}

BENCHMARK_CAPTURE(ReadPanel, vcf_gz, std::string(".vcf.gz"))->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(ReadPanel, bcf, std::string(".bcf"))->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(ReadPanelWithDosages, vcf_gz, std::string(".vcf.gz"))->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(WriteDosages, vcf, std::string(".vcf"))->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(WriteDosages, vcf_gz, std::string(".vcf.gz"))->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(WriteDosages, bcf, std::string(".bcf"))->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace haplospin
