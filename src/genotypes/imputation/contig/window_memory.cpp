#include "genotypes/imputation/contig/window_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/log.h"
#include "core/threads.h"
#include "genotypes/genomics/distinct_haplotypes.h"
#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/marker_regression.h"
#include "genotypes/imputation/stages/panel_families.h"
#include "genotypes/imputation/stages/phasing/study_phase.h"
#include "genotypes/imputation/window/probability_table.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;
constexpr size_t kToldFrom = 2048 * kMebibyte;  // smallest estimate that is logged
constexpr size_t kMinForDosages = 16 * kMebibyte;

// The number of threads for whose tables memory is reserved, whatever the number that runs, because windows and results
// must not depend on that. It is the most that docs/clusters.md recommends; more threads may exceed --memory.
constexpr int kPlannedThreads = 8;

constexpr size_t kTypedShare = 20;  // markers for each typed one; with arrays and large panels there are more

// Bytes of the program itself.
constexpr size_t kProgram = 48 * kMebibyte;
// Bytes of a panel haplotype: sorting for the search in two directions.
constexpr size_t kSearchBytes = 40;
// Bytes of a panel haplotype in each thread: its mismatches with a target, its place among the states for imputation
// and among those for phasing, and how much a sample copies it.
constexpr size_t kThreadBytes =
    MatchFeatures::BytesOfHaplotype() + 2 * CopyingStates::BytesOfHaplotype() + sizeof(float);
// Bytes of a panel sample in each thread: its place among the people that a sample copies.
constexpr size_t kSampleThreadBytes = sizeof(uint32_t);
// Bytes of a panel sample: its name in several tables, and its populations.
constexpr size_t kSampleBytes = 280;
// Bytes of a rare allele: the carriers of the marker, and the markers of the carrier.
constexpr size_t kCarrierBytes = 2 * sizeof(uint32_t);
// Bytes of a marker that has a regression, and of a typed marker for all regressions.
constexpr size_t kRegressionBytes = 280, kTypedRegressionBytes = 900;
// Bytes of an allele of a study without a panel, half of which are missing: the study's rows, the samples while they
// are phased, those that they copy, and the draws.
constexpr size_t kStudyAlleleBytes = 24;
// Bytes of an allele of a study with families, for what is found of families.
constexpr size_t kFamilyAlleleBytes = 40;
constexpr size_t kFewestWindowMarkers = 256;  // of a window of such a study
// Bytes of a marker with likelihoods in each thread: the probabilities of the states of both haplotypes.
constexpr size_t kUncertainGenotypeBytes = 2 * sizeof(float) * kLikelihoodStates;
// Copies of a block that is being read: compressed, decompressed and by marker.
constexpr size_t kCopiesOfBlock = 3;

size_t ThreadBytes(const PanelContent& content, size_t samples) {
  return content.haplotypes * kThreadBytes + samples * kSampleThreadBytes + kCopiesOfBlock * content.largest_block;
}

size_t WindowBytes(const PanelContent& content, size_t samples, int threads) {
  const size_t haplotypes = content.haplotypes;
  const size_t typed = content.markers / kTypedShare;
  const size_t groups = content.common / DistinctHaplotypes::kMaxMarkers + 1;
  const size_t typed_bytes = 4 * typed * (haplotypes / 8);  // bits by marker, by haplotype, and of each interval
  // Common markers, and the most rare markers that can have enough carriers.
  const size_t fitted = content.common + std::min(content.markers - content.common,
                                                  content.carriers / MarkerRegression::MinCarriers(haplotypes));
  const size_t regression_bytes = fitted * kRegressionBytes + typed * kTypedRegressionBytes;
  return kProgram + haplotypes * kSearchBytes + samples * kSampleBytes + content.carriers * kCarrierBytes +
         groups * haplotypes * 2 * sizeof(uint16_t) + typed_bytes + regression_bytes +
         static_cast<size_t>(threads) * ThreadBytes(content, samples);
}

size_t Mebibytes(size_t bytes) { return (bytes + kMebibyte - 1) / kMebibyte; }

size_t MaxDosageBytes(const WindowMemory& estimate, const ImputeJob& job) {
  if (job.memory.max_bytes == 0) return job.memory.dosage_bytes;
  const size_t left = job.memory.max_bytes - std::min(job.memory.max_bytes, estimate.planned_bytes);
  return std::min(job.memory.dosage_bytes, std::max(left, kMinForDosages));
}

constexpr const char* kRemedy =
    "give a shorter --window, fewer samples of the panel (--panel-samples), fewer --threads, or more memory";

}  // namespace

