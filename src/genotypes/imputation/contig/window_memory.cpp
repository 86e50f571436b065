#include "genotypes/imputation/contig/window_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/log.h"
#include "core/threads.h"
#include "genotypes/genomics/distinct_haplotypes.h"
#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/stages/phase_stage.h"
#include "genotypes/imputation/stages/phasing/study_phase.h"
#include "genotypes/imputation/window/probability_table.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;
constexpr size_t kToldFrom = 2048 * kMebibyte;  // smallest estimate that is logged
constexpr size_t kMinForDosages = 16 * kMebibyte;

// Bytes of the program itself.
constexpr size_t kProgram = 48 * kMebibyte;
// Bytes of a rare allele: the carriers of the marker, and the markers of the carrier.
constexpr size_t kCarrierBytes = 2 * sizeof(uint32_t);
constexpr size_t kFewestWindowMarkers = 256;  // of a window whose number of markers memory bounds
// Copies of a block that is being read: compressed, decompressed and by marker.
constexpr size_t kCopiesOfBlock = 3;

// The panel of a window.
size_t PanelBytes(const WindowSize& size) {
  const PanelContent& panel = size.panel;
  const size_t groups = panel.common / DistinctHaplotypes::kMaxMarkers + 1;
  const size_t typed_bytes = 4 * TypedMarkers(size) * (panel.haplotypes / 8);  // bits by marker, haplotype and interval
  return panel.carriers * kCarrierBytes + groups * panel.haplotypes * 2 * sizeof(uint16_t) + typed_bytes;
}

size_t WindowBytes(const WindowSize& size, const StageMemory& stages, int threads) {
  const size_t thread_bytes = stages.thread + kCopiesOfBlock * size.panel.largest_block;
  return kProgram + PanelBytes(size) + stages.shared + static_cast<size_t>(threads) * thread_bytes;
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
                                           const ImputedStudy& study, const ImputeJob& job) {
  std::optional<WindowMemory> largest;
  for (WindowCursor cursor(map, lengths, first_position);; cursor.Next()) {
    const Window& window = cursor.window();
    const std::optional<PanelContent> content = panel.Content(window.begin_bp, window.end_bp);
    if (!content) return std::nullopt;
    const WindowSize size{*content, panel.sample_names().size(), study.samples, study.haplotypes};
    const StageMemory stages = study.plan.Memory(size);
    const auto bytes = [&](int threads) { return WindowBytes(size, stages, threads) + job.memory.model_bytes; };
    const size_t planned_bytes = std::max(bytes(kPlannedThreads), largest ? largest->planned_bytes : 0);
    if (!largest || bytes(Threads()) > largest->bytes) {
      const size_t marker_bytes = ProbabilityTable::BytesOfMarker(study.haplotypes) + stages.dosage_marker;
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

size_t MaxMarkersByPhasing(const ImputedStudy& study, size_t panel_haplotypes, const ImputeJob& job) {
  const size_t marker_bytes = study.plan.BytesOfMarker({.panel = {.haplotypes = panel_haplotypes},
                                                        .study_samples = study.samples,
                                                        .study_haplotypes = study.haplotypes});
  if (marker_bytes == 0) return SIZE_MAX;
  const size_t least = kProgram + kFewestWindowMarkers * marker_bytes;
  const size_t limit = job.memory.max_bytes > 0 ? job.memory.max_bytes : kProgram + job.memory.dosage_bytes;
  if (job.memory.max_bytes > 0 && limit < least) {
    throw InputError(
        fmt::format("{}: phasing its {} haplotypes takes at least {} MiB, more than the {} MiB of --memory; give more "
                    "memory, or impute groups of samples by themselves",
                    job.study.path, study.haplotypes, Mebibytes(least), Mebibytes(limit)));
  }
  return std::max(kFewestWindowMarkers, (limit - std::min(limit, kProgram)) / marker_bytes);
}

WindowLimits LimitWindows(const ContigInput& input, const ContigRange& range, size_t panel_haplotypes,
                          const ImputedStudy& study, const ImputeJob& job) {
  const std::optional<WindowMemory> estimate = EstimateMemory(input.panel, input.map, input.windows, range.first(),
                                                              range.last(input.last_position, input.part), study, job);
  const WindowSize size{.study_samples = study.samples, .study_haplotypes = std::max<size_t>(1, study.haplotypes)};
  return {.markers = MaxMarkersByPhasing(study, panel_haplotypes, job),
          .dosage_bytes = estimate ? LeftForDosages(*estimate, job, input.files.contig) : job.memory.dosage_bytes,
          .bytes_of_marker = [&plan = study.plan, size](double compressed_bytes) {
            return plan.BytesOfDosages(size, compressed_bytes);
          }};
}

size_t MaxMarkersFromStudy(size_t study_haplotypes, const ImputeJob& job) {
  if (job.memory.max_bytes == 0) return SIZE_MAX;
  const size_t marker_bytes = std::min(study_haplotypes, 2 * PhasingOptions().max_group) * kPhasedAlleleBytes;
  return (job.memory.max_bytes - std::min(job.memory.max_bytes, kProgram)) / std::max<size_t>(marker_bytes, 1);
}

void LimitJointStages(const ImputeJob& job, PlanSettings& settings) {
  if (job.memory.max_bytes == 0) return;
  const size_t taken = kProgram + job.memory.model_bytes;
  const size_t bytes = (job.memory.max_bytes - std::min(job.memory.max_bytes, taken)) / 2;
  settings.max_joint_alleles = std::min(settings.max_joint_alleles, bytes / kPhasedAlleleBytes);
  settings.max_cluster_bytes = std::min(settings.max_cluster_bytes, bytes);
}

void CheckPanelMemory(const HaplotypePanel& panel, const ImputeJob& job) {
  if (job.memory.max_bytes == 0 || panel.MemoryBytes() <= job.memory.max_bytes) return;
  throw InputError(fmt::format("{}: a window of contig {} takes more than the {} MiB of --memory; {}", job.panel.path,
                               panel.contig(), Mebibytes(job.memory.max_bytes), kRemedy));
}

}  // namespace haplospin
