// Imputation with a trained SPIN, NPT or Set Transformer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/safetensors.h"
#include "imputation/window_model.h"

namespace haplospin {

// The panel's haplotypes are the context, the study's the query. A model of one window imputes that window, and missing
// alleles of its inputs; a model shared by windows imputes any, cut as TileWindows() does. A token's distribution over
// K-mers is marginalised to the probability of each of its alleles.
//
// `max_bytes` bounds the memory for a window: SPIN encodes the panel in blocks, the others take as many of the panel's
// haplotypes, drawn at random, as fit, and say so.
//
// `device` as in ParseDevice(). Throws InputError where the device is not there, or the file is damaged or of another
// architecture. Impute() throws InputError where the panel or the study has other sites than a model of one window.
std::unique_ptr<WindowModel> MakeTokenWindowModel(const Safetensors& file, const std::string& device,
                                                  int64_t max_bytes);

}  // namespace haplospin
