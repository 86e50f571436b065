// The memory of the windows of a contig, estimated from the index of a panel file before they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/contig/contig_input.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "genotypes/variant_io/reading/marker_source.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// What memory allows for the windows of a contig.
struct WindowLimits {
  size_t markers = SIZE_MAX;                      // of a window
  size_t dosage_bytes;                            // of its dosages
  std::function<size_t(double)> bytes_of_marker;  // of its dosages, if a compressed one takes so many bytes
};

struct WindowMemory {
  size_t bytes = 0;          // memory of the largest window and of the model, without the dosages
  size_t planned_bytes = 0;  // the same memory with a fixed number of threads
  size_t dosage_bytes = 0;   // dosages of the study at all markers of the window, which may still be shortened
  size_t haplotypes = 0;     // panel haplotypes
  size_t markers = 0;        // markers of the largest window
};

// What is imputed in the windows of an estimate.
struct ImputedStudy {
  const WindowPlan& plan;
  size_t samples = 0;
  size_t haplotypes = 0;
};

// Estimates the memory of the contig that the reader is at, from `first_position` to `last_position`, bp. Returns
// nullopt if the reader does not know its content before reading it.
std::optional<WindowMemory> EstimateMemory(const PanelMarkerSource& panel, const GeneticMap& map,
                                           const WindowLengths& lengths, int64_t first_position, int64_t last_position,
                                           const ImputedStudy& study, const ImputeJob& job);

// Returns the bytes that are left for dosages, which do not depend on the number of threads. Logs the estimate if it is
// large. Throws InputError if the windows do not fit into `job.memory.max_bytes`, and warns if there are too many
// threads for it, or if the windows do not fit into the memory of the machine.
size_t LeftForDosages(const WindowMemory& estimate, const ImputeJob& job, const std::string& contig);

// Returns the most markers of a window, if its memory grows with those that take part in phasing. Throws InputError if
// `job.memory.max_bytes` is too little for any.
size_t MaxMarkersByPhasing(const ImputedStudy& study, size_t panel_haplotypes, const ImputeJob& job);

// Returns all of this for the windows of a contig; the plan of the study must outlive it.
WindowLimits LimitWindows(const ContigInput& input, const ContigRange& range, size_t panel_haplotypes,
                          const ImputedStudy& study, const ImputeJob& job);

// Returns the most markers of a study with a panel that can be imputed from each other within --memory.
size_t MaxMarkersFromStudy(size_t study_haplotypes, const ImputeJob& job);

// Sets how much may be drawn from panel and study together in a window (stages/joint_stage.h, clusters_stage.h): what
// takes at most half of what --memory leaves beside the program.
void LimitJointStages(const ImputeJob& job, PlanSettings& settings);

// Throws InputError if the part of a panel that is in memory takes more than `job.memory.max_bytes`.
void CheckPanelMemory(const HaplotypePanel& panel, const ImputeJob& job);

}  // namespace haplospin
