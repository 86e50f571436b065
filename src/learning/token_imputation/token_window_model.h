// Imputation with a trained SPIN, NPT or Set Transformer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/safetensors.h"
#include "genotypes/imputation/stages/window_model.h"

namespace haplospin {

// The panel's haplotypes are the context, the study's the query. A model of one window imputes that window, and missing
// alleles of its inputs; a model shared by windows imputes any, cut as TileWindows() does. A token's distribution over
// K-mers is marginalized to the probability of each of its alleles.
//
// `max_bytes` bounds the memory for a window: SPIN encodes the panel in blocks, the others use as many random
// haplotypes of the panel as fit, with a warning.
//
// `device` as in ParseDevice(). Throws InputError if the device is not available, or the file is damaged or of another
// architecture. Impute() throws InputError if the panel or the study does not have the sites of a model of one window.
std::unique_ptr<WindowModel> MakeTokenWindowModel(const Safetensors& file, const std::string& device,
                                                  int64_t max_bytes);

}  // namespace haplospin