std::optional<WindowMemory> EstimateMemory(const PanelMarkerSource& panel, const GeneticMap& map,
                                           const WindowLengths& lengths, int64_t first_position, int64_t last_position,
                                           const StudySize& study, const ImputeJob& job) {
  const size_t allele_bytes = study.families == nullptr ? 0 : kPanelFamilyAlleleBytes;
  const size_t marker_bytes = ProbabilityTable::BytesOfMarker(study.haplotypes) + study.haplotypes * allele_bytes;
  std::optional<WindowMemory> largest;
  for (WindowCursor cursor(map, lengths, first_position);; cursor.Next()) {
    const Window& window = cursor.window();
    const std::optional<PanelContent> content = panel.Content(window.begin_bp, window.end_bp);
    if (!content) return std::nullopt;
    const size_t family_bytes =
        study.families == nullptr ? 0 : EstimatePanelFamilyBytes(*study.families, study.samples, content->markers);
    const auto bytes = [&](int threads) {
      return WindowBytes(*content, panel.sample_names().size(), threads) + family_bytes + job.memory.model_bytes;
    };
    const size_t planned_bytes = std::max(bytes(kPlannedThreads), largest ? largest->planned_bytes : 0);
    if (!largest || bytes(Threads()) > largest->bytes) {
      largest = {.bytes = bytes(Threads()),
                 .dosage_bytes = marker_bytes * content->markers,
                 .haplotypes = content->haplotypes,
                 .markers = content->markers};
    }
    largest->planned_bytes = planned_bytes;
    if (window.core_end_bp >= last_position) return largest;
  }
}

size_t LeftForDosages(const WindowMemory& estimate, const ImputeJob& job, const std::string& contig) {
  const auto describe = [&](size_t total) {
    return fmt::format("{}: a window of contig {} with {} markers of {} haplotypes takes about {} MiB", job.panel.path,
                       contig, estimate.markers, estimate.haplotypes, Mebibytes(total));
  };
  const size_t left = MaxDosageBytes(estimate, job);
  const size_t bytes = estimate.bytes + std::min(left, estimate.dosage_bytes);
  const size_t least = estimate.bytes + std::min(kMinForDosages, estimate.dosage_bytes);
  if (job.memory.max_bytes > 0 && least > job.memory.max_bytes) {
    throw InputError(fmt::format("{}, more than the {} MiB of --memory; {}", describe(least),
                                 Mebibytes(job.memory.max_bytes), kRemedy));
  }
  if (job.memory.max_bytes > 0 && bytes > job.memory.max_bytes) {
    LogWarning("{} with {} threads, more than the {} MiB of --memory; give at most {}", describe(bytes), Threads(),
               Mebibytes(job.memory.max_bytes), kPlannedThreads);
  }
  const auto machine_bytes = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (bytes > machine_bytes) {
    LogWarning("{}, more than this machine has ({} MiB); {}", describe(bytes), Mebibytes(machine_bytes), kRemedy);
  } else if (bytes > kToldFrom) {
    LogInfo("{}", describe(bytes));
  }
  return left;
}

size_t MaxMarkersByPhasing(size_t study_haplotypes, size_t panel_haplotypes, const ImputeJob& job) {
  const size_t panel_bytes =
      panel_haplotypes == 0 ? 0 : panel_haplotypes / 2 + kPlannedThreads * kUncertainGenotypeBytes;
  const size_t allele_bytes = kStudyAlleleBytes + (HasFamilies(job.study) ? kFamilyAlleleBytes : 0);
  const size_t marker_bytes = study_haplotypes * allele_bytes + panel_bytes;
  const size_t least = kProgram + kFewestWindowMarkers * marker_bytes;
  const size_t limit = job.memory.max_bytes > 0 ? job.memory.max_bytes : kProgram + job.memory.dosage_bytes;
  if (job.memory.max_bytes > 0 && limit < least) {
    throw InputError(
        fmt::format("{}: phasing its {} haplotypes takes at least {} MiB, more than the {} MiB of --memory; give more "
                    "memory, or impute groups of samples by themselves",
                    job.study.path, study_haplotypes, Mebibytes(least), Mebibytes(limit)));
  }
  return std::max(kFewestWindowMarkers, (limit - std::min(limit, kProgram)) / std::max<size_t>(marker_bytes, 1));
}

size_t MaxMarkersFromStudy(size_t study_haplotypes, const ImputeJob& job) {
  if (job.memory.max_bytes == 0) return SIZE_MAX;
  const size_t marker_bytes = std::min(study_haplotypes, 2 * PhasingOptions().max_group) * kStudyAlleleBytes;
  return (job.memory.max_bytes - std::min(job.memory.max_bytes, kProgram)) / std::max<size_t>(marker_bytes, 1);
}

PhasingOptions LimitedPhasing(const ImputeJob& job) {
  PhasingOptions options{.seed = job.seed};
  if (job.memory.max_bytes == 0) return options;
  const size_t taken = kProgram + job.memory.model_bytes;
  const size_t bytes = (job.memory.max_bytes - std::min(job.memory.max_bytes, taken)) / 2;
  options.max_joint_alleles = std::min(options.max_joint_alleles, bytes / kStudyAlleleBytes);
  options.max_ancestor_bytes = std::min(options.max_ancestor_bytes, bytes);
  return options;
}

void CheckPanelMemory(const HaplotypePanel& panel, const ImputeJob& job) {
  if (job.memory.max_bytes == 0 || panel.MemoryBytes() <= job.memory.max_bytes) return;
  throw InputError(fmt::format("{}: a window of contig {} takes more than the {} MiB of --memory; {}", job.panel.path,
                               panel.contig(), Mebibytes(job.memory.max_bytes), kRemedy));
}

}  // namespace haplospin
