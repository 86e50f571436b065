// How much memory the windows of a contig take, estimated from the index of a panel file before they are read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "haplospin/genetic_map.h"
#include "imputation/job/impute_job.h"
#include "variant_io/reading/panel_reader.h"

namespace haplospin {

struct WindowMemory {
  size_t bytes = 0;          // of the window that takes most and of the model, without the dosages of the study
  size_t planned_bytes = 0;  // the same for a fixed number of threads
  size_t dosage_bytes = 0;   // of the study at all of its markers: less if the window is shortened
  size_t haplotypes = 0;     // of the panel
  size_t markers = 0;        // of this window
};

// For the contig that the reader is at; nothing if the reader knows no content without reading it.
std::optional<WindowMemory> EstimateMemory(const PanelReader& panel, const GeneticMap& map, int64_t first_position,
                                           int64_t last_position, size_t study_haplotypes, const ImputeJob& job);

// Bytes that are left for dosages, whatever the number of threads. Tells the estimate if it is large. Throws InputError
// if the windows do not fit into `job.memory.max_bytes`, and warns if the threads are too many for it, or if the
// windows do not fit into the memory of the machine.
size_t LeftForDosages(const WindowMemory& estimate, const ImputeJob& job, const std::string& contig);

// Throws InputError if what is in memory of a panel is more than `job.memory.max_bytes` allows.
void CheckPanelMemory(const HaplotypePanel& panel, const ImputeJob& job);

}  // namespace haplospin
